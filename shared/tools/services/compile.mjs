// Compiles the project's programs and the packages that they run on with esbuild, once for each state of the sources: a process
// that loads a few files starts in a fraction of the time that it takes to find and compile a thousand while they are imported.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, toolsDir } from './paths.mjs';
import { stateOfSources } from './sourceState.mjs';

// How Node runs the project's programs; package.json and the Dockerfile say the same, as a law holds. The young generation of 64 MB lets an answer die where it was made: in Node's 16 MB, requests that wait for a connection grow old, and what they answer with them. Without source maps: a process would keep 20 to 40 MB of them from the first error on whose stack is looked at.
export const nodeFlags = ['--max-semi-space-size=64'];

/** The programs that are run by their paths. Those below test/ are missing where only the product was installed. */
const entries = [
  'api/main.ts',
  'workers/main.ts',
  'migrations/run.ts',
  'shared/tools/cli/admin.ts',
  'shared/tools/cli/watch.ts',
  'shared/tools/doctor/main.ts',
  'shared/tools/demo/load.ts',
  'shared/tools/demo/open.ts',
  'test/bench/main.ts',
  'test/chaos/main.ts',
  'test/chaos/support/customersApp.ts',
  'test/chaos/support/greedyReader.ts',
  'test/sample-app/main.ts',
  'test/soak/main.ts',
  'test/workers/child.ts',
].filter((file) => existsSync(join(root, file)));

const sourceFolders = ['api', 'workers', 'shared', 'migrations', 'test'];
const isSource = /\.(?:ts|mjs|json)$/;
const home = join(toolsDir, 'programs');

/** Time in ms for which a compiled state is kept after its last use: a process may still load a part of it. */
const keptMs = 24 * 3_600_000;

/**
 * Files of the project are read beside their sources, which stay where they are: each module keeps the address of its source.
 * @type {import('esbuild').Plugin}
 */
const ownAddresses = {
  name: 'own addresses',
  setup: (build) => {
    build.onLoad({ filter: /\.(?:ts|mjs)$/ }, ({ path }) => {
      if (path.includes('/node_modules/')) return undefined;
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const contents = text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href));
      return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' };
    });
  },
};

/** Packages that others look for and work without: clients of other databases, native forms of what is there in JavaScript. */
const packagesNotNeeded =
  'better-sqlite3 mariadb mysql mysql2 oracledb pg-query-stream sqlite3 tedious @azure pg-native msgpackr-extract bufferutil utf-8-validate';

/**
 * Returns the patterns of the packages that are not compiled: those above, those for development, which an installation may lack,
 * those that are loaded only when traces are wanted, and esbuild, which runs a program of its own folder.
 */
const packagesOutside = () => {
  const text = readFileSync(join(root, 'package.json'), 'utf8');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the project's own file
  const manifest = /** @type {{ devDependencies?: Record<string, string> }} */ (JSON.parse(text));
  const names = [
    ...packagesNotNeeded.split(' '),
    ...Object.keys(manifest.devDependencies ?? {}),
    '@opentelemetry',
    'esbuild',
  ];
  return names.flatMap((name) => [name, `${name}/*`]);
};

/** Defines the names that CommonJS packages expect. */
const banner = `
import { createRequire as createRequireOf } from 'node:module';
import { dirname as dirnameOf } from 'node:path';
import { fileURLToPath as pathOfUrl } from 'node:url';
const require = createRequireOf(import.meta.url), __filename = pathOfUrl(import.meta.url), __dirname = dirnameOf(__filename);
`;

const forgetOld = () => {
  for (const name of readdirSync(home))
    if (Date.now() - statSync(join(home, name)).mtimeMs > keptMs)
      rmSync(join(home, name), { recursive: true, force: true });
};

const compileAll = async () => {
  const folder = join(home, stateOfSources(sourceFolders, isSource));
  if (existsSync(folder)) {
    const now = new Date();
    utimesSync(folder, now, now);
    return folder;
  }
  const { build } = await import('esbuild');
  const made = `${folder}.${process.pid}`;
  await build({
    absWorkingDir: root,
    entryPoints: entries,
    outbase: root,
    outdir: made,
    bundle: true,
    splitting: true,
    external: packagesOutside(),
    banner: { js: banner },
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Each process keeps the text of its programs: without comments it is half as long, and of one byte for each character.
    minifyWhitespace: true,
    legalComments: 'none',
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
    plugins: [ownAddresses],
  });
  try {
    renameSync(made, folder);
  } catch (error) {
    // Another process was faster.
    rmSync(made, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  forgetOld();
  return folder;
};

/** @type {Promise<string> | undefined} */
let compiled;

/**
 * Compiles all programs when the sources have changed since the last time.
 * @returns {Promise<string>} the folder that has them
 */
export const compilePrograms = () => (compiled ??= compileAll());

/** Ends the process of esbuild, if builds have started it: it would stay as long as this process, with hundreds of megabytes. */
export const endCompiler = async () => (await import('esbuild')).stop();

/**
 * Returns the command that runs a program of the project, compiled.
 * @param {string} file of `entries`, from the checkout's top
 * @param {string[]} [args]
 * @returns {Promise<string[]>}
 */
export async function program(file, args = []) {
  if (!entries.includes(file)) throw new Error(`${file} is no program: add it to the entries of compile.mjs.`);
  const folder = await compilePrograms();
  return [process.execPath, ...nodeFlags, join(folder, file.replace(/\.ts$/, '.js')), ...args];
}
