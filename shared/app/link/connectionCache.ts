/**
 * Cache of the connections of apps by environment: read from PostgreSQL on demand, at most once in `cacheTtlMs` and after each
 * presence hint. Used by routing.ts.
 */
import type { Db } from '../../platform/db/knex.ts';
import { readConnections, type PresenceRow } from './presence.ts';

/** How long a reading is valid, in ms, as a hint may be lost. */
const cacheTtlMs = 1_000;

/** A connection, with the number of pending calls of other processes, as far as known. */
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
  /** Returns how many calls of this process to a connection are pending. */
  readonly #own: (connection: string) => number;
  readonly #readings = new Map<number, CachedRead>();

  constructor(db: Db, own: (connection: string) => number) {
    this.#db = db;
    this.#own = own;
  }

  /** Resolves with the connections by a reading younger than `cacheTtlMs` that began at `since` (`performance.now()`) or later. */
  read(envId: number, since = Number.NEGATIVE_INFINITY): Promise<readonly CachedConnection[]> {
    const now = performance.now();
    const last = this.#readings.get(envId);
    if (last !== undefined && last.startedAt >= since && now - last.startedAt < cacheTtlMs) return last.rows;
    const before = last?.list ?? [];
    const reading: CachedRead = {
      startedAt: now,
      list: before,
      rows: readConnections(this.#db, envId).then((rows) => rows.map((row) => this.#known(row, before))),
    };
    this.#readings.set(envId, reading);
    reading.rows.then(
      (rows) => {
        reading.list = rows;
      },
      () => {
        if (this.#readings.get(envId) === reading) this.#readings.delete(envId);
      },
    );
    return reading.rows;
  }

  /** Drops the reading of an environment, as its connections have changed. */
  invalidate(envId: number): void {
    this.#readings.delete(envId);
  }

  /** Returns the row with `others`: `busy` is as old as `seenAt`, so this process's own calls are subtracted once, when it is new. */
  #known(row: PresenceRow, before: readonly CachedConnection[]): CachedConnection {
    const same = before.find(({ id, seenAt }) => id === row.id && seenAt === row.seenAt);
    return { ...row, others: same?.others ?? Math.max(0, row.busy - this.#own(row.id)) };
  }
}
