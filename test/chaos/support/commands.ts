/** The commands of an operator, as the docs have them, in processes of their own. Used by restore/steps.ts and the soak. */
import { program } from '../../../shared/tools/services/compile.mjs';
import { runProcess } from '../../../shared/tools/services/processes.mjs';
import type { Json } from './oracle.ts';
import type { Site } from './site.ts';

interface Ended {
  readonly code: number;
  readonly output: string;
  readonly stdout: string;
}

const execute = async (site: Site, file: string, args: readonly string[]): Promise<Ended> =>
  runProcess(await program(file, [...args]), { env: { ...process.env, ...site.servers } });

/** `npm run -s admin -- …`, whatever it ends with. */
export const admin = (site: Site, ...args: readonly string[]): Promise<Ended> =>
  execute(site, 'shared/tools/cli/admin.ts', args);

/** The same with `--json`; throws when it fails. */
export const adminJson = async (site: Site, ...args: readonly string[]): Promise<Json> => {
  const { code, output, stdout } = await admin(site, ...args, '--json');
  if (code !== 0) throw new Error(`admin ${args.join(' ')} ended with ${String(code)}:\n${output}`);
  return JSON.parse(stdout) as Json;
};

/** `npm run migrate`; throws when it fails. */
export const migrate = async (site: Site): Promise<void> => {
  const { code, output } = await execute(site, 'migrations/run.ts', []);
  if (code !== 0) throw new Error(`migrate ended with ${String(code)}:\n${output}`);
};

/** `npm run doctor`, whatever it ends with. */
export const doctor = (site: Site): Promise<Ended> => execute(site, 'shared/tools/doctor/main.ts', []);
