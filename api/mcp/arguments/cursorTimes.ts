/**
 * The time from which the durations of a list count. A cursor belongs to its query, and "7d" is another time in each call, so the
 * cursor of a tool carries the time of the first page. Used by result.ts.
 */
import { toObject } from './coerce.ts';
import { parseTime } from './times.ts';

type Members = Readonly<Record<string, unknown>>;

/** A cursor of the endpoint, and the time in ms since 1970, base 36. */
const form = /^(.+)~([0-9a-z]{1,9})$/s;

interface CursorTime {
  /** The arguments with the cursor as the endpoint gave it. */
  readonly given: Members;
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
}

/** Returns the arguments of a call and the time from which its durations count: that of the first page, by default `now`. */
export const readCursorTime = (given: Members, now: number): CursorTime => {
  const [, cursor, time = ''] = (typeof given['cursor'] === 'string' ? form.exec(given['cursor']) : null) ?? [];
  return cursor === undefined ? { given, now } : { given: { ...given, cursor }, now: Number.parseInt(time, 36) };
};

/** Returns whether a value has a text that names another time in each call. */
const isRelative = (given: unknown): boolean => {
  const value = toObject(given);
  if (typeof value === 'object' && value !== null) return Object.values(value).some(isRelative);
  if (typeof value !== 'string') return false;
  const [one, other] = [parseTime(value, 0, true), parseTime(value, 1, true)];
  return 'at' in one && 'at' in other && one.at !== other.at;
};

/** Returns a cursor as the tool answers it: with the time where the arguments depend on it. */
export const withCursorTime = (cursor: string, given: Members, now: number): string =>
  isRelative(given) ? `${cursor}~${now.toString(36)}` : cursor;
