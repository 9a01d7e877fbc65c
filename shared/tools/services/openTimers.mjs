// Remembers where timers of the program that runs were set, to name those that keep its process from ending. Used by reporter.mjs.

/** Timers that end sooner keep no process from ending for long; in ms. */
const leastMs = 1_000;
/** Lines of a stack below the call that set the timer. */
const stackLines = 6;

/** @type {Map<WeakRef<NodeJS.Timeout>, string>} */
const places = new Map();
/** @type {FinalizationRegistry<WeakRef<NodeJS.Timeout>>} */
const collected = new FinalizationRegistry((timer) => void places.delete(timer));

/** Replaces the functions that set timers by such as remember the place, for timers of a second or more and those that repeat. */
export function rememberTimers() {
  const { setTimeout: setOnce, setInterval: setRepeated } = globalThis;
  /** @param {NodeJS.Timeout} timer */
  const remember = (timer) => {
    const lines = String(new Error('A timer').stack)
      .split('\n')
      .slice(3, 3 + stackLines);
    const known = new WeakRef(timer);
    places.set(known, lines.map((line) => line.trim()).join(' '));
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
  return [...places].filter(([timer]) => isOpen(timer.deref())).map(([, place]) => place);
}

/** @param {NodeJS.Timeout | undefined} timer */
const isOpen = (timer) => timer !== undefined && timer.hasRef() && !('_destroyed' in timer && timer._destroyed);
