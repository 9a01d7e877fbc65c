// Prints the launcher's lines and defines its error type; used by every command of this folder.

/** @type {NodeJS.WriteStream} */
let out = process.stdout;

/** Sends the lines to standard error, for commands whose standard output is a result (`admin --json`). */
export function sayToStderr() {
  out = process.stderr;
}

/**
 * Prints one line.
 * @param {string} line
 */
export function say(line) {
  out.write(`${line}\n`);
}

/** A failure whose cause a person can remove; launch.mjs prints its message without a stack. */
export class StartFailure extends Error {}

/**
 * @param {number} since from performance.now()
 * @returns {string} for example "1.4 s"
 */
export function took(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

/**
 * @param {number} ms
 * @param {AbortSignal} [signal] ends the wait early, so that no timer keeps the process alive
 * @returns {Promise<void>}
 */
export function pause(ms, signal) {
  return new Promise((done) => {
    const clock = setTimeout(done, ms);
    signal?.addEventListener('abort', () => (clearTimeout(clock), done()), { once: true });
  });
}

/**
 * Returns the text of an unknown thrown value.
 * @param {unknown} error
 * @returns {string}
 */
export function toText(error) {
  return error instanceof Error ? error.message : String(error);
}
