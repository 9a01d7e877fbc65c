/**
 * One standby that serves reads: its connections, whether it is up, and the statement that asks it, before each read, what it
 * has replayed. Opened by standbys.ts.
 */
import { createInterval, sleep } from '../../time/clock.ts';
import type { Span } from '../../tracing/span.ts';
import { createOpenSessions } from '../contact.ts';
import type { Db } from '../knex.ts';
import { openReadPool, type ReadPoolOptions } from '../readPool.ts';
import { lookSql, openAsker, type Place } from './asker.ts';
import type { PrimaryLog } from './primaryLog.ts';
import { openProbe } from './probe.ts';

/** ms after which a standby that lacks a published position is asked once more: longer than most replaying takes. */
const againMs = 5;
/** A standby that is away is logged at most once in so many ms. */
const logIntervalMs = 60_000;

/** The least that a standby has to have for a read. */
export interface NeededPlace {
  readonly env: number;
  readonly epoch: number;
  readonly position: number;
  /** Every commit up to this time, by `performance.now()`; null: none in particular. */
  readonly since: number | null;
}

export interface StandbyRead {
  readonly db: Db;
  /** Takes the standby out of use until it is looked at again, as the read has failed there. */
  failed(): void;
}

interface Standby {
  /** Host and port. */
  readonly name: string;
  /** Returns whether reads go to it. */
  up(): boolean;
  /** Returns the ms by which it was behind when it was asked last; null: not known. */
  lagMs(): number | null;
  /** Decides by a question whether it is up. Never rejects. */
  look(): Promise<void>;
  /** Returns its database for a read; `late` when it lacks what is needed, `away` when it is not up. */
  read(owner: string, needed: NeededPlace, span: Span | null): Promise<StandbyRead | 'late' | 'away'>;
  close(): Promise<void>;
}

interface StandbyOptions extends Omit<ReadPoolOptions, 'onConnect' | 'onFull'> {
  readonly primary: PrimaryLog;
  readonly mostLagMs: number;
  readonly onAway: (standby: string, reason: string, error?: unknown) => void;
  readonly onBack: (standby: string) => void;
}

/** Returns the host and the port of an address, which logs and metrics may show. */
const nameOf = (url: string): string => {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port === '' ? '5432' : port}`;
};

export const openStandby = (options: StandbyOptions): Standby => {
  const { primary, mostLagMs, onAway, onBack, ...pool } = options;
  const name = nameOf(pool.url);
  const probe = openProbe(pool.url, pool.applicationName);
  // Of all reads: they share it in turn, and no principal's reads keep others from asking.
  const asker = openAsker(pool.url, pool.applicationName, mostLagMs);
  const sessions = createOpenSessions();
  const reads = openReadPool({
    ...pool,
    onFull: () => undefined,
    onConnect: sessions.follow,
  });
  const isDue = createInterval(logIntervalMs);
  let up = false;
  let lag: number | null = null;
  let told = false;

  /** Returns why a standby in this place serves no reads, null when it does; keeps how far it is behind. */
  const problemOf = ({ recovering, replayed, history, system }: Place): string | null => {
    lag = null;
    const wanted = primary.history();
    if (!recovering || replayed === null) return 'it is no standby: promoted, or the wrong address';
    if (wanted === null) return 'the primary does not answer';
    if (!wanted.startsWith(`${system} `)) return 'its data are of another system than the primary’s';
    if (history !== wanted) return 'its data are of another timeline than the primary’s, or no worker publishes';
    const heldAt = primary.heldAt(replayed);
    if (heldAt === null) return 'it is far behind';
    lag = performance.now() - heldAt;
    return lag <= mostLagMs ? null : 'it is behind';
  };

  const leave = (reason: string, error?: unknown): void => {
    up = false;
    if (!isDue()) return;
    told = true;
    onAway(name, reason, error);
  };

  const enter = (): void => {
    if (!up && told) onBack(name);
    up = true;
    told = false;
  };

  const lacks = (place: Place, { epoch, position, since }: NeededPlace): boolean =>
    place.epoch !== epoch ||
    place.position < position ||
    (since !== null && (primary.heldAt(place.replayed ?? 0) ?? 0) < since);

  /** Returns why a read can't go to a standby in this place; null when it can. One with a problem is not up until it is looked at again. */
  const obstacleOf = (place: Place | null, needed: NeededPlace): 'away' | 'late' | null => {
    if (place === null) return 'away';
    if (problemOf(place) === null) return lacks(place, needed) ? 'late' : null;
    up = false;
    return 'away';
  };

  return {
    name,
    up: () => up,
    lagMs: () => lag,
    look: async () => {
      try {
        const [[place]] = await Promise.all([probe.ask<Place>({ text: lookSql }, mostLagMs), asker.open()]);
        const problem = place === undefined ? 'it answers nothing' : problemOf(place);
        if (problem === null) enter();
        else leave(problem);
      } catch (error) {
        lag = null;
        leave('it can’t be reached', error);
        // Reads that wait for it fail, and begin again at the primary.
        sessions.closeOlderThan(0);
      }
    },
    read: async (owner, needed, span) => {
      let obstacle = obstacleOf(await asker.ask(needed.env), needed);
      if (obstacle === 'late') {
        await sleep(againMs);
        obstacle = obstacleOf(await asker.ask(needed.env), needed);
      }
      if (obstacle !== null) return obstacle;
      return {
        db: reads.of(owner, span),
        failed: () => {
          up = false;
        },
      };
    },
    close: async () => {
      await Promise.all([probe.close(), asker.close()]);
      await reads.close();
    },
  };
};
