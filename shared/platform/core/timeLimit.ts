/** Bounds the time of a synchronous function, for the checks by customers' schemas in appSchemas.ts: a valid schema may take for ever. */
import { createContext, Script } from 'node:vm';
import { isObject } from './jsonLimits.ts';

interface Sandbox {
  work: (() => unknown) | undefined;
}

const sandbox: Sandbox = { work: undefined };
const context = createContext(sandbox);
const script = new Script('work()');

/** CPU time in ms after which the function is stopped for good; every request of the process waits for it. */
const cpuLimitMs = 100;
/** Wall-clock time of the first try in ms; each further try has twice as much. */
const firstTimeoutMs = 40;
/** The last try has 0.64 s. */
const attemptsMax = 5;

const timesOutAfter = (ms: number, work: () => void): boolean => {
  sandbox.work = work;
  try {
    script.runInContext(context, { timeout: ms });
    return false;
  } catch (error) {
    // The error may come from the other context, whose `Error` differs, so `instanceof` is of no use.
    if (isObject(error) && error['code'] === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return true;
    throw error;
  } finally {
    sandbox.work = undefined;
  }
};

/**
 * Runs `work` and returns whether it completed. The time limit is wall-clock time, within which a busy machine may give the
 * process hardly any CPU time: so `work` is restarted until it has had `cpuLimitMs`. Costs about 0.05 ms. Throws what `work`
 * throws.
 */
export const completesInTime = (work: () => void): boolean => {
  const from = process.cpuUsage();
  for (let i = 0; i < attemptsMax; i++) {
    if (!timesOutAfter(firstTimeoutMs * 2 ** i, work)) return true;
    const { user, system } = process.cpuUsage(from);
    // The processor time is that of all threads: a collection of garbage may take it, hardly ever that of two tries.
    if (i > 0 && (user + system) / 1000 >= cpuLimitMs) return false;
  }
  return false;
};
