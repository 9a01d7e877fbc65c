// `npm run build`: compiles into dist/, copies what the programs read beside their code, and packs the SDK.
import { cpSync, existsSync, rmSync } from 'node:fs';
import { extname, join } from 'node:path';
import { readOptions } from '../cli/options.mjs';
import { buildConsole } from './buildConsole.mjs';
import { buildSdk } from './buildSdk.mjs';
import { root } from './paths.mjs';
import { runProcess } from './processes.mjs';

readOptions('build');

const dist = join(root, 'dist');
const page = join(root, 'api/console');
const code = new Set(['.ts', '.mjs', '.md']);

// Deletes the earlier build: a migration that no longer exists would still be found there.
rmSync(dist, { recursive: true, force: true });
const compiled = await runProcess(
  [process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'],
  { cwd: root },
);
if (compiled.output) console.log(compiled.output);
if (compiled.code !== 0) process.exit(compiled.code);
for (const folder of ['api', 'workers', 'shared', 'migrations']) {
  if (!existsSync(join(root, folder))) continue;
  cpSync(join(root, folder), join(dist, folder), {
    recursive: true,
    filter: (path) => path !== page && !code.has(extname(path)),
  });
}
cpSync(await buildConsole(), join(dist, '.console'), { recursive: true });
// The reference page’s library: an installation of the product alone has none of its packages.
cpSync(join(root, 'node_modules/redoc/bundles/redoc.standalone.js'), join(dist, 'api/redoc.standalone.js'));
cpSync(
  join(root, 'node_modules/redoc/bundles/redoc.standalone.js.LICENSE.txt'),
  join(dist, 'api/redoc.standalone.js.LICENSE.txt'),
);
// The only part that others import, in a package of its own.
cpSync(await buildSdk(), join(dist, 'console-api-sdk.tgz'));
