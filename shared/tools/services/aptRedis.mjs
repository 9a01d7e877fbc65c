// Fetches a Redis from the distribution's packages (Debian, Ubuntu) into this checkout, without root and without
// installing anything; called by redisBinary.mjs when the machine has none.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolsDir } from './paths.mjs';
import { runProcess } from './processes.mjs';

/** Redis and the libraries that it needs beyond the C library, which every system has. Names differ between releases
 * (`libssl3`, `libssl3t64`), so apt lists the dependencies and this only chooses among them. */
const wanted = /^(redis|lib(atomic1|jemalloc2|lzf1|ssl3|systemd0|cap2|gcrypt20|gpg-error0|lz4-1|zstd1|lzma5))/;

const home = join(toolsDir, 'redis-deb');

/** @returns {{ program: string, libraries: string } | undefined} what an earlier call fetched, if one did */
export function fetchedRedis() {
  const program = join(home, 'usr/bin/redis-server');
  if (!existsSync(program)) return undefined;
  // /usr/lib/<triplet>, as in x86_64-linux-gnu.
  const triplet = readdirSync(join(home, 'usr/lib')).find((name) => name.includes('-linux-'));
  return { program, libraries: join(home, 'usr/lib', triplet ?? '') };
}

/**
 * Fetches Redis. @returns {Promise<string | undefined>} the reason of a failure; undefined after a success
 */
export async function fetchRedis() {
  if (process.platform !== 'linux' || (await runProcess(['apt-get', '--version'])).code !== 0)
    return 'this system has no apt';
  const work = join(toolsDir, `redis-fetch-${process.pid}`);
  try {
    return await fetchInto(work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * @param {string} work
 * @returns {Promise<string | undefined>} why it did not work
 */
async function fetchInto(work) {
  rmSync(work, { recursive: true, force: true });
  for (const each of ['lists/partial', 'cache/archives/partial', 'debs', 'root'])
    mkdirSync(join(work, each), { recursive: true });
  // An empty list of installed packages: else apt looks for the versions that the system has, which may be gone.
  writeFileSync(join(work, 'status'), '');
  const options = [
    `Dir::State::status=${work}/status`,
    `Dir::State::lists=${work}/lists`,
    `Dir::Cache=${work}/cache`,
    'Debug::NoLocking=1',
    // As root, apt changes to an account that may not reach this folder.
    'APT::Sandbox::User=',
    'Acquire::Languages=none',
    'Acquire::http::Timeout=15',
    'Acquire::Retries=2',
  ].flatMap((option) => ['-o', option]);
  const apt = (/** @type {string[]} */ command, cwd = work) =>
    runProcess([command[0] ?? '', '-qq', ...options, ...command.slice(1)], { cwd, timeoutMs: 120_000 });

  const update = await apt(['apt-get', 'update']);
  if (update.code !== 0) return firstLine(update.output);
  const only = [
    '--recurse',
    '--no-recommends',
    '--no-suggests',
    '--no-conflicts',
    '--no-breaks',
    '--no-replaces',
    '--no-enhances',
  ];
  const depends = await apt(['apt-cache', 'depends', ...only, 'redis-server']);
  // A package's name is at the start of a line; its dependencies are indented, and each is listed by itself too.
  const packages = [...new Set(depends.stdout.split('\n').filter((line) => wanted.test(line) && !line.includes(':')))];
  if (!packages.some((name) => name.startsWith('redis'))) return 'apt knows no redis-server';
  const download = await apt(['apt-get', 'download', ...packages], join(work, 'debs'));
  if (download.code !== 0) return firstLine(download.output);
  for (const deb of readdirSync(join(work, 'debs'))) {
    const extracted = await runProcess(['dpkg-deb', '-x', join(work, 'debs', deb), join(work, 'root')]);
    if (extracted.code !== 0) return firstLine(extracted.output);
  }
  rmSync(home, { recursive: true, force: true });
  renameSync(join(work, 'root'), home);
  return fetchedRedis() ? undefined : 'the packages hold no redis-server';
}

const firstLine = (/** @type {string} */ output) =>
  output.split('\n').find((line) => /^[EW]:/.test(line)) ?? output.split('\n')[0] ?? '';
