/**
 * The standbys of an API process: which of them a read may go to, so that its caller sees what they have changed or were told
 * of. Opened by shared/deps.ts. api/middleware/call.ts asks them. Why: docs/decisions/0031-standbys-serve-reads.md.
 */
import type { StandbyConfig } from '../../config/config.ts';
import type { Span } from '../../tracing/span.ts';
import type { DbOptions } from '../knex.ts';
import { openPrimaryLog } from './primaryLog.ts';
import { openStandby, type NeededPlace, type StandbyRead } from './standby.ts';

/**
 * The principals that have changed something lately, and when: their reads need a standby that is further than that.
 */
interface Writers {
  /** Notes that `owner` has changed something just now. */
  note(owner: string): void;
  /** Returns when `owner` changed something last; null: not within the time that is kept. */
  lastOf(owner: string): number | null;
}

/** Returns none yet. After `keepMs` a change is forgotten: every standby that serves reads has it by then. */
const createWriters = (keepMs: number, now = (): number => performance.now()): Writers => {
  /** In the order of the times. */
  const times = new Map<string, number>();
  const forget = (): void => {
    const oldest = now() - keepMs;
    for (const [owner, at] of times) {
      if (at >= oldest) return;
      times.delete(owner);
    }
  };
  return {
    note: (owner) => {
      forget();
      times.delete(owner);
      times.set(owner, now());
    },
    lastOf: (owner) => {
      forget();
      return times.get(owner) ?? null;
    },
  };
};

/** The standbys are asked this many times within the ms by which they may be behind, and at least at this interval. */
const [looksPerLag, lookMostMs] = [10, 250];

/** Outcomes of reads that a standby may serve. */
export const standbyOutcomes = ['served', 'own', 'late', 'away', 'failed'] as const;
type StandbyOutcome = (typeof standbyOutcomes)[number];

interface WantedRead extends Omit<NeededPlace, 'since'> {
  /** The principal whose share of the connections it takes, and whose changes it has to see. */
  readonly owner: string;
  /** True when the caller says that they have changed something, where they can't say by which position it is published. */
  readonly afterChange: boolean;
  readonly span: Span | null;
}

export interface Standbys {
  /** Returns the standby for a read; null: the primary has to serve it. */
  find(read: WantedRead): Promise<StandbyRead | null>;
  /** Notes that `owner` has changed something by this process. */
  changed(owner: string): void;
  /** Returns whether `owner` has changed something by this process that standbys may lack. */
  mayLackChangeOf(owner: string): boolean;
  /** Returns each standby by name, whether it is up, and the ms by which it is behind. */
  states(): readonly { readonly name: string; readonly up: boolean; readonly lagMs: number | null }[];
  /** Returns how many reads had an outcome so far. */
  count(outcome: StandbyOutcome): number;
  close(): Promise<void>;
}

interface StandbysOptions extends StandbyConfig, Omit<DbOptions, 'url' | 'settings'> {
  readonly primaryUrl: string;
  readonly onAway: (standby: string, reason: string, error?: unknown) => void;
  readonly onBack: (standby: string) => void;
}

export const openStandbys = ({ urls, lagMs, primaryUrl, ...pool }: StandbysOptions): Standbys => {
  const primary = openPrimaryLog(primaryUrl, pool.applicationName);
  const standbys = urls.map((url) => openStandby({ ...pool, url, primary, mostLagMs: lagMs }));
  const changed = createWriters(lagMs);
  const told = createWriters(lagMs);
  const counts = new Map<StandbyOutcome, number>();
  let turn = 0;
  let looking = false;

  const add = (outcome: StandbyOutcome): void => {
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  };

  const look = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    // A primary that does not answer makes every standby older.
    const asked = primary.look(lagMs).catch(() => undefined);
    await Promise.all([asked, ...standbys.map((standby) => standby.look())]);
    looking = false;
  };
  const timer = setInterval(() => void look(), Math.min(lookMostMs, lagMs / looksPerLag));
  void look();

  /** Returns the next one of those that are up. */
  const next = (): (typeof standbys)[number] | undefined => {
    const up = standbys.filter((standby) => standby.up());
    turn += 1;
    return up[turn % up.length];
  };

  return {
    find: async ({ owner, afterChange, span, ...place }) => {
      if (afterChange) told.note(owner);
      const since = Math.max(changed.lastOf(owner) ?? 0, told.lastOf(owner) ?? 0);
      // Nothing tells yet how far the primary's log was when they had changed it.
      if (since > 0 && since > (primary.lastAt() ?? 0)) {
        add('own');
        return null;
      }
      const found = await next()?.read(owner, { ...place, since: since === 0 ? null : since }, span);
      if (found === undefined || found === 'late' || found === 'away') {
        add(found ?? 'away');
        return null;
      }
      add('served');
      return {
        ...found,
        failed: () => {
          add('failed');
          found.failed();
        },
      };
    },
    changed: (owner) => {
      changed.note(owner);
    },
    mayLackChangeOf: (owner) => changed.lastOf(owner) !== null,
    states: () => standbys.map(({ name, up, lagMs: lag }) => ({ name, up: up(), lagMs: lag() })),
    count: (outcome) => counts.get(outcome) ?? 0,
    close: async () => {
      clearInterval(timer);
      await Promise.all([primary.close(), ...standbys.map((standby) => standby.close())]);
    },
  };
};
