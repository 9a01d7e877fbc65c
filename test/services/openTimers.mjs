// Remembers where timers of the program that runs were set, to name those that keep its process from ending. Used by reporter.mjs.

/**
 * Timers that end sooner keep no process from ending for long, unless they are set again and again; in ms. Each query sets one of
 * ten seconds, and to remember these as well takes three percent of the time of the tests.
 */
const longMs = 30_000;
/** Calls of a stack: those of this file, and those that tell who set the timer. */
const [stackSkipped, stackLines] = [2, 6];

/** @type {Set<WeakRef<NodeJS.Timeout>>} */
const timers = new Set();
/**
 * Errors made where each timer was set. Their stacks are read for the report alone, as reading takes long.
 * @type {WeakMap<NodeJS.Timeout, Error>}
 */
const places = new WeakMap();
/** @type {FinalizationRegistry<WeakRef<NodeJS.Timeout>>} */
const collected = new FinalizationRegistry((timer) => void timers.delete(timer));

let leastMs = longMs;

/** Remembers short timers too from now on. After the last test, a loop that sets short timers keeps the process alive. */
export function rememberShortTimers() {
  leastMs = 0;
}

/** Replaces the functions that set timers by such as remember the place, for long timers and those that repeat. */
export function rememberTimers() {
  const { setTimeout: setOnce, setInterval: setRepeated } = globalThis;
  /** @param {NodeJS.Timeout} timer */
  const remember = (timer) => {
    const known = new WeakRef(timer);
    timers.add(known);
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = stackSkipped + stackLines;
    places.set(timer, new Error('A timer'));
    Error.stackTraceLimit = stackTraceLimit;
    collected.register(timer, known);
    return timer;
  };
  const once = (/** @type {Parameters<typeof setOnce>} */ ...args) => {
    const timer = setOnce(...args);
    return Number(args[1]) >= leastMs ? remember(timer) : timer;
  };
  const repeated = (/** @type {Parameters<typeof setRepeated>} */ ...args) => remember(setRepeated(...args));
  globalThis.setTimeout = Object.assign(once, setOnce);
  globalThis.setInterval = Object.assign(repeated, setRepeated);
}

/** Returns where the timers were set that keep the process from ending now. */
export function openTimerPlaces() {
  return [...timers]
    .map((timer) => timer.deref())
    .filter(isOpen)
    .map((timer) => {
      const lines = String(places.get(timer)?.stack).split('\n');
      return lines
        .slice(1 + stackSkipped)
        .map((line) => line.trim())
        .join(' ');
    });
}

/**
 * @param {NodeJS.Timeout | undefined} timer
 * @returns {timer is NodeJS.Timeout}
 */
const isOpen = (timer) => timer !== undefined && timer.hasRef() && !('_destroyed' in timer && timer._destroyed);
