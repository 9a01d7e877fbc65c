/**
 * Which ids the events of a time have, so that reads leave out the months that can't have what they look for: PostgreSQL
 * opens every part of `events` that a statement's own values don't exclude.
 */
import type { Db } from '../db/knex.ts';
import { queryRow, queryRows, statement } from '../db/sql.ts';

/** What the directory keeps of the past. A state of long ago leaves out less, never more. */
export interface PastEvents {
  /** The time, in epoch ms, before which events may be in archives; null without archives. */
  readonly archivedBefore: number | null;
  /** When ids began to be those of a month, and the first of these; the oldest first. */
  readonly turns: readonly { readonly starts: number; readonly at: number }[];
}

/** The part of the dependencies that reads of the past need. */
export interface PastDeps {
  readonly db: Db;
  readonly directory: { past(): PastEvents };
}

const archivedSql = statement('past.archived', 'select max(last_at) + 1 as before from archives');
const turnsSql = statement('past.turns', 'select starts, at from event_turns order by starts');

export const readPastEvents = async (db: Db): Promise<PastEvents> => {
  const [archived, turns] = await Promise.all([
    queryRow<{ before: number | null }>(db, archivedSql),
    queryRows<{ starts: number; at: number }>(db, turnsSql),
  ]);
  return { archivedBefore: archived?.before ?? null, turns };
};

/** Returns the member that says which entries may be missing behind the last page of a list that began at `since`, in epoch ms. */
export const archivedMember = (
  { archivedBefore }: PastEvents,
  { next, since = 0 }: { readonly next: unknown; readonly since?: number | undefined },
): { readonly archivedBefore?: number } =>
  archivedBefore !== null && next === null && since < archivedBefore ? { archivedBefore } : {};

/** Clocks of processes differ by less, in ms. */
const slackMs = 3_600_000;

/** Returns an id that no event from a time on is below. */
export const firstEventId = ({ turns }: PastEvents, at: number): number =>
  turns.findLast((turn) => turn.at <= at - slackMs)?.starts ?? 0;

/** Returns an id that every event before a time is below. */
export const endEventId = ({ turns }: PastEvents, at: number): number =>
  turns.find((turn) => turn.at >= at + slackMs)?.starts ?? Number.MAX_SAFE_INTEGER;

/** Returns the first id of the month before this one, or of this one where that is the first. */
export const recentEventId = ({ turns }: PastEvents): number => (turns.at(-2) ?? turns.at(-1))?.starts ?? 0;
