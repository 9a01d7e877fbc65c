/**
 * Logs an outage of PostgreSQL, which every caller reports: one line at once, one a minute with a count, one for each reason that an
 * operator has to mend and that is new in this minute, one when it is over.
 * Used by shared/deps.ts for the log of API and workers.
 */
import type { Log, LogHook } from '../log/log.ts';
import { createInterval } from '../time/clock.ts';
import type { Contact } from './contact.ts';
import { describeDbRefusal, isDbOutage, isPoolFull, NoConnectionError } from './errors.ts';

/** pino's number of `warn`. */
const warnLevel = 40;
/** ms between two lines while the outage lasts. */
const logEveryMs = 60_000;
/** ms without a report after which it may be over: every process asks PostgreSQL twice a second, and waits at most 5 s for it. */
const quietMs = 10_000;
/** ms without a statement that succeeds after which a full pool is an outage: longer than until PostgreSQL is asked (contact.ts). */
const noAnswerMs = 4_000;

interface OutageLines {
  /** Writes a line; `count` is how many were reported since the last one. */
  readonly write: (error: unknown, count: number) => void;
  /** Writes that it is over. */
  readonly end: () => void;
}

/** Returns the function that takes each report. It is over once a statement has succeeded and none has failed since. */
const createOutageLines = ({ write, end }: OutageLines, contact: Contact): ((error: unknown) => void) => {
  let isDue: (() => boolean) | null = null;
  /** What PostgreSQL has refused since the line of the minute. */
  const refusals = new Set<string>();
  let count = 0;
  let reportedAt = 0;
  let over: NodeJS.Timeout | null = null;
  const finish = (): void => {
    if (contact.quietMs() > performance.now() - reportedAt) {
      over?.refresh();
      return;
    }
    over = null;
    isDue = null;
    count = 0;
    end();
  };
  return (error) => {
    count += 1;
    reportedAt = performance.now();
    isDue ??= createInterval(logEveryMs);
    const refusal = describeDbRefusal(error);
    const isTurn = isDue();
    if (isTurn) refusals.clear();
    if (isTurn || (refusal !== null && !refusals.has(refusal))) {
      if (refusal !== null) refusals.add(refusal);
      write(error, count);
      count = 0;
    }
    over ??= setTimeout(finish, quietMs).unref();
    over.refresh();
  };
};

/** Members of lines that are about PostgreSQL and rare anyhow: what a process waits for at its start, and standbys. */
const rareMembers = ['waitsFor', 'standby'];

/** Returns the error that a line is about. */
const errorOf = ([first]: readonly unknown[]): unknown => {
  if (typeof first !== 'object' || first === null || !('err' in first)) return undefined;
  return rareMembers.some((member) => member in first) ? undefined : first.err;
};

/** Returns why PostgreSQL is unavailable, in a few words. */
const describeOutage = (error: unknown): string => {
  const { code, message } = error instanceof Error ? { code: undefined, ...error, message: error.message } : {};
  // knex puts the statement before PostgreSQL's words.
  const words = message?.slice(message.lastIndexOf(' - ') + 1).replace(/^- /, '');
  return [words, code].filter((part) => typeof part === 'string' && part !== '').join(' ') || 'it does not answer';
};

/** A full pool is logged at most once in so many ms. */
const fullPoolLogMs = 60_000;

/**
 * Returns the hook that writes one line for all that report the same outage of PostgreSQL, or a full pool, at `warn` or above;
 * what each of them says is at `debug`. A pool that is full of statements which nobody answers is an outage.
 */
export const createOutageHook = (log: () => Log, contact: Contact): LogHook => {
  const isDue = createInterval(fullPoolLogMs);
  const lines = {
    write: (error: unknown, count: number) => {
      const refusal = describeDbRefusal(error);
      const told = refusal === null ? 'PostgreSQL is unavailable' : `PostgreSQL refuses us: ${refusal}`;
      log().warn({ reason: describeOutage(error), count }, told);
    },
    end: () => log().info('PostgreSQL is available again'),
  };
  const report = createOutageLines(lines, contact);
  return function (args, method, level) {
    const found = errorOf(args);
    const isUnanswered = isPoolFull(found) && contact.quietMs() >= noAnswerMs;
    const error = isUnanswered ? new NoConnectionError('PostgreSQL did not answer in time', { cause: found }) : found;
    const isFull = isPoolFull(error);
    if (level < warnLevel || !(isFull || isDbOutage(error))) {
      method.apply(this, args);
      return;
    }
    if (!isFull) report(error);
    else if (isDue()) log().warn('all connections for changes are in use');
    this.debug(...args);
  };
};
