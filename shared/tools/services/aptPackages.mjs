// Fetches programs from the distribution's packages (Debian, Ubuntu) into this checkout, without root and without
// installing anything: a Redis for redisBinary.mjs, and what tests put around the service (systemPrograms.mjs).
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolsDir } from './paths.mjs';
import { runProcess } from './processes.mjs';

/**
 * A program and the packages that it needs beyond the C library, which every system has. Names of packages differ
 * between releases (`libssl3`, `libssl3t64`), so apt lists the dependencies and `packages` only chooses among them.
 * @typedef {object} AptProgram
 * @property {string} name of its package
 * @property {string} path of the program in the package
 * @property {RegExp} packages
 * @property {string[]} [more] packages that the program's own does not depend on
 */

/** @typedef {'redis' | 'haproxy' | 'pgbouncer' | 'promtool' | 'chromium' | 'buildah' | 'mmdebstrap' | 'etcd' | 'patroni' | 'postgresql15'} AptName */

/** @type {Readonly<Record<AptName, AptProgram>>} */
export const aptPrograms = {
  redis: {
    name: 'redis-server',
    path: 'usr/bin/redis-server',
    packages: /^(redis|lib(atomic1|jemalloc2|lzf1|ssl3|systemd0|cap2|gcrypt20|gpg-error0|lz4-1|zstd1|lzma5))/,
  },
  haproxy: {
    name: 'haproxy',
    path: 'usr/sbin/haproxy',
    packages:
      /^(haproxy$|lib(crypt1|lua5|opentracing|pcre2-8|ssl3|systemd0|cap2|gcrypt20|gpg-error0|lz4-1|zstd1|lzma5|stdc\+\+6|gcc-s1)|zlib1g)/,
  },
  pgbouncer: {
    name: 'pgbouncer',
    path: 'usr/sbin/pgbouncer',
    packages:
      /^(pgbouncer$|lib(c-ares2|event-2|pam0g|audit1|cap-ng0|crypt1|ssl3|systemd0|cap2|gcrypt20|gpg-error0|lz4-1|zstd1|lzma5))/,
  },
  promtool: { name: 'prometheus', path: 'usr/bin/promtool', packages: /^prometheus$/ },
  // The build without windows: half of the size, and all that tests need. Its libraries are most of its dependencies.
  chromium: {
    name: 'chromium-headless-shell',
    path: 'usr/lib/chromium/chromium-headless-shell',
    packages: /^(chromium-|fonts-(dejavu|liberation)|fontconfig-config|lib(?!c6|c-bin|llvm|z3|debian|newt)|zlib1g)/,
  },
  // Without what sets up networks: builds in a chroot have the machine's own.
  buildah: {
    name: 'buildah',
    path: 'usr/bin/buildah',
    packages:
      /^(buildah$|lib(assuan|devmapper|gpgme|gpg-error|seccomp|selinux|pcre2-8|subid|udev|audit1|cap-ng|crypt1|pam0g|semanage|sepol|bz2))/,
  },
  // A script, for the system's Perl and apt.
  mmdebstrap: { name: 'mmdebstrap', path: 'usr/bin/mmdebstrap', packages: /^mmdebstrap$/ },
  etcd: { name: 'etcd-server', path: 'usr/bin/etcd', packages: /^etcd-server$/ },
  // Modules for the system's Python, among them the client of etcd, which the package only recommends.
  patroni: {
    name: 'patroni',
    path: 'usr/bin/patroni',
    more: ['python3-etcd', 'python3-dnspython'],
    packages:
      /^(patroni$|python3-(?!minimal|distutils|lib2to3)[a-z]|lib(pq5|ldap-2|sasl2|gssapi-krb5|krb5|k5crypto|keyutils|com-err|yaml-0|ssl3|crypt1))/,
  },
  // With the programs of its client package, of which a standby is made.
  postgresql15: {
    name: 'postgresql-15',
    path: 'usr/lib/postgresql/15/bin/postgres',
    packages: /^(postgresql-(client-)?15$|lib(?!c6|c-bin|llvm|z3|debian|newt|perl)|zlib1g|tzdata$)/,
  },
};

const home = (/** @type {AptProgram} */ { name }) => join(toolsDir, `${name.replace('-server', '')}-deb`);

/**
 * Returns what an earlier call fetched, if one did.
 * @param {AptProgram} wanted
 * @returns {{ program: string, libraries: string, modules?: string } | undefined} `libraries` for LD_LIBRARY_PATH, `modules` for PYTHONPATH
 */
export function fetchedProgram(wanted) {
  const program = join(home(wanted), wanted.path);
  if (!existsSync(program)) return undefined;
  // /usr/lib/<triplet>, as in x86_64-linux-gnu. Some packages still have their libraries in /lib.
  const libraries = ['usr/lib', 'lib'].flatMap((folder) => {
    const path = join(home(wanted), folder);
    const triplet = existsSync(path) ? readdirSync(path).find((name) => name.includes('-linux-')) : undefined;
    // One library of Chromium's sound lies in a folder of its own.
    return triplet === undefined ? [] : [join(path, triplet), join(path, triplet, 'pulseaudio')];
  });
  const modules = join(home(wanted), 'usr/lib/python3/dist-packages');
  return { program, libraries: libraries.join(':'), ...(existsSync(modules) ? { modules } : {}) };
}

/**
 * Fetches a program.
 * @param {AptProgram} wanted
 * @returns {Promise<string | undefined>} the reason of a failure; undefined after a success
 */
export async function fetchProgram(wanted) {
  if (process.platform !== 'linux' || (await runProcess(['apt-get', '--version'])).code !== 0)
    return 'this system has no apt';
  const work = `${home(wanted)}-fetch-${process.pid}`;
  try {
    return await fetchInto(work, wanted);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * @param {string} work
 * @param {AptProgram} wanted
 * @returns {Promise<string | undefined>} why it did not work
 */
async function fetchInto(work, wanted) {
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
  const depends = await apt(['apt-cache', 'depends', ...only, wanted.name, ...(wanted.more ?? [])]);
  // A package's name is at the start of a line; its dependencies are indented, and each is listed by itself too.
  const names = depends.stdout.split('\n').filter((line) => wanted.packages.test(line) && !line.includes(':'));
  if (!names.includes(wanted.name)) return `apt knows no ${wanted.name}`;
  const download = await apt(['apt-get', 'download', ...new Set(names)], join(work, 'debs'));
  if (download.code !== 0) return firstLine(download.output);
  for (const deb of readdirSync(join(work, 'debs'))) {
    const extracted = await runProcess(['dpkg-deb', '-x', join(work, 'debs', deb), join(work, 'root')]);
    if (extracted.code !== 0) return firstLine(extracted.output);
  }
  rmSync(home(wanted), { recursive: true, force: true });
  renameSync(join(work, 'root'), home(wanted));
  return fetchedProgram(wanted) ? undefined : `the packages hold no ${wanted.path}`;
}

const firstLine = (/** @type {string} */ output) =>
  output.split('\n').find((line) => /^[EW]:/.test(line)) ?? output.split('\n')[0] ?? '';
