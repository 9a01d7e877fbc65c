/** Writes a new app, for the command `new`: it declares a little of everything, has a test, and brings this package along. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const tarball = 'vendor/console-api-sdk.tgz';

const packageJson = (name: string): string =>
  `${JSON.stringify(
    {
      name,
      private: true,
      type: 'module',
      scripts: {
        start: 'tsx src/main.ts',
        test: 'tsc --noEmit && node --import tsx --test test/app.test.ts',
        check: 'console-sdk check src/app.ts',
      },
      dependencies: { '@console-api/sdk': `file:${tarball}`, tsx: '^4.23.0' },
      devDependencies: { '@types/node': '^20.19.0', typescript: '^7.0.0' },
    },
    null,
    2,
  )}\n`;

/** The files that are copied; a package's own `.gitignore` would leave files out of it, so these two are written. */
const copied = ['tsconfig.json', 'src/app.ts', 'src/main.ts', 'test/app.test.ts', 'Dockerfile'];
const ignored = 'node_modules\nanswers\n';

/** The folder of this package. */
const self = dirname(fileURLToPath(import.meta.url));

const files = async (name: string): Promise<readonly (readonly [string, string])[]> => [
  ['package.json', packageJson(name)],
  ['.gitignore', ignored],
  ['.dockerignore', ignored],
  ...(await Promise.all(
    copied.map(async (file) => [file, await readFile(join(self, 'starter', `${file}.txt`), 'utf8')] as const),
  )),
];

/** Packs the package that this command is part of into the new app, as no registry has it. */
const packSelf = async (folder: string): Promise<void> => {
  const target = join(folder, dirname(tarball));
  await mkdir(target, { recursive: true });
  const { stdout } = await promisify(execFile)('npm', ['pack', '--pack-destination', target], { cwd: self });
  await rename(join(target, stdout.trim().split('\n').at(-1) ?? ''), join(folder, tarball));
};

/** Writes the app and returns what to say. Throws when the folder has one already. */
export const writeStarter = async (given: string): Promise<readonly string[]> => {
  const folder = resolve(given);
  if (existsSync(join(folder, 'package.json'))) throw new Error(`${given} has a package.json already.`);
  const name =
    basename(folder)
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]+/g, '-') || 'app';
  for (const [file, text] of await files(name)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  await packSelf(folder);
  return [
    `Wrote ${given}. Next:`,
    `  cd ${given} && npm install`,
    '  npm test',
    '  npm run check',
    '  BASE_URL=https://<host>/api/env/<environment> APP_KEY=capp_… npm start',
    'The guide: node_modules/@console-api/sdk/docs/customers-app.md',
  ];
};
