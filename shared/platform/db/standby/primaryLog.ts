/**
 * The length of the primary's log by time, on this process's own clock: it tells how far behind a standby is without any
 * other clock, and without a statement at each change. Used by standby.ts and standbys.ts.
 */
import { historySql } from '../serverState.ts';
import { openProbe } from './probe.ts';

/** ms for which it is known: what is further behind is that far behind at least. */
const keepMs = 60_000;
/** Where a page of the log begins, the place after its header stands for that before it: no record ends between them. */
const [pageBytes, headerBytes] = [8_192, 24];

/** The end of what is being written, whether it was flushed or not: whatever was committed before stands before it. */
const lookSql = `
  select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as wal, ${historySql} as history`;

interface Sample {
  /** `performance.now()` before the primary was asked. */
  readonly at: number;
  /** The bytes that its log had at most then. */
  readonly wal: number;
}

export interface PrimaryLog {
  /** Remembers where the primary's log ends now. Throws when the primary does not answer within `ms`. */
  look(ms: number): Promise<void>;
  /** Returns the latest time up to which a standby that has replayed so many bytes has every commit; null: before all known. */
  heldAt(replayed: number): number | null;
  /** When the primary was asked last; null: it has never answered. */
  lastAt(): number | null;
  /** The system and the timeline in which the primary writes, as the publisher keeps them with the data; null: not known. */
  history(): string | null;
  close(): Promise<void>;
}

export const openPrimaryLog = (url: string, applicationName: string): PrimaryLog => {
  const probe = openProbe(url, applicationName);
  let history: string | null = null;
  let samples: Sample[] = [];

  return {
    look: async (ms) => {
      const at = performance.now();
      const [row] = await probe.ask<{ wal: number; history: string }>({ text: lookSql }, ms);
      if (row === undefined) throw new Error('A statement without conditions has no row.');
      const wal = row.wal % pageBytes === headerBytes ? row.wal - headerBytes : row.wal;
      // Places in the logs of two timelines can't be compared.
      if (row.history !== history) samples = [];
      ({ history } = row);
      samples = [...samples.filter((sample) => sample.at > at - keepMs), { at, wal }];
    },
    heldAt: (replayed) => samples.findLast(({ wal }) => wal <= replayed)?.at ?? null,
    lastAt: () => samples.at(-1)?.at ?? null,
    history: () => history,
    close: () => probe.close(),
  };
};
