/** The previous release, whose commit previousRelease.json names, as a checkout of its own that can be run beside this one. */
import { execFileSync, type StdioOptions } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from '../../shared/tools/services/install.mjs';
import { root, toolsDir } from '../../shared/tools/services/paths.mjs';
import previous from '../previousRelease.json' with { type: 'json' };

const quietly: StdioOptions = ['ignore', 'pipe', 'pipe'];
const git = (...args: string[]): Buffer =>
  execFileSync('git', ['-C', root, ...args], { stdio: quietly, maxBuffer: 256 * 1024 * 1024 });

/** Fetches the commit where the clone lacks it, as a shallow one does. Throws when it can't be had. */
const requireCommit = (commit: string): void => {
  try {
    git('cat-file', '-e', `${commit}^{tree}`);
  } catch {
    try {
      git('fetch', '--quiet', '--depth', '1', 'origin', commit);
    } catch (error) {
      throw new Error(
        `The previous release, ${commit}, is neither in this clone nor to be had from its origin: fetch it (git fetch --unshallow), or correct test/previousRelease.json.`,
        { cause: error },
      );
    }
  }
};

type Versions = Record<string, string>;
const packagesOf = (folder: string): { dependencies: Versions; devDependencies: Versions } =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as ReturnType<typeof packagesOf>;

/** Gives the checkout this one's packages where they are the same, else its own. */
const installPackages = async (folder: string): Promise<void> => {
  const { dependencies, devDependencies } = packagesOf(root);
  const ours = { ...dependencies, ...devDependencies };
  if (Object.entries(packagesOf(folder).dependencies).every(([name, version]) => ours[name] === version)) {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    return;
  }
  const done = await npm(['ci', '--include=dev', '--ignore-scripts', '--prefer-offline'], folder);
  if (done.code !== 0) throw new Error(`The packages of the previous release could not be installed:\n${done.output}`);
};

/** Returns the folder of the previous release, ready to run. It is kept for the next run of the tests. */
export const openPreviousRelease = async (): Promise<string> => {
  const { commit } = previous;
  const home = join(toolsDir, `release-${commit.slice(0, 12)}`);
  if (existsSync(home)) return home;
  requireCommit(commit);
  const work = `${home}-${String(process.pid)}`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  execFileSync('tar', ['-x', '-C', work], { input: git('archive', commit), stdio: ['pipe', 'ignore', 'pipe'] });
  await installPackages(work);
  renameSync(work, home);
  return home;
};
