/** Runs what others' schemas make of a value for a limited time: a schema may be sound and still take for ever. */
import { createContext, Script } from 'node:vm';

interface Sandbox {
  work: (() => unknown) | undefined;
}

const sandbox: Sandbox = { work: undefined };
const context = createContext(sandbox);
const script = new Script('work()');

/** Work, in ms of this process's own time, after which it is given up; every request of the process waits for it. */
const cpuLimitMs = 100;
/** How long the first try may take by the clock; each further one twice as long. */
const firstTimeoutMs = 40;
/** The last one takes 0.6 s. */
const attemptsMax = 5;

const timesOutAfter = (ms: number, work: () => void): boolean => {
  sandbox.work = work;
  try {
    script.runInContext(context, { timeout: ms });
    return false;
  } catch (error) {
    // It is an Error of the other context, so `instanceof` does not know it.
    if ((error as NodeJS.ErrnoException | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return true;
    throw error;
  } finally {
    sandbox.work = undefined;
  }
};

/**
 * Whether `work` came to its end. It is stopped by the clock, and a machine that is busy with others may stop it at
 * hardly any work: so it is given up only when it has had its time, and may be begun anew. Costs some 0.05 ms.
 */
export const completesInTime = (work: () => void): boolean => {
  const from = process.cpuUsage();
  for (let i = 0; i < attemptsMax; i++) {
    if (!timesOutAfter(firstTimeoutMs * 2 ** i, work)) return true;
    const { user, system } = process.cpuUsage(from);
    if ((user + system) / 1000 >= cpuLimitMs) return false;
  }
  return false;
};
