/** Values of any kind as people read them. Used by comparisons of before and after. */
import { whenTime } from '../ui/time.ts';

/** Whole numbers in this range are moments of the years 2001 to 2096 in milliseconds, as everywhere in the API. */
const isMoment = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 1e12 && value < 4e12;

/** Returns a value as text: moments as times, nothing as a dash. */
export const shown = (value: unknown): string =>
  isMoment(value)
    ? whenTime(value)
    : value === undefined || value === null
      ? '–'
      : typeof value === 'string'
        ? value
        : JSON.stringify(value);
