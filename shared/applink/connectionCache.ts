/**
 * Who is connected, as far as this process knows: read from PostgreSQL when it is asked for, at most once a second and
 * anew after a hint. Used by routing.ts.
 */
import type { Db } from '../platform/db/knex.ts';
import { readConnections, type PresenceRow } from './presence.ts';

/** A hint may be lost: so long is what was read believed. In ms. */
const cacheTtlMs = 1_000;

/** A connection, with what is known of how busy it is besides the calls of this process. */
export interface CachedConnection extends PresenceRow {
  readonly others: number;
}

interface CachedRead {
  readonly startedAt: number;
  readonly rows: Promise<readonly CachedConnection[]>;
  list: readonly CachedConnection[];
}

export class ConnectionCache {
  readonly #db: Db;
  /** Calls of this process to a connection without an answer so far. */
  readonly #own: (connection: string) => number;
  readonly #readings = new Map<number, CachedRead>();

  constructor(db: Db, own: (connection: string) => number) {
    this.#db = db;
    this.#own = own;
  }

  /** What is there now, from a reading that isn't older than a second; `since`: and that began at that time or later. */
  read(env: number, since = Number.NEGATIVE_INFINITY): Promise<readonly CachedConnection[]> {
    const now = performance.now();
    const last = this.#readings.get(env);
    if (last !== undefined && last.startedAt >= since && now - last.startedAt < cacheTtlMs) return last.rows;
    const before = last?.list ?? [];
    const reading: CachedRead = {
      startedAt: now,
      list: before,
      rows: readConnections(this.#db, env).then((rows) => rows.map((row) => this.#known(row, before))),
    };
    this.#readings.set(env, reading);
    reading.rows.then(
      (rows) => {
        reading.list = rows;
      },
      () => {
        if (this.#readings.get(env) === reading) this.#readings.delete(env);
      },
    );
    return reading.rows;
  }

  /** Something has changed there. */
  invalidate(env: number): void {
    this.#readings.delete(env);
  }

  /** `busy` is as old as `seenAt`: what it says of this process's own calls is taken out of it once, when it is new. */
  #known(row: PresenceRow, before: readonly CachedConnection[]): CachedConnection {
    const same = before.find(({ id, seenAt }) => id === row.id && seenAt === row.seenAt);
    return { ...row, others: same?.others ?? Math.max(0, row.busy - this.#own(row.id)) };
  }
}
