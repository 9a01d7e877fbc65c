// Finds the system programs that tests put around the service, a load balancer, a connection pool, a browser, Prometheus' tool,
// what builds images, and what lets PostgreSQL fail over: on PATH, or fetched for this checkout from the distribution's packages.
import { join } from 'node:path';
import { aptPrograms, fetchedProgram, fetchProgram } from '../../shared/tools/services/aptPackages.mjs';
import { withLock } from '../../shared/tools/services/lock.mjs';
import { toolsDir } from '../../shared/tools/services/paths.mjs';
import { runProcess } from '../../shared/tools/services/processes.mjs';
import { StartFailure } from '../../shared/tools/services/say.mjs';

/**
 * @typedef {object} SystemProgram
 * @property {string} command
 * @property {Record<string, string>} env what its environment needs beyond ours
 */

/** How each is called, and how it says its version, which shows that it runs here. */
const programs = {
  haproxy: { commands: ['haproxy', '/usr/sbin/haproxy'], versionFlag: '-v' },
  pgbouncer: { commands: ['pgbouncer', '/usr/sbin/pgbouncer'], versionFlag: '--version' },
  promtool: { commands: ['promtool'], versionFlag: '--version' },
  // By its whole path, which is what tests start it by.
  chromium: { commands: ['/usr/bin/chromium-headless-shell'], versionFlag: '--version' },
  buildah: { commands: ['buildah'], versionFlag: '--version' },
  mmdebstrap: { commands: ['mmdebstrap'], versionFlag: '--version' },
  etcd: { commands: ['etcd'], versionFlag: '--version' },
  patroni: { commands: ['patroni'], versionFlag: '--version' },
  postgresql15: { commands: ['/usr/lib/postgresql/15/bin/postgres'], versionFlag: '--version' },
};

/**
 * What serves where the program can be neither found nor fetched: the whole browser takes a fifth more of the processor than the
 * one without windows.
 * @type {{ [name in keyof typeof programs]?: SystemProgram[] }}
 */
const standIns = { chromium: [{ command: '/usr/bin/chromium', env: {} }] };

/** @type {Map<keyof typeof programs, Promise<SystemProgram>>} */
const found = new Map();

/**
 * Returns a program that runs here; looks for it once. Throws a StartFailure, which names the package, when there is none and none
 * can be fetched.
 * @param {keyof typeof programs} name
 * @returns {Promise<SystemProgram>}
 */
export function findProgram(name) {
  const finding = found.get(name) ?? find(name);
  found.set(name, finding);
  return finding;
}

/**
 * Returns the program as `findProgram`, fetching it when it is not installed.
 * @param {keyof typeof programs} name
 * @returns {Promise<SystemProgram>}
 */
async function find(name) {
  const present = await installed(name);
  if (present) return present;
  return withLock(join(toolsDir, `${name}.lock`), `waiting for another process that fetches ${name}`, async () => {
    const meanwhile = await installed(name);
    if (meanwhile) return meanwhile;
    const problem = await fetchProgram(aptPrograms[name]);
    const fetched = problem === undefined ? await installed(name) : undefined;
    const usable = fetched ?? (await firstThatRuns(name, standIns[name] ?? []));
    if (usable) return usable;
    const why = problem ?? 'the fetched program does not run here';
    throw new StartFailure(`There is no ${name} here (${why}). Install it: apt install ${aptPrograms[name].name}.`);
  });
}

/**
 * @param {keyof typeof programs} name
 * @returns {Promise<SystemProgram | undefined>}
 */
async function installed(name) {
  /** @type {SystemProgram[]} */
  const candidates = programs[name].commands.map((command) => ({ command, env: {} }));
  const fetched = fetchedProgram(aptPrograms[name]);
  // The system's libraries first, ours only when one is missing: mixed ones may not fit each other. A program in Python
  // says its version without the modules that it loads later.
  if (fetched?.modules !== undefined)
    candidates.push({
      command: fetched.program,
      env: { LD_LIBRARY_PATH: fetched.libraries, PYTHONPATH: fetched.modules },
    });
  else if (fetched)
    candidates.push(
      { command: fetched.program, env: {} },
      { command: fetched.program, env: { LD_LIBRARY_PATH: fetched.libraries } },
    );
  return firstThatRuns(name, candidates);
}

/**
 * Returns the first candidate that says its version.
 * @param {keyof typeof programs} name
 * @param {SystemProgram[]} candidates
 * @returns {Promise<SystemProgram | undefined>}
 */
async function firstThatRuns(name, candidates) {
  for (const candidate of candidates) {
    const { code } = await runProcess([candidate.command, programs[name].versionFlag], {
      env: { ...process.env, ...candidate.env },
    });
    if (code === 0) return candidate;
  }
  return undefined;
}
