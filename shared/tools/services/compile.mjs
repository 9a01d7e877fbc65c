// Compiles the project's programs with esbuild, once for each state of the sources: a process that loads a few files starts in a
// third of the time that it takes to compile hundreds while they are imported.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, toolsDir } from './paths.mjs';
import { stateOfSources } from './sourceState.mjs';

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
  'test/sample-app/main.ts',
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
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const contents = text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href));
      return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' };
    });
  },
};

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
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
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

/**
 * Returns the command that runs a program of the project, compiled.
 * @param {string} file of `entries`, from the checkout's top
 * @param {string[]} [args]
 * @returns {Promise<string[]>}
 */
export async function program(file, args = []) {
  if (!entries.includes(file)) throw new Error(`${file} is no program: add it to the entries of compile.mjs.`);
  const folder = await compilePrograms();
  return [process.execPath, '--enable-source-maps', join(folder, file.replace(/\.ts$/, '.js')), ...args];
}
