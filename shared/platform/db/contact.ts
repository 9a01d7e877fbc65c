/**
 * Whether PostgreSQL answers a process: when a statement of any pool last succeeded, and, when that is long ago, a statement on
 * the connection of the probes. Without an answer for long, the connections are closed, and what waits on them fails as
 * unavailable. Opened by shared/deps.ts; the log of outages (outageLog.ts) goes by it.
 */
import type { Socket } from 'node:net';
import type { Log } from '../log/log.ts';
import { resolveWithin } from '../time/clock.ts';
import { isDbOutage, NoConnectionError } from './errors.ts';
import type { Db, Session } from './knex.ts';
import { queryRow, statement } from './sql.ts';

interface OpenSessions {
  /** Follows a new connection until it is closed. */
  readonly follow: (session: Session) => void;
  /** Closes the connections that have been open for at least so many ms; statements that wait on them fail as unavailable. */
  readonly closeOlderThan: (ms: number) => void;
}

export const createOpenSessions = (): OpenSessions => {
  const openedAt = new Map<Socket, number>();
  return {
    follow: ({ connection: { stream } }) => {
      openedAt.set(stream, performance.now());
      stream.once('close', () => openedAt.delete(stream));
    },
    closeOlderThan: (ms) => {
      for (const [stream, at] of openedAt) if (performance.now() - at >= ms) stream.destroy();
    },
  };
};

/** ms without an answer after which PostgreSQL is asked: a process asks it twice a second anyhow, unless its pool is full. */
const askAfterMs = 2_500;
/** ms between two looks at whether to ask. */
const lookEveryMs = 500;
/** ms that the answer may take, as for `/ready`. */
const answerMs = 1_500;

/**
 * ms without an answer after which a connection is closed. The limits of PostgreSQL's own (sessionSettings.ts) do not run while it
 * is frozen, and a network that drops everything is told by TCP after a quarter of an hour.
 */
const closeAfterMs = 10_000;

/** The open connections, each of whose statements that succeed is an answer. */
export interface Contact extends OpenSessions {
  /** Returns the ms since a statement succeeded. */
  readonly quietMs: () => number;
}

export interface ContactWatch {
  readonly close: () => void;
}

/** Returns the contact of a process that begins now. */
export const createContact = (): Contact => {
  const { follow, closeOlderThan } = createOpenSessions();
  let notedAt = performance.now();
  const note = (): void => {
    notedAt = performance.now();
  };
  return {
    follow: (session) => {
      session.connection.on('commandComplete', note);
      follow(session);
    },
    closeOlderThan,
    quietMs: () => performance.now() - notedAt,
  };
};

const askSql = statement('contact.ask', 'select 1 as answer');

/** Returns an error by which the log knows an outage, whatever kept PostgreSQL from answering. */
const toOutage = (error: unknown): Error => {
  if (error instanceof Error && isDbOutage(error)) return error;
  return new NoConnectionError(error instanceof Error ? error.message : 'PostgreSQL did not answer', { cause: error });
};

/**
 * Queries PostgreSQL on the pool `probes` when no statement has succeeded for `askAfterMs`, and logs an outage when there is no
 * answer: a statement that waits for a frozen server reports nothing by itself. After `closeAfterMs` it is failed.
 */
export const watchContact = (contact: Contact, probes: Db, log: Log): ContactWatch => {
  const late = new NoConnectionError('PostgreSQL did not answer in time');
  let asked: Promise<unknown> | null = null;
  let looking = false;
  let ended = false;
  /** Returns null, or why there is no answer; a question without an answer is not asked again. */
  const ask = (): Promise<unknown> =>
    (asked ??= queryRow(probes, askSql)
      .then(
        () => null,
        (error: unknown) => error,
      )
      .finally(() => {
        asked = null;
      }));
  const look = async (): Promise<void> => {
    const error = await resolveWithin(answerMs, ask(), late);
    if (error === null || ended) return;
    log.warn({ err: toOutage(error) }, 'PostgreSQL did not answer');
    if (contact.quietMs() >= closeAfterMs) contact.closeOlderThan(closeAfterMs);
  };
  const timer = setInterval(() => {
    if (looking || contact.quietMs() < askAfterMs) return;
    looking = true;
    void look().finally(() => {
      looking = false;
    });
  }, lookEveryMs).unref();
  return {
    close: () => {
      ended = true;
      clearInterval(timer);
    },
  };
};
