/** Values of any kind as people read them. Used by comparisons of before and after, and by the audit log. */
import { inRow } from '../ui/plural.ts';
import { whenTime } from '../ui/time.ts';
import { legible } from './legible.ts';
import { moneyText } from './money.ts';
import { contentTexts } from './texts.ts';

/** Whole numbers in this range are moments of the years 2001 to 2096 in milliseconds, as everywhere in the API. */
const isMoment = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 1e12 && value < 4e12;

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

/** Returns a value as text: moments as times, lists in a row, nothing as a dash. */
export const shown = (value: unknown): string => {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return '–';
  if (isMoment(value)) return whenTime(value);
  if (typeof value === 'string') return legible(value);
  if (typeof value === 'boolean') return value ? contentTexts.yes : contentTexts.no;
  return Array.isArray(value) && value.every(isScalar) ? inRow(value.map(shown)) : legible(JSON.stringify(value));
};

/** Returns a value of a declared type as text; `currency`: of an amount, where its record names one. */
export const shownAs = (type: string | null, value: unknown, currency: unknown): string =>
  (type === 'money' ? moneyText(value, currency) : null) ?? shown(value);
