// Builds the SDK as a package of its own, for both module systems and with types, and packs it. Called by build.mjs, and
// by tests with a folder of their own: `node shared/tools/services/buildSdk.mjs <folder>` prints the tarball's path.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './paths.mjs';
import { runProcess } from './processes.mjs';

/** The entries of the package by their names in it, each with its source below shared/. */
const entries = { index: 'sdk/index', testing: 'sdk/testing/index' };

/** A part of the entries that stands in a file of its own, as it is large. */
const validators = 'sdk/testing/validators';

/** The program behind `npx @console-api/sdk`. */
const command = 'sdk/command/main';

/**
 * What the bundles take from another file of the package, by the source that stands for it: each class is there once, and so is
 * what the checks have in them anyway.
 * @type {Record<string, string>}
 */
const external = {
  'sdk/problems': './index.cjs',
  [validators]: './validators.cjs',
  'platform/core/conditions': './validators.cjs',
  'platform/core/nearestNames': './validators.cjs',
};

/** Packages that are large for what the checks need of them, and the files that do it. */
const replaced = { typebox: 'schemaLiterals.ts', re2js: 'nativePatterns.ts' };

/**
 * Keeps parts of the package out of the bundle of `source`, and puts small files in place of large packages.
 * @param {string} source
 * @returns {import('esbuild').Plugin}
 */
const parts = (source) => ({
  name: 'parts',
  setup: ({ onResolve }) => {
    for (const [name, file] of Object.entries(replaced))
      onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: join(root, 'shared/sdk/testing', file) }));
    if (source === entries.index || source === validators) return;
    onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir, kind }) => {
      const found = relative(join(root, 'shared'), resolve(resolveDir, path)).replace(/\.ts$/, '');
      const isApart = Object.hasOwn(external, found) && (source !== command || found !== 'sdk/problems');
      return isApart && kind !== 'entry-point' ? { path: external[found] ?? '', external: true } : undefined;
    });
  },
});

/** @typedef {{ version: string, license: string, author: string, engines: object, dependencies: Record<string, string> }} OwnPackage */

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- package.json is this checkout's own
const readOwnPackage = () => /** @type {OwnPackage} */ (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));

/** Returns the package.json. */
const packageJson = () => {
  const { version, license, author, engines, dependencies } = readOwnPackage();
  /** @type {[string, object][]} */
  const exported = Object.keys(entries).map((name) => [
    name === 'index' ? '.' : `./${name}`,
    {
      import: { types: `./${name}.d.ts`, default: `./${name}.js` },
      require: { types: `./${name}.d.cts`, default: `./${name}.cjs` },
    },
  ]);
  return {
    name: '@console-api/sdk',
    version,
    description: 'Connects an app to the Console API: declares what there is, and serves actions, records and replies.',
    license,
    author,
    type: 'module',
    main: './index.cjs',
    types: './index.d.cts',
    exports: { ...Object.fromEntries(exported), './package.json': './package.json' },
    bin: { 'console-sdk': './cli.js' },
    engines,
    dependencies: { ws: dependencies['ws'] },
  };
};

const readme = `# @console-api/sdk

Connects an app to the Console API: \`defineApp\` declares what there is, \`connect\` keeps the app connected. The guide is
docs/customers-app.md of the Console API.

\`\`\`ts
import { connect, defineApp } from '@console-api/sdk';

const app = defineApp({ inboxes: { support: {} }, actions: { hello: { run: () => 'Hello.' } } });
connect({ app, url: process.env.BASE_URL ?? '', key: process.env.APP_KEY ?? '' });
\`\`\`

Types need TypeScript 6 or newer.
`;

/**
 * Returns how a source is bundled, with everything inside but the dependencies and the parts that stand apart.
 * @param {string} source
 * @returns {import('esbuild').BuildOptions}
 */
const bundled = (source) => ({
  entryPoints: [join(root, 'shared', `${source}.ts`)],
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  external: ['ws'],
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [parts(source)],
  // Of the checks nobody reads a stack.
  minify: source === validators,
});

