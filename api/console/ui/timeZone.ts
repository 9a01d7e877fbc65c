/** The time zone in which the page shows and reads times: the one of the person's account, else that of this device. */
import { timeInZone, wallTimeIn } from '../../../shared/platform/time/zones.ts';

let chosen: string | null = null;

/** Returns the name of this device's zone in the tz database. */
export const deviceZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Returns the zone that the person chose; null: none. */
export const chosenZone = (): string | null => chosen;

/** Returns the zone by its name in the tz database. */
export const timeZone = (): string => chosen ?? deviceZone();

/** Returns the zone of a person's preferences; null: none, or one that this browser does not know. */
export const preferredZone = ({ timeZone: zone }: { readonly timeZone?: unknown }): string | null =>
  typeof zone === 'string' && wallTimeIn(zone, 0) !== undefined ? zone : null;

/** Shows times from now on in the zone that a person prefers. */
export const adoptTimeZone = (preferences: { readonly timeZone?: unknown }): void => {
  // Asked at each drawing of the frame; to try a zone takes long.
  if (preferences.timeZone !== chosen) chosen = preferredZone(preferences);
};

/** Returns what a clock of the zone shows, as the UTC time of a date that shows the same. */
const wallDate = (at: number): Date => new Date(wallTimeIn(timeZone(), at) ?? at);

const momentOf = (wall: number): number => {
  const found = timeInZone(wall, timeZone());
  return found.kind === 'unknownZone' ? wall : found.at;
};

/** Returns a moment as the browser's control for local times has it; empty for what is none. */
export const toLocalTime = (at: number): string =>
  Number.isNaN(new Date(at).getTime()) ? '' : wallDate(at).toISOString().slice(0, 16);

/** Returns the moment of such a control's value; NaN when it is none. */
export const fromLocalTime = (text: string): number => {
  const wall = Date.parse(`${text}Z`);
  return Number.isNaN(wall) ? wall : momentOf(wall);
};

/** Returns the day of the week of a moment, 0 for Sunday. */
export const weekday = (at: number): number => wallDate(at).getUTCDay();

/** Returns the moment so many days later at an hour of the day. */
export const daysLaterAt = (at: number, days: number, hour: number): number => {
  const wall = wallDate(at);
  wall.setUTCDate(wall.getUTCDate() + days);
  return momentOf(wall.setUTCHours(hour, 0, 0, 0));
};
