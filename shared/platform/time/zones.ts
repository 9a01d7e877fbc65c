/** Local times of a time zone as milliseconds since 1970 UTC, with the hours that a change of the clock skips or repeats. Used by api/mcp/arguments and the console. */

/** A date and a time of day on a clock, as milliseconds since 1970 on that clock. */
type WallTime = number;

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Returns a formatter of the zone; undefined for one that does not exist. */
const zoneFormat = (zone: string): Intl.DateTimeFormat | undefined => {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return undefined;
  }
};

const wallTimeAt = (format: Intl.DateTimeFormat, at: number): WallTime => {
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
};

/** Returns an offset from UTC as ISO 8601 writes it. */
const offsetText = (ms: number): string => {
  const minutes = Math.abs(ms) / minuteMs;
  const two = (n: number): string => String(Math.floor(n)).padStart(2, '0');
  return `${ms < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
};

type LocalTime =
  | { readonly kind: 'time'; readonly at: number }
  | { readonly kind: 'unknownZone' }
  | { readonly kind: 'skipped'; readonly at: number; readonly later: string }
  | { readonly kind: 'twice'; readonly at: number; readonly offsets: readonly string[] };

/** Returns what a clock of the zone shows at a time; undefined for a zone that does not exist. */
export const wallTimeIn = (zone: string, at: number): WallTime | undefined => {
  const format = zoneFormat(zone);
  return format === undefined ? undefined : wallTimeAt(format, at);
};

/**
 * Returns when a clock of the zone shows a time. Where the clock changes that is never or twice: `at` is then the moment that a
 * clock shows that was not put forward, which the zone writes as `later` (ISO 8601), or the first of the two.
 */
export const timeInZone = (wall: WallTime, zone: string): LocalTime => {
  const format = zoneFormat(zone);
  if (format === undefined) return { kind: 'unknownZone' };
  // The offsets before and after a change that is near; the same one twice on other days.
  const offsets = [...new Set([wall - dayMs, wall + dayMs].map((near) => wallTimeAt(format, near) - near))];
  const found = offsets.filter((offset) => wallTimeAt(format, wall - offset) === wall);
  const [first] = found;
  if (first === undefined) {
    const at = wall - (offsets[0] ?? 0);
    const offset = wallTimeAt(format, at) - at;
    const later = `${new Date(at + offset).toISOString().slice(0, 19)}${offsetText(offset)}`;
    return { kind: 'skipped', at, later };
  }
  const at = wall - first;
  return found.length > 1 ? { kind: 'twice', at, offsets: found.map(offsetText) } : { kind: 'time', at };
};
