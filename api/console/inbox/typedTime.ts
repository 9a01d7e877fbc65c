/** Reads the times that people type: "17:00", "tomorrow 9am", "monday 10", "dec 12", "12 dec 9:30", "2026-12-24 09:00", "2h", "3 days". Used by the pickers of a snooze. */
import { whenTime } from '../ui/time.ts';
import { daysLaterAt, fromLocalTime, toLocalTime, weekday } from '../ui/wallTime.ts';
import { dialogTexts } from './dialogTexts.ts';

/** The hour of a date without a time, as the presets have it. */
const morning = '09:00';

const two = (n: number): string => String(n).padStart(2, '0');

/** Returns the beginnings of the months' names, in English and in the browser's language. */
const monthNames = (): readonly (readonly string[])[] =>
  Array.from({ length: 12 }, (_, month) =>
    ['en', undefined].map((language) =>
      new Intl.DateTimeFormat(language, { month: 'short', timeZone: 'UTC' })
        .format(Date.UTC(2026, month, 1))
        .toLowerCase()
        .slice(0, 3),
    ),
  );

/** Returns a time of day as `17:00`; null: it is none. */
const timeOf = (text: string): string | null => {
  const [, hour = '', minute = '00', half] = /^(\d{1,2})(?::(\d{2}))?\s*(am|pm)?$/.exec(text) ?? [];
  if (hour === '' || (half === undefined && !text.includes(':'))) return null;
  const of = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === 'pm' ? 12 : 0);
  const isHour = half === undefined ? of <= 23 : Number(hour) >= 1 && Number(hour) <= 12;
  return !isHour || Number(minute) > 59 ? null : `${two(of)}:${minute}`;
};

const dayNames = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;

/** Returns the next day of a name as `2026-12-24`; null: it is none. */
const namedDay = (text: string, now: number): string | null => {
  const name = text.replace(/^(?:next|on) /, '');
  const day = name.length < 3 ? -1 : dayNames.findIndex((each) => each.startsWith(name));
  const later = name === 'today' ? 0 : name === 'tomorrow' ? 1 : day < 0 ? null : ((day - weekday(now) + 6) % 7) + 1;
  return later === null ? null : toLocalTime(daysLaterAt(now, later, 12)).slice(0, 10);
};

/** Returns a date as `2026-12-24`, one without a year with that of `today`; null: it is none. */
const dateOf = (text: string, today: string): { readonly date: string; readonly isYearly: boolean } | null => {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return { date: text, isYearly: false };
  const parts = text.split(/[\s.,]+/).filter(Boolean);
  const month = monthNames().findIndex((names) => parts.some((part) => names.includes(part.slice(0, 3))));
  const day = parts.find((part) => /^\d{1,2}$/.test(part));
  const year = parts.find((part) => /^\d{4}$/.test(part));
  if (month < 0 || day === undefined || parts.length !== (year === undefined ? 2 : 3)) return null;
  return { date: `${year ?? today.slice(0, 4)}-${two(month + 1)}-${two(Number(day))}`, isYearly: year === undefined };
};

const minuteMs = 60_000;
const unitMs: Readonly<Record<string, number>> = {
  m: minuteMs,
  h: 60 * minuteMs,
  d: 1_440 * minuteMs,
  w: 10_080 * minuteMs,
};

/** Returns the length of a duration such as `2h`, `90 min`, `3 days`, in ms; null: it is none. */
const durationOf = (text: string): number | null => {
  const [, number, unit = ''] =
    /^(?:in )?(\d{1,4}(?:\.\d)?) ?(m|min|minutes?|h|hours?|d|days?|w|weeks?)$/.exec(text) ?? [];
  return number === undefined ? null : Number(number) * (unitMs[unit.charAt(0)] ?? 0);
};

/** Returns the moment of a named day, such as `tomorrow 9am`, `monday`, `next friday at 10`; null: it is none. */
const namedMoment = (text: string, now: number): number | null => {
  const [, word = '', clock = morning] =
    /^((?:next |on )?[a-z]+)(?:,? (?:at )?(\d{1,2}(?::\d{2})?(?: ?[ap]m)?))?$/.exec(text) ?? [];
  const day = namedDay(word, now);
  if (day === null) return null;
  const time = timeOf(/^\d+$/.test(clock) ? `${clock}:00` : clock);
  return time === null ? Number.NaN : fromLocalTime(`${day}T${time}`);
};

/** Returns the moment that a text says, of those without a day or a year the next; NaN when it says none. */
const momentOf = (typed: string, now: number): number => {
  const text = typed.trim().toLowerCase();
  const today = toLocalTime(now).slice(0, 10);
  const duration = durationOf(text);
  if (duration !== null) return now + duration;
  const time = timeOf(text);
  if (time !== null) {
    const at = fromLocalTime(`${today}T${time}`);
    return at > now ? at : fromLocalTime(`${toLocalTime(daysLaterAt(now, 1, 12)).slice(0, 10)}T${time}`);
  }
  const named = namedMoment(text, now);
  if (named !== null) return named;
  const [, day = '', , hour] = /^(.*?)([\st,]+(\d{1,2}:\d{2}|\d{1,2}(?::\d{2})?\s*[ap]m))?$/.exec(text) ?? [];
  const found = dateOf(day, today);
  if (found === null) return Number.NaN;
  const hours = (hour === undefined ? null : timeOf(hour)) ?? morning;
  const at = fromLocalTime(`${found.date}T${hours}`);
  if (!found.isYearly || at > now) return at;
  return fromLocalTime(`${String(Number(today.slice(0, 4)) + 1)}${found.date.slice(4)}T${hours}`);
};

interface TypedTime {
  /** The time in ms since 1970 UTC. */
  readonly id: string;
  readonly label: string;
  readonly why: string | null;
}

/** Returns the option of a typed time, which says so when it is past; null: it is none. */
export const typedTime = (text: string, now: number = Date.now()): TypedTime | null => {
  const at = momentOf(text, now);
  if (Number.isNaN(at)) return null;
  return { id: String(at), label: whenTime(at), why: at > now ? null : dialogTexts.past };
};