/**
 * Bundles an entry as CommonJS, and writes an ES module that names its
 * exports: a process that uses both has one copy of each class. Returns the names.
 * @param {string} name
 * @param {string} source
 * @param {string} folder
 * @returns {Promise<string[]>}
 */
async function bundle(name, source, folder) {
  const options = bundled(source);
  await build({ ...options, format: 'cjs', outfile: join(folder, `${name}.cjs`) });
  const { metafile } = await build({ ...options, format: 'esm', outfile: 'x.js', write: false, metafile: true });
  const names = Object.values(metafile.outputs)[0]?.exports ?? [];
  writeFileSync(
    join(folder, `${name}.js`),
    `import exported from './${name}.cjs';\n\nexport const { ${names.join(', ')} } = exported;\n`,
  );
  return names;
}

const imports = /((?:from|import\()\s*['"])(\.[^'"]+)\.ts(['"])/g;

/**
 * Copies the types of a source file and of all files that it imports.
 * @param {string} types where the compiler has written them
 * @param {string} folder
 * @param {string} source
 */
function copyTypes(types, folder, source) {
  const target = join(folder, 'types', `${source}.d.ts`);
  if (existsSync(target)) return;
  const text = readFileSync(join(types, `${source}.d.ts`), 'utf8');
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text.replaceAll(imports, '$1$2.js$3'));
  for (const [, , specifier = ''] of text.matchAll(imports))
    copyTypes(types, folder, relative(types, resolve(types, dirname(source), specifier)));
}

/**
 * Returns the types of an entry for CommonJS: those of the ES module under the names that it exports.
 * @param {string} name
 * @param {readonly string[]} names
 */
const typesForCommonJs = (name, names) => {
  const from = `from './${name}.js' with { 'resolution-mode': 'import' };`;
  const isClass = (/** @type {string} */ exported) => /^[A-Z]/.test(exported);
  return [
    `import type * as exported ${from}`,
    `export type * ${from}`,
    ...names.map((one) => `export declare const ${one}: typeof exported.${one};`),
    ...names.filter(isClass).map((one) => `export type ${one} = exported.${one};`),
    '',
  ].join('\n');
};

/**
 * Builds the package into `folder`, which is emptied before. Throws with the compiler's output when that finds faults.
 * @param {string} folder
 */
export async function buildSdk(folder) {
  const types = mkdtempSync(join(tmpdir(), 'console-sdk-types-'));
  try {
    const compiled = await runProcess(
      [process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.sdk.json', '--outDir', types],
      { cwd: root },
    );
    if (compiled.code !== 0) throw new Error(compiled.output);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    await bundle('validators', validators, folder);
    await build({ ...bundled(command), format: 'esm', outfile: join(folder, 'cli.js') });
    cpSync(join(root, 'shared/sdk/command/starter'), join(folder, 'starter'), { recursive: true });
    for (const [name, source] of Object.entries(entries)) {
      const names = await bundle(name, source, folder);
      copyTypes(join(types, 'shared'), folder, source);
      writeFileSync(join(folder, `${name}.d.ts`), `export * from './types/${source}.js';\n`);
      writeFileSync(join(folder, `${name}.d.cts`), typesForCommonJs(name, names));
    }
  } finally {
    rmSync(types, { recursive: true, force: true });
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(packageJson(), null, 2)}\n`);
  writeFileSync(join(folder, 'README.md'), readme);
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}

/**
 * Packs the package in `folder` and returns the path of the tarball, in the folder above; its name is the same in all versions.
 * @param {string} folder
 */
export async function packSdk(folder) {
  const packed = await runProcess(['npm', 'pack', '--pack-destination', dirname(folder)], { cwd: folder });
  if (packed.code !== 0) throw new Error(packed.output);
  const tarball = join(dirname(folder), 'console-api-sdk.tgz');
  renameSync(join(dirname(folder), packed.stdout.split('\n').at(-1) ?? ''), tarball);
  return tarball;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const folder = resolve(process.argv[2] ?? join(root, 'dist/sdk'));
  await buildSdk(folder);
  console.log(await packSdk(folder));
}
