// Undoes what a command started, in reverse order and only once, after any number of signals; used by every command.
import { say, toText } from './say.mjs';

/** Thrown when something is started while everything is being stopped. */
export class Stopped extends Error {}

/** @type {(() => unknown)[]} */
const undo = [];
/** @type {Promise<void> | undefined} */
let stopping;
/** @type {number | undefined} */
let signalCode;

/** @returns {number | undefined} the exit code of the signal that stopped the command, if one did */
export function stoppedBySignal() {
  return signalCode;
}

/** @returns {boolean} */
export function isStopping() {
  return stopping !== undefined;
}

/**
 * Registers how to undo something that was just started. While everything is being stopped it is undone at once.
 * @param {() => unknown} stop
 * @returns {Promise<void>}
 */
export async function onStop(stop) {
  if (!stopping) {
    undo.push(stop);
    return;
  }
  await stop();
  throw new Stopped('stopping');
}

/**
 * Undoes everything; the second call waits for the first.
 * @returns {Promise<void>}
 */
export function stopAll() {
  stopping ??= (async () => {
    for (let stop = undo.pop(); stop; stop = undo.pop()) {
      try {
        await stop();
      } catch (error) {
        say(`while stopping: ${toText(error)}`);
      }
    }
  })();
  return stopping;
}

/** Time in ms between two looks at whether npm still runs. */
const parentMs = 500;

/**
 * Stops and exits on the usual signals. Ctrl-C reaches the whole process group and is then passed on by npm once more,
 * so the handlers stay registered and the second signal only waits. A signal that ends npm alone is not passed on by the shell
 * in which npm runs its scripts, so the end of that shell counts as SIGTERM.
 * @param {(signal: NodeJS.Signals) => number} exitCode
 */
export function stopOnSignals(exitCode) {
  const stop = (/** @type {NodeJS.Signals} */ signal) => {
    if (signalCode === undefined) say('stopping…');
    signalCode ??= exitCode(signal);
    void stopAll().then(() => process.exit(signalCode));
  };
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, stop);
  if (process.env.npm_lifecycle_event === undefined) return;
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    stop('SIGTERM');
  }, parentMs).unref();
}
