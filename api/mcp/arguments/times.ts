/** Times and durations as models write them, as milliseconds. Used by coerce.ts. */
import { timeInZone } from '../../../shared/platform/time/zones.ts';

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const unitNames: Readonly<Record<string, string>> = {
  sec: 's',
  secs: 's',
  second: 's',
  seconds: 's',
  min: 'm',
  mins: 'm',
  minute: 'm',
  minutes: 'm',
  hr: 'h',
  hrs: 'h',
  hour: 'h',
  hours: 'h',
  day: 'd',
  days: 'd',
  week: 'w',
  weeks: 'w',
};
const durationPart = /(\d{1,9}(?:\.\d{1,3})?)\s*([a-z]{1,7})\s*/gy;
const isoDuration = /^p(?:(\d{1,5})w)?(?:(\d{1,5})d)?(?:t(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,9})s)?)?$/;

/** Returns a duration, such as `2h`, `1d 12h`, `90 minutes` or `PT2H`, in milliseconds; undefined for another text. */
export const parseDuration = (text: string): number | undefined => {
  const plain = text.trim().toLowerCase();
  const iso = /\d/.test(plain) ? isoDuration.exec(plain) : null;
  if (iso !== null)
    return ['w', 'd', 'h', 'm', 's'].reduce((sum, unit, i) => sum + Number(iso[i + 1] ?? 0) * (unitMs[unit] ?? 0), 0);
  let sum = 0;
  let end = 0;
  for (const part of plain.matchAll(durationPart)) {
    const [whole, amount = '', name = ''] = part;
    const ms = unitMs[unitNames[name] ?? name];
    if (ms === undefined || part.index !== end) return undefined;
    sum += Number(amount) * ms;
    end += whole.length;
  }
  return plain !== '' && end === plain.length ? Math.round(sum) : undefined;
};

const date = String.raw`(\d{4})-(\d\d)-(\d\d)`;
const clock = String.raw`(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3})\d*)?)?)?`;
const timeForm = new RegExp(`^${date}${clock}\\s*(Z|[+-]\\d\\d:?\\d\\d|\\[?[A-Za-z][A-Za-z0-9_+/-]{1,63}\\]?)?$`, 'i');

const wallTimeOf = (parts: readonly (string | undefined)[]): number | undefined => {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.map((part) => Number(part ?? 0));
  const ms = Number((parts[6] ?? '0').padEnd(3, '0'));
  const wall = Date.UTC(year, month - 1, day, hour, minute, second, ms);
  const back = new Date(wall);
  const isReal =
    back.getUTCMonth() === month - 1 && back.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
  return isReal ? wall : undefined;
};

const offsetMs = (text: string): number => {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(text) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
};

/** A time, or why a text is none: what follows the name of the argument in a sentence. */
type ParsedTime = { readonly at: number } | { readonly problem: string };

/** Names of UTC; other names without `/` are abbreviations, which mean several zones (`BST`) or none of a place (`EST`). */
const utcNames = new Set(['Z', 'UTC', 'GMT']);

const inZone = (wall: number, zone: string): ParsedTime => {
  if (!zone.includes('/'))
    return {
      problem: `has a zone that means several, ${zone}: use an offset (+01:00), UTC, or a name with a place such as Europe/London`,
    };
  const found = timeInZone(wall, zone);
  const local = new Date(wall).toISOString().slice(0, 19);
  switch (found.kind) {
    case 'time':
      return { at: found.at };
    case 'unknownZone':
      return { problem: `names a time zone that does not exist, ${zone}: use one such as Europe/Berlin` };
    case 'skipped':
      return { problem: `does not exist in ${zone}: the clock is put forward over ${local}; say ${found.later}` };
    case 'twice':
      return {
        problem: `exists twice in ${zone}, where the clock is put back: say which, ${found.offsets.map((offset) => local + offset).join(' or ')}`,
      };
  }
};

const forms =
  'must be a time: ISO 8601 ("2026-11-22T09:00:00Z"), a local time with its zone ("2026-11-22T09:00 Europe/Berlin"), or a duration from now ("2h")';

/** Of a longer text only its beginning is looked at. */
const textMax = 100;

const parseText = (text: string, now: number, isPast: boolean): ParsedTime => {
  if (text.toLowerCase() === 'now') return { at: now };
  const form = timeForm.exec(text);
  if (form !== null) {
    const zone = form[8]?.replace(/[[\]]/g, '');
    const wall = wallTimeOf(form.slice(1, 8));
    if (wall === undefined) return { problem: 'is no date and time that exists' };
    if (zone === undefined)
      return form[4] === undefined
        ? { at: wall }
        : { problem: 'needs a zone: end it with Z, +01:00 or a name such as Europe/Berlin' };
    if (utcNames.has(zone.toUpperCase())) return { at: wall };
    return /^[+-]/.test(zone) ? { at: wall - offsetMs(zone) } : inZone(wall, zone);
  }
  const back = /^-\s*|\s+ago$/i;
  const duration = parseDuration(text.replace(/^(?:in\s+|\+)/i, '').replace(back, ''));
  if (duration === undefined) return { problem: forms };
  return { at: isPast || back.test(text) ? now - duration : now + duration };
};

/** Numbers that are times of our days in seconds; in milliseconds they are of the first years after 1970. */
const [secondsFrom, secondsTo] = [1e8, 1e11];

/** Returns the time that a number or a text names. A duration counts from now: ahead, or back where `isPast` says so. */
export const parseTime = (given: string | number, now: number, isPast: boolean): ParsedTime => {
  const text = String(given).slice(0, textMax).trim();
  if (!/^-?\d{1,15}(?:\.\d*)?$/.test(text)) return parseText(text, now, isPast);
  const at = Number(text);
  return at >= secondsFrom && at < secondsTo
    ? { problem: `looks like seconds: say ${String(at * 1_000)}, in milliseconds, or ISO 8601` }
    : { at };
};
