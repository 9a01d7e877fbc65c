// Takes the sample app of a running `npm start` offline and back, by a file with the wanted state and a signal that it changed.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pause, StartFailure } from './say.mjs';
import { readState } from './state.mjs';

/** The name of its unit. */
export const unitName = 'sample app';

const waitMs = 20_000;
const folder = (/** @type {string} */ dir) => join(dir, 'sample-app');

/** @param {string} dir DATA_DIR */
export function wantedOf(dir) {
  try {
    return readFileSync(join(folder(dir), 'wanted'), 'utf8').trim() === 'offline' ? 'offline' : 'online';
  } catch {
    return 'online';
  }
}

/**
 * Deletes the wanted state of an earlier start, so that the app is online.
 * @param {string} dir DATA_DIR
 */
export function wantOnline(dir) {
  rmSync(join(folder(dir), 'wanted'), { force: true });
}

/**
 * @param {string} dir DATA_DIR
 * @returns {{ pid: number, is: string } | undefined}
 */
function status(dir) {
  try {
    const text = readFileSync(join(folder(dir), 'status.json'), 'utf8');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON that the sample app wrote itself
    return /** @type {{ pid: number, is: string }} */ (JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * Switches the app and resolves once it is in the wanted state. Each try looks up its pid, as the app may be restarted.
 * @param {string} dir DATA_DIR
 * @param {'offline' | 'online'} wanted
 * @returns {Promise<void>}
 */
export async function switchSampleApp(dir, wanted) {
  mkdirSync(folder(dir), { recursive: true });
  writeFileSync(join(folder(dir), 'wanted'), `${wanted}\n`);
  let told = 0;
  for (const until = Date.now() + waitMs; Date.now() < until; await pause(100)) {
    const pid = readState(dir)?.pids[unitName];
    if (pid === undefined) throw new StartFailure('The sample app does not run here. Start it with npm start.');
    if (wantedOf(dir) !== wanted)
      throw new StartFailure(`Somebody else wanted otherwise meanwhile: the sample app is not ${wanted}.`);
    const now = status(dir);
    // Before the app has written its status, a signal would end it; it reads the file when it starts.
    if (now?.pid !== pid) continue;
    if (told === pid && now.is === wanted) return;
    if (told === pid) continue;
    try {
      process.kill(pid, 'SIGUSR2');
      told = pid;
    } catch {
      // The app has just ended; the next try finds the new one.
    }
  }
  throw new StartFailure(
    `The sample app is not ${wanted} after ${waitMs / 1000} s; its log is in the folder logs of the data.`,
  );
}
