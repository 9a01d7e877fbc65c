/**
 * Loads the demo environment; run by `npm start` before anything serves, and by tests and benchmarks. May be run any
 * number of times: what is loaded stays, and lost credentials are replaced by new ones.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../../platform/core/clock.ts';
import { readConfigOrExit } from '../../platform/core/config.ts';
import { openDb } from '../../platform/db/knex.ts';
import { withoutTimeLimits } from '../../platform/db/sessionSettings.ts';
import { parseAccess, type DemoAccess } from './access.ts';
import { loadDemo } from './loadDemo.ts';

const readAccess = async (file: string): Promise<DemoAccess | null> => {
  try {
    return parseAccess(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    // Missing or damaged: new credentials are made.
    return null;
  }
};

/** Writes the credentials, readable for their owner only, into a new file that is then renamed, so that no half is read. */
const writeAccess = async (dataDir: string, file: string, access: DemoAccess): Promise<void> => {
  await mkdir(dataDir, { recursive: true });
  await writeFile(`${file}.new`, `${JSON.stringify(access, undefined, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
};

const whole = (option: string, given: string | undefined): number | undefined => {
  if (given === undefined) return undefined;
  if (!/^\d{1,15}$/.test(given)) throw new Error(`--${option} must be a whole number, not ${JSON.stringify(given)}.`);
  return Number(given);
};

const main = async (): Promise<void> => {
  const started = performance.now();
  const { values } = parseArgs({
    options: { items: { type: 'string' }, seed: { type: 'string' }, now: { type: 'string' } },
  });
  const config = readConfigOrExit();
  const file = join(config.dataDir, 'access.json');
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  // The loader may generate a batch for longer than a transaction of the service may idle.
  const db = openDb({
    url: config.migrateDatabaseUrl,
    poolSize: 2,
    applicationName: 'console-demo',
    settings: withoutTimeLimits,
  });
  try {
    const options = {
      now: whole('now', values.now) ?? systemClock.now(),
      items: whole('items', values.items),
      seed: whole('seed', values.seed),
    };
    const known = await readAccess(file);
    const { access, loaded } = await loadDemo(db, { ...options, publicUrl: config.publicUrl, known, say });
    if (JSON.stringify(access) !== JSON.stringify(known)) await writeAccess(config.dataDir, file, access);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const count = (n: number): string => n.toLocaleString('en');
    if (loaded === null) say(`demo: is loaded (looked in ${seconds} s)`);
    else
      say(
        `demo: ${count(loaded.items)} items with ${count(loaded.entries)} timeline entries, ${count(loaded.records)} records, in ${seconds} s`,
      );
  } finally {
    await db.destroy();
  }
};

await main();
