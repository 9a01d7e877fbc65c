// `npm run build`: compiles into dist/ and copies what the programs read beside their code.
import { cpSync, existsSync, rmSync } from 'node:fs';
import { extname, join } from 'node:path';
import { readOptions } from '../cli/options.mjs';
import { root } from './paths.mjs';
import { runProcess } from './processes.mjs';

readOptions('build');

const dist = join(root, 'dist');
const code = new Set(['.ts', '.mjs', '.md']);

// Deletes the earlier build: a migration that no longer exists would still be found there.
rmSync(dist, { recursive: true, force: true });
// The programs, and the types of the SDK, which is the only part that others import.
for (const project of ['tsconfig.build.json', 'tsconfig.sdk.json']) {
  const compiled = await runProcess([process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', project], {
    cwd: root,
  });
  if (compiled.output) console.log(compiled.output);
  if (compiled.code !== 0) process.exit(compiled.code);
}
for (const folder of ['api', 'workers', 'shared', 'migrations']) {
  if (!existsSync(join(root, folder))) continue;
  cpSync(join(root, folder), join(dist, folder), { recursive: true, filter: (source) => !code.has(extname(source)) });
}
