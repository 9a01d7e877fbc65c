// Child processes that end with this one: started in a group of their own, so that only we signal them, and stopped by
// the kernel (Linux) or by our exit handler (elsewhere) once we have ended. Used by every file that starts a program.
import { spawn, spawnSync } from 'node:child_process';
import { pause } from './say.mjs';

/**
 * @typedef {object} Child
 * @property {string} name
 * @property {number} pid
 * @property {Promise<{ code: number | null, signal: NodeJS.Signals | null }>} exited never rejects
 * @property {() => boolean} alive
 * @property {(signal: NodeJS.Signals) => void} signal
 * @property {(options?: { signal?: NodeJS.Signals, graceMs?: number, group?: boolean }) => Promise<void>}stop sends a signal, waits, then kills
 */

/** @type {Map<number, { child: import('node:child_process').ChildProcess, signal: NodeJS.Signals }>} */
const living = new Map();
process.on('exit', () => {
  for (const { child, signal } of living.values()) child.kill(signal);
});

/** @type {boolean | undefined} */
let hasSetpriv;

/**
 * Returns the command behind `setpriv --pdeathsig`, where that exists: a SIGKILL to us then still stops the child.
 * @param {string[]} command
 * @param {NodeJS.Signals} signal
 * @returns {string[]}
 */
export function dieWithParent(command, signal) {
  hasSetpriv ??= process.platform === 'linux' && spawnSync('setpriv', ['--pdeathsig', 'TERM', 'true']).status === 0;
  return hasSetpriv ? ['setpriv', '--pdeathsig', signal.slice(3), ...command] : command;
}

/**
 * Starts a long-lived child.
 * @param {object} options
 * @param {string} options.name for messages
 * @param {string[]} options.command
 * @param {NodeJS.ProcessEnv} [options.env] the whole environment; ours when absent
 * @param {string} [options.cwd]
 * @param {number | 'inherit'} [options.output] a file descriptor for both outputs, or ours
 * @param {boolean} [options.foreground] shares our terminal's input and gets its Ctrl-C itself; false when absent
 * @param {NodeJS.Signals} [options.deathSignal] sent to it once we have ended; SIGTERM when absent
 * @param {{ uid: number, gid: number } | undefined} [options.user]
 * @returns {Promise<Child>} once the system has started it
 */
export function start({
  name,
  command,
  env,
  cwd,
  output = 'inherit',
  foreground = false,
  deathSignal = 'SIGTERM',
  user,
}) {
  const [file = '', ...args] = command;
  const stdio = /** @type {const} */ ([foreground ? 'inherit' : 'ignore', output, output]);
  const child = spawn(file, args, { env: env ?? process.env, cwd, stdio: [...stdio], detached: !foreground, ...user });
  /** @type {Child['exited']} */
  const exited = new Promise((done) => {
    child.once('exit', (code, signal) => {
      living.delete(child.pid ?? 0);
      done({ code, signal });
    });
    child.once('error', () => done({ code: 127, signal: null }));
  });
  return new Promise((done, fail) => {
    child.once('error', (error) => fail(new Error(`${name} could not be started: ${error.message}`)));
    child.once('spawn', () => {
      living.set(child.pid ?? 0, { child, signal: deathSignal });
      done(handle(name, child, exited));
    });
  });
}

/**
 * Runs a short-lived command and collects what it writes.
 * @param {string[]} command
 * @param {object} [options]
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {string} [options.cwd]
 * @param {{ uid: number, gid: number } | undefined} [options.user]
 * @param {number} [options.timeoutMs]
 * @returns {Promise<{ code: number, output: string, stdout: string }>} code 127 when the command does not exist
 */
export function runProcess(command, { env, cwd, user, timeoutMs } = {}) {
  const [file = '', ...args] = command;
  return new Promise((done) => {
    const child = spawn(file, args, { env: env ?? process.env, cwd, stdio: ['ignore', 'pipe', 'pipe'], ...user });
    const clock = timeoutMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    let output = '';
    let stdout = '';
    const end = (/** @type {number} */ code) => {
      clearTimeout(clock);
      living.delete(child.pid ?? 0);
      done({ code, output: output.trim(), stdout: stdout.trim() });
    };
    if (child.pid) living.set(child.pid, { child, signal: 'SIGTERM' });
    child.stdout.setEncoding('utf8').on('data', (piece) => void ((output += piece), (stdout += piece)));
    child.stderr.setEncoding('utf8').on('data', (piece) => void (output += piece));
    child.once('error', (error) => ((output += error.message), end(127)));
    child.once('close', (code) => end(code ?? 1));
  });
}

/**
 * @param {string} name
 * @param {import('node:child_process').ChildProcess} child
 * @param {Child['exited']} exited
 * @returns {Child}
 */
function handle(name, child, exited) {
  const pid = child.pid ?? 0;
  const alive = () => child.exitCode === null && child.signalCode === null;
  return {
    name,
    pid,
    exited,
    alive,
    signal: (signal) => void child.kill(signal),
    stop: async ({ signal = 'SIGTERM', graceMs = 10_000, group = false } = {}) => {
      if (alive()) child.kill(signal);
      const clock = new AbortController();
      await Promise.race([exited, pause(graceMs, clock.signal)]);
      clock.abort();
      if (alive()) child.kill('SIGKILL');
      if (group) killGroup(pid);
      await exited;
    },
  };
}

/** Kills what the child started and did not end; the group has the child's number, as it was started detached. */
function killGroup(/** @type {number} */ pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // No process is left in the group.
  }
}
