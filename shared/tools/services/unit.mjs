// Units, the parts of the running service (PostgreSQL, Redis, API, workers): start, and restart when one ends by itself.
import { closeSync, openSync } from 'node:fs';
import { program } from './compile.mjs';
import { root } from './paths.mjs';
import { dieWithParent, start } from './processes.mjs';
import { pause, say, toText } from './say.mjs';
import { isStopping, onStop } from './stopping.mjs';

/**
 * @typedef {object} Unit
 * @property {number} pid changes with a restart
 * @property {() => Promise<void>} stop
 * @property {() => Promise<void>} restart
 * @property {() => Promise<{ code: number | null, signal: NodeJS.Signals | null }>} exited of the present process
 */

/**
 * Starts a program of ours with its output in a log file; stopping.mjs stops it.
 * @param {object} options
 * @param {string} options.name
 * @param {string} options.file
 * @param {NodeJS.ProcessEnv} options.env
 * @param {string} options.log
 * @returns {Promise<Unit>}
 */
export async function startUnit({ name, file, env, log }) {
  const launch = async (/** @type {string} */ flags) => {
    const command = await program(file);
    const output = openSync(log, flags);
    try {
      return await start({ name, command: dieWithParent(command, 'SIGTERM'), cwd: root, env, output });
    } finally {
      closeSync(output);
    }
  };
  // The log is emptied at each `npm start`, so that it does not grow without end.
  let child = await launch('w');
  // The unit drains for DRAIN_MS; killing it earlier would lose unfinished work.
  const graceMs = (Number(env.DRAIN_MS) || 8_000) + 4_000;
  const stop = () => child.stop({ graceMs, group: true });
  await onStop(stop);
  return {
    get pid() {
      return child.pid;
    },
    stop,
    restart: async () => {
      await stop();
      child = await launch('a');
    },
    exited: () => child.exited,
  };
}

/**
 * Starts the unit again whenever it ends by itself, with a growing wait. Runs until everything is stopped.
 * @param {string} name
 * @param {Unit} unit
 * @param {() => void} changed called when its pid is another one
 * @returns {Promise<void>}
 */
export async function keepRunning(name, unit, changed) {
  for (let quick = 0; ;) {
    const since = Date.now();
    const { code, signal } = await unit.exited();
    if (isStopping()) return;
    // After ten seconds a unit counts as working, and the wait starts again from the shortest.
    quick = Date.now() - since > 10_000 ? 0 : quick + 1;
    const waitMs = Math.min(100 * 2 ** quick, 10_000);
    say(`${name} ended (${signal ?? `exit code ${code}`}); starting it again in ${waitMs / 1000} s`);
    await pause(waitMs);
    if (isStopping()) return;
    try {
      await unit.restart();
      if (isStopping()) return await unit.stop();
      say(`${name}: pid ${unit.pid}`);
      changed();
    } catch (error) {
      say(`${name}: ${toText(error)}`);
    }
  }
}
