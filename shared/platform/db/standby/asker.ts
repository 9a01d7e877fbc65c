/**
 * Asks a standby before reads what it has. One statement is under way at a time; reads that come meanwhile share the next one,
 * which is asked after all of them have come. Used by standby.ts.
 */
import { resolveWithin } from '../../time/clock.ts';
import { systemSql } from '../serverState.ts';
import { statement } from '../sql.ts';
import { openProbe } from './probe.ts';

/** ms that a read waits for the answer; then the primary is asked. */
const waitMs = 250;

/** The row of the publisher's lease comes with the data, and has the system and the timeline that they are of. */
const placeSql = (ids: string): string => `
  select pg_is_in_recovery() as recovering, pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 as replayed,
    (select timeline from leases where name = 'publisher') as history, ${systemSql} as system,
    asked.id as env, e.epoch, coalesce(s.position, 0)::float8 as position
  from ${ids} as asked (id) left join environments e on e.id = asked.id left join streams s on s.env = asked.id`;
const askSql = statement('standby.places', placeSql('unnest($1::int[])'));

/** The statement for no environment; not prepared. */
export const lookSql = placeSql('(values (null::int))');

/** The state of a standby's data. */
export interface Place {
  readonly recovering: boolean;
  /** The bytes of the log that it has replayed. */
  readonly replayed: number | null;
  readonly history: string | null;
  readonly system: string;
  /** The environment that was asked for, and where its stream is. */
  readonly env: number;
  readonly epoch: number | null;
  readonly position: number;
}

interface Asker {
  /** Connects unless it is connected. */
  open(): Promise<void>;
  /** Returns what the standby has; null when it does not say so in time. */
  ask(env: number): Promise<Place | null>;
  close(): Promise<void>;
}

/** A statement without an answer after `mostMs` is given up with its connection. */
export const openAsker = (url: string, applicationName: string, mostMs: number): Asker => {
  const probe = openProbe(url, applicationName);
  let envs = new Set<number>();
  let next: Promise<readonly Place[]> | null = null;
  let running: Promise<unknown> | null = null;
  /** When the statement that is under way was sent. */
  let since = Number.POSITIVE_INFINITY;

  const askTogether = async (): Promise<readonly Place[]> => {
    await running;
    const values = [[...envs]];
    envs = new Set();
    next = null;
    since = performance.now();
    const asked = probe.ask<Place>({ name: askSql.name, text: askSql.text, values }, mostMs);
    running = asked.catch(() => undefined);
    try {
      return await asked;
    } finally {
      running = null;
      since = Number.POSITIVE_INFINITY;
    }
  };

  return {
    open: () => probe.open(mostMs),
    ask: async (env) => {
      // It hangs already.
      if (performance.now() - since > waitMs) return null;
      envs.add(env);
      next ??= askTogether();
      const places = await resolveWithin(waitMs, next, []).catch(() => []);
      return places.find((place) => place.env === env) ?? null;
    },
    close: () => probe.close(),
  };
};
