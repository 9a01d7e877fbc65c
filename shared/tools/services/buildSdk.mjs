// Builds the SDK as a package of its own, for both module systems, with types and documents, and packs it. Called by `npm start`
// and `npm run build`, and by tests.
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { npm } from './install.mjs';
import { withLock } from './lock.mjs';
import { root, toolsDir } from './paths.mjs';
import { runProcess } from './processes.mjs';
import { stateOfSources } from './sourceState.mjs';

/** The folder that has the tarball, beside that of the API's sources, where api/middleware/pages.ts looks for it. */
const place = join(root, '.sdk');

/** The entries of the package by their names in it, each with its source below shared/. */
const entries = { index: 'sdk/index', testing: 'sdk/testing/index' };

/** A part of the entries that stands in a file of its own, as it is large. */
const validators = 'sdk/testing/validators';

/** The program behind the package's command, `console-sdk`. */
const command = 'sdk/command/main';

/**
 * What the bundles take from another file of the package, by the source that stands for it: each class is there once, and so is
 * what the checks have in them anyway.
 * @type {Record<string, string>}
 */
const external = {
  'sdk/problems': './index.cjs',
  [validators]: './validators.cjs',
  'platform/conditions/conditions': './validators.cjs',
  'platform/words/nearestNames': './validators.cjs',
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

/** The documents of the package: the guide, and those that it sends its reader to and that need no others. */
const documents = ['customers-app.md', 'manifest.md', 'protocol.md', 'flags.md'];

/**
 * Returns a document without its links to files that the package lacks; the texts of these links stay.
 * @param {string} name
 */
const readDocument = (name) =>
  readFileSync(join(root, 'docs', name), 'utf8').replace(
    /\[([^\]]+)\]\((?!https?:|#)([^)#]+)[^)]*\)/g,
    (/** @type {string} */ link, /** @type {string} */ text, /** @type {string} */ target) =>
      documents.includes(target) ? link : text,
  );

const readme = `# @console-api/sdk

Connects an app to the Console API: \`defineApp\` declares what there is, \`connect\` keeps the app connected. The guide is
[docs/customers-app.md](docs/customers-app.md); the service has the documents that are not in this package at \`/docs/<name>.md\`.

\`\`\`ts
import { connect, defineApp } from '@console-api/sdk';

const app = defineApp({ inboxes: { support: {} }, actions: { hello: { run: () => 'Hello.' } } });
connect({ app, url: process.env.BASE_URL ?? '', key: process.env.APP_KEY ?? '' });
\`\`\`

\`npx console-sdk new <folder>\` writes an app with a test, \`npx console-sdk check <file>\` says what the service would refuse
of an app, and \`npx console-sdk --help\` explains both. Types need TypeScript 6 or newer.
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
  const { build } = await import('esbuild');
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
 * Compiles the types of the SDK into a folder. It needs no types of packages, as every exported type is written out.
 * @param {string} folder
 */
async function compileTypes(folder) {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const flags = ['-p', 'tsconfig.sdk.json', '--noCheck', '--types', '', '--outDir', folder];
  const compiled = await runProcess([process.execPath, tsc, ...flags], { cwd: root });
  if (compiled.code !== 0) throw new Error(compiled.output);
}

/**
 * Builds the package into `folder`.
 * @param {string} folder
 * @param {string} types where the compiler has written them
 */
async function buildPackage(folder, types) {
  const { build } = await import('esbuild');
  mkdirSync(join(folder, 'docs'), { recursive: true });
  await bundle('validators', validators, folder);
  await build({ ...bundled(command), format: 'esm', outfile: join(folder, 'cli.js') });
  cpSync(join(root, 'shared/sdk/command/starter'), join(folder, 'starter'), { recursive: true });
  for (const [name, source] of Object.entries(entries)) {
    const names = await bundle(name, source, folder);
    copyTypes(join(types, 'shared'), folder, source);
    writeFileSync(join(folder, `${name}.d.ts`), `export * from './types/${source}.js';\n`);
    writeFileSync(join(folder, `${name}.d.cts`), typesForCommonJs(name, names));
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(packageJson(), null, 2)}\n`);
  writeFileSync(join(folder, 'README.md'), readme);
  for (const name of documents) writeFileSync(join(folder, 'docs', name), readDocument(name));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}

/** Builds and packs the package unless what is there is made of the present sources. Returns the path of the tarball. */
export async function buildSdk() {
  const tarball = join(place, 'console-api-sdk.tgz');
  const state = stateOfSources(['shared', 'docs'], /./);
  const isCurrent = () => existsSync(tarball) && readFileSync(join(place, 'state'), 'utf8') === state;
  if (isCurrent()) return tarball;
  return withLock(join(toolsDir, 'sdk.lock'), 'waiting for another process that builds the SDK', async () => {
    if (isCurrent()) return tarball;
    const made = `${place}.${process.pid}`;
    try {
      await compileTypes(join(made, 'types'));
      await buildPackage(join(made, 'package'), join(made, 'types'));
      const packed = await npm(['pack', '--pack-destination', made], join(made, 'package'));
      if (packed.code !== 0) throw new Error(packed.output);
      renameSync(join(made, packed.stdout.split('\n').at(-1) ?? ''), join(made, 'console-api-sdk.tgz'));
      writeFileSync(join(made, 'state'), state);
      rmSync(place, { recursive: true, force: true });
      renameSync(made, place);
    } finally {
      rmSync(made, { recursive: true, force: true });
    }
    return tarball;
  });
}
