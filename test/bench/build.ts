/** Compiles the project and the benchmark's programs as they would be deployed: measured is what runs in production. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildConsole } from '../../shared/tools/services/buildConsole.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

const code = new Set(['.ts', '.mjs', '.md']);

export interface Build {
  /** A program of test/bench/programs, by name. */
  program(name: string): URL;
  remove(): void;
}

export const build = async (): Promise<Build> => {
  // Below node_modules, so that packages are found from there.
  const out = join(root, `node_modules/.cache/bench-${String(process.pid)}`);
  rmSync(out, { recursive: true, force: true });
  const output = await new Promise<string>((resolve) => {
    execFile(
      process.execPath,
      [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'test/bench/tsconfig.json', '--outDir', out],
      { cwd: root },
      (_error, text) => {
        resolve(text);
      },
    );
  });
  // Types that don't fit yet are no reason not to measure; `npm run typecheck` reports them.
  if (!existsSync(join(out, 'api/main.js'))) throw new Error(`The build failed:\n${output}`);
  // What the programs read beside their code, as `npm run build` does it.
  for (const folder of ['api', 'workers', 'shared'])
    cpSync(join(root, folder), join(out, folder), { recursive: true, filter: (from) => !code.has(extname(from)) });
  cpSync(await buildConsole(), join(out, '.console'), { recursive: true });
  writeFileSync(join(out, 'package.json'), '{ "type": "module" }');
  return {
    program: (name) => pathToFileURL(join(out, 'test/bench/programs', `${name}.js`)),
    remove: () => {
      rmSync(out, { recursive: true, force: true });
    },
  };
};
