/** The findings of `npm run doctor`, and helpers that several checks share. */
import { loopback } from '../../platform/core/configValues.ts';

/** `warn`: it works, or can't be known, and should be changed or looked at; `fail`: it does not work, or data may be lost or read. */
type Status = 'ok' | 'warn' | 'fail';

export interface Finding {
  /** Name of the check, such as `postgres.version`. */
  readonly check: string;
  readonly status: Status;
  /** The value found and, unless it is right, the remedy; one line. */
  readonly text: string;
}

type Find = (check: string, text: string) => Finding;

const finder =
  (status: Status): Find =>
  (check, text) => ({ check, status, text: text.replaceAll(/\s+/g, ' ') });

export const ok = finder('ok');
export const warn = finder('warn');
export const fail = finder('fail');

/** Returns the findings of a check; one that throws is a failure with the error's message. */
export const attempt = async (check: string, run: () => Promise<Finding | readonly Finding[]>): Promise<Finding[]> => {
  try {
    const found = await run();
    return 'check' in found ? [found] : [...found];
  } catch (error) {
    return [fail(check, `could not be checked: ${error instanceof Error ? error.message : String(error)}`)];
  }
};

/** Returns whether a host of an address is this machine itself. */
export const isLoopback = (host: string): boolean => {
  const bare = host.replace(/^\[|\]$/g, '');
  try {
    return bare === 'localhost' || loopback(bare, 0);
  } catch {
    // A name.
    return false;
  }
};

/**
 * Returns whether a host of an address is a name without a dot, mostly that of a container beside this one. Whether what is sent
 * to it leaves the machine can't be known from here.
 */
export const isNeighbour = (host: string): boolean => /^[a-z][\w-]*$/i.test(host);

/** ms by which clocks may differ. */
const skewMaxMs = 1_000;

/** Compares the clock of a server with this machine's. `readTime` returns epoch ms; half of the time that it takes is its error. */
export const checkClock = async (check: string, readTime: () => Promise<number>): Promise<Finding> => {
  const askedAt = Date.now();
  const time = await readTime();
  const answeredAt = Date.now();
  const skew = time - (askedAt + answeredAt) / 2;
  const surely = Math.max(0, Math.abs(skew) - (answeredAt - askedAt) / 2);
  if (surely <= skewMaxMs) return ok(check, 'the clocks agree within a second');
  const seconds = (Math.abs(skew) / 1_000).toFixed(1);
  return warn(
    check,
    `its clock is ${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} this machine’s: set both by NTP, as jobs are due and sessions and approvals end by the clock of each machine`,
  );
};
