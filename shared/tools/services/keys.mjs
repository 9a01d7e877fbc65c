// Reads the terminal of `npm start`: `o` and Enter takes the sample app offline and back. Used by startCommand.mjs.
import { spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { switchSampleApp, wantedOf } from './sampleApp.mjs';
import { say, toText } from './say.mjs';

/** Returns whether the program runs in the foreground: in the background, reading the terminal would stop it. */
function isInForeground() {
  const asked = spawnSync('ps', ['-o', 'pgid=,tpgid=', '-p', String(process.pid)], { encoding: 'utf8' });
  const [own, foreground] = (asked.stdout ?? '').trim().split(/\s+/);
  return own !== undefined && own !== '' && own === foreground;
}

/**
 * @param {string} dir DATA_DIR
 * @returns {boolean} whether keys are read from this terminal
 */
export function listenToKeys(dir) {
  if (!process.stdin.isTTY || !isInForeground()) return false;
  /** @type {Promise<void>} */
  let turn = Promise.resolve();
  const lines = createInterface({ input: process.stdin, terminal: false });
  process.stdin.on('error', () => lines.close());
  lines.on('line', (line) => {
    if (line.trim().toLowerCase() !== 'o') return;
    turn = turn.then(() => toggle(dir));
  });
  return true;
}

async function toggle(/** @type {string} */ dir) {
  const wanted = wantedOf(dir) === 'offline' ? 'online' : 'offline';
  try {
    await switchSampleApp(dir, wanted);
    say(`sample app: ${wanted}`);
  } catch (error) {
    say(toText(error));
  }
}
