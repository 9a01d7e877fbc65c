/** Times and numbers as people read them, in their own zone and language; the exact time stands beside the relative one. */
import { plainTexts } from './plainTexts.ts';
import { chosenZone } from './timeZone.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

type Format = (at: number) => string;

/** Returns a function that formats times of the zone that is chosen when it is called. */
const createFormat = (options: Intl.DateTimeFormatOptions): Format => {
  let made: { readonly zone: string | null; readonly format: Intl.DateTimeFormat } | undefined;
  return (at) => {
    const zone = chosenZone();
    if (made === undefined || made.zone !== zone)
      made = {
        zone,
        format: new Intl.DateTimeFormat(undefined, zone === null ? options : { ...options, timeZone: zone }),
      };
    return made.format.format(at);
  };
};

/** Written alike in all formats: two that differ in a zero look like two kinds of times. */
const time = { hour: 'numeric', minute: '2-digit' } as const;
const dayAndMonth = { day: 'numeric', month: 'short' } as const;
const dayOfYear = createFormat(dayAndMonth);
const dayAndYear = createFormat({ ...dayAndMonth, year: 'numeric' });
const yearOf = createFormat({ year: 'numeric' });
const monthAndYear = createFormat({ month: 'short', year: 'numeric' });
const shortTime = createFormat(time);
const thisYear = createFormat({ weekday: 'short', ...dayAndMonth, ...time });
const anyYear = createFormat({ ...dayAndMonth, year: 'numeric', ...time });
const clock = { ...time, second: '2-digit' } as const;
const whole = createFormat({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', ...clock });

const isOfYear = (at: number, now: number): boolean => yearOf(at) === yearOf(now);

/** Returns the time of day. */
export const clockTime = createFormat(clock);
/** Returns a date. */
export const dateOf = dayAndYear;
/** Returns a date and the time of day, to the second. */
export const dateAndClock = createFormat({ ...dayAndMonth, year: 'numeric', ...clock });
/** Returns a moment exactly, with its zone unless it is the device's. */
export const exactTime = (at: number): string =>
  chosenZone() === null ? whole(at) : `${whole(at)} (${String(chosenZone())})`;
/** Returns a moment, with its year unless it is this one. */
export const whenTime = (at: number): string => (isOfYear(at, Date.now()) ? thisYear : anyYear)(at);

/** Returns a day of the calendar such as 2026-01-31, which has no zone, as a date; null: it is none. */
export const dayText = (value: unknown): string | null => {
  const at = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(at)
    ? null
    : new Intl.DateTimeFormat(undefined, { ...dayAndMonth, year: 'numeric', timeZone: 'UTC' }).format(at);
};

/**
 * Returns the labels of moments of an axis that are about `step` ms apart: the time of day, with the day below where one begins; the day,
 * with its year where another begins; the month.
 */
export const axisTimes = (moments: readonly number[], step: number): string[] =>
  moments.map((at, n) => {
    const before = moments[n - 1];
    if (step >= 365 * day) return yearOf(at);
    if (step >= 28 * day) return monthAndYear(at);
    if (step >= day) return isOfYear(at, before ?? Date.now()) ? dayOfYear(at) : dayAndYear(at);
    const said = step < minute ? clockTime(at) : shortTime(at);
    return before !== undefined && dayAndYear(at) === dayAndYear(before) ? said : `${said}\n${dayOfYear(at)}`;
  });

/** Returns how long; null: less than a minute. */
const span = (ms: number): string | null => {
  if (ms < minute) return null;
  if (ms < hour) return plainTexts.time.minutes(Math.floor(ms / minute));
  if (ms < day) return plainTexts.time.hours(Math.floor(ms / hour));
  return plainTexts.time.days(Math.floor(ms / day));
};

/** Returns how long ago, or the date when that says more. */
export const ago = (at: number, now: number): string => {
  const ms = now - at;
  if (ms < 7 * day) return span(ms) ?? plainTexts.time.now;
  return (isOfYear(at, now) ? dayOfYear : dayAndYear)(at);
};

/** Returns how long ago in the words of a sentence: `8 minutes ago`, or `on 3 Nov` when that says more. */
export const agoInWords = (at: number, now: number): string => {
  const ms = now - at;
  if (ms >= 7 * day) return plainTexts.time.onDate(ago(at, now));
  if (ms < minute) return plainTexts.time.justNow;
  if (ms < hour) return plainTexts.time.minutesAgo(Math.floor(ms / minute));
  return ms < day ? plainTexts.time.hoursAgo(Math.floor(ms / hour)) : plainTexts.time.daysAgo(Math.floor(ms / day));
};

/** Returns how a deadline stands. */
export const due = (at: number, now: number): { readonly text: string; readonly tone: 'late' | 'soon' | 'calm' } => {
  const left = at - now;
  const far = span(Math.abs(left));
  if (left < 0)
    return { text: far === null ? plainTexts.time.justOverdue : plainTexts.time.overdue(far), tone: 'late' };
  return {
    text: far === null ? plainTexts.time.dueNow : plainTexts.time.dueIn(far),
    tone: left < hour ? 'soon' : 'calm',
  };
};
