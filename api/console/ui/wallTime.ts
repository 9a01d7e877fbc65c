/** What a clock of the page's time zone shows, and the moment that it means. Loaded with what reads times from people. */
import { timeInZone, wallTimeIn } from '../../../shared/platform/time/zones.ts';
import { timeZone } from './timeZone.ts';

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
