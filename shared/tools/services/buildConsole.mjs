// Builds the console's page (api/console) into a folder of this checkout: named by content, compressed, and only when its
// sources have changed. Used by `npm start`, `npm run build` and the console's tests.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { withLock } from './lock.mjs';
import { root, toolsDir } from './paths.mjs';
import { stateOfSources } from './sourceState.mjs';

const source = join(root, 'api/console');

/** Where api/consoleFiles.ts looks for it, beside the folder of the API's sources. */
export const consoleFolder = join(root, '.console');

/**
 * Writes a file with its compressed forms.
 * @param {string} path
 * @param {Uint8Array | string} content
 */
const writePacked = async (path, content) => {
  const bytes = Buffer.from(content);
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
    promisify(gzip)(bytes, { level: 9 }),
  ]);
  writeFileSync(path, bytes);
  writeFileSync(`${path}.br`, br);
  writeFileSync(`${path}.gz`, gz);
};

/**
 * Returns the addresses of what an entry loads with it.
 * @param {import('esbuild').Metafile['outputs']} outputs
 * @param {string} path
 * @returns {string[]}
 */
const importedBy = (outputs, path) => [
  ...new Set(
    (outputs[path]?.imports ?? [])
      .filter(({ kind }) => kind === 'import-statement')
      .flatMap(({ path: next }) => [next, ...importedBy(outputs, next)]),
  ),
];

/**
 * Builds the console into a folder.
 * @param {string} folder
 * @param {import('esbuild').Plugin[]} [plugins] such as one that puts other files in the place of those of texts
 */
export const buildInto = async (folder, plugins = []) => {
  const { build } = await import('esbuild');
  mkdirSync(join(folder, 'assets'), { recursive: true });
  /** @satisfies {import('esbuild').BuildOptions} */
  const options = {
    absWorkingDir: root,
    outdir: join(folder, 'assets'),
    plugins,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    platform: 'browser',
    target: ['chrome123', 'firefox128', 'safari17.5'],
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    logLevel: 'warning',
  };
  const built = await Promise.all([
    build({
      ...options,
      entryPoints: ['api/console/main.tsx', 'api/console/styles/console.css', 'api/console/icon.svg'],
      loader: { '.svg': 'copy' },
      splitting: true,
      format: 'esm',
    }),
    build({ ...options, entryPoints: ['api/console/first.ts'], format: 'iife' }),
  ]);
  await Promise.all(
    built.flatMap(({ outputFiles }) => outputFiles.map(({ path, contents }) => writePacked(path, contents))),
  );
  const outputs = { ...built[0].metafile.outputs, ...built[1].metafile.outputs };
  const named = (/** @type {string} */ path) => `assets/${path.split('/').at(-1) ?? ''}`;
  const entry = (/** @type {string} */ file) =>
    Object.keys(outputs).find(
      (path) => Object.keys(outputs[path]?.inputs ?? {}).at(-1) === file || outputs[path]?.entryPoint === file,
    ) ?? '';
  const script = entry('api/console/main.tsx');
  const page = readFileSync(join(source, 'index.html'), 'utf8')
    .replace('{{first}}', named(entry('api/console/first.ts')))
    .replace('{{script}}', named(script))
    .replace('{{style}}', named(entry('api/console/styles/console.css')))
    .replace('{{icon}}', named(entry('api/console/icon.svg')))
    .replace(
      '{{preloads}}',
      importedBy(outputs, script)
        .map((path) => `<link rel="modulepreload" href="{{base}}/${named(path)}" />`)
        .join('\n    '),
    );
  writeFileSync(join(folder, 'index.html'), page);
};

/** Builds the console unless what is there is made of the present sources. Returns its folder. */
export async function buildConsole() {
  const state = stateOfSources(['api/console', 'shared/platform', 'shared/tools/services'], /./);
  const stateFile = join(consoleFolder, 'state');
  const isCurrent = () => existsSync(stateFile) && readFileSync(stateFile, 'utf8') === state;
  if (isCurrent()) return consoleFolder;
  return withLock(join(toolsDir, 'console.lock'), 'waiting for another process that builds the console', async () => {
    if (isCurrent()) return consoleFolder;
    const made = `${consoleFolder}.${process.pid}`;
    try {
      await buildInto(made);
      writeFileSync(join(made, 'state'), state);
      rmSync(consoleFolder, { recursive: true, force: true });
      renameSync(made, consoleFolder);
    } finally {
      rmSync(made, { recursive: true, force: true });
    }
    return consoleFolder;
  });
}

/** Returns the compressed size of what the page loads before it shows anything, in bytes. */
export const firstScriptBytes = () =>
  [...readFileSync(join(consoleFolder, 'index.html'), 'utf8').matchAll(/\{\{base\}\}\/(assets\/[^"]+\.js)"/g)]
    .map(([, path = '']) => statSync(join(consoleFolder, `${path}.gz`)).size)
    .reduce((sum, bytes) => sum + bytes, 0);
