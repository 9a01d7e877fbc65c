/** Times of answers as ISO 8601 for models, which do not calculate well with milliseconds. Used by present.ts and present.ts. */
import { isObject } from '../../../shared/platform/json/jsonLimits.ts';

/** Names of members that are times where their value is a number of that size. */
const timeNames = /(?:At|Seen|Since|Until)$|^(?:at|since|until|now|oldest|newest|from|to)$/;
/** Members whose content is the app's or the customer's, and stays as it was given. */
const foreign = new Set([
  'fields',
  'input',
  'defaults',
  'schema',
  'value',
  'targets',
  'preferences',
  'answers',
  'rows',
]);
/** Of 1973: numbers below are no milliseconds since 1970, but percentages and counts. */
const smallestTime = 100_000_000_000;
/** The last time that a Date holds. */
const largestTime = 8.64e15;

/** Returns a time as ISO 8601 in UTC: to the second, or exactly. */
const isoTime = (ms: number, isExact: boolean): string => {
  const text = new Date(ms).toISOString();
  return isExact ? text : `${text.slice(0, 19)}Z`;
};

const isTime = (name: string, value: unknown): value is number =>
  typeof value === 'number' && value >= smallestTime && value <= largestTime && timeNames.test(name);

/** Returns the time of a member that the app has declared to be one, as a text; anything that is no time as it is. */
export const declaredTime = (value: unknown, isExact: boolean): unknown =>
  typeof value === 'number' && Math.abs(value) <= largestTime ? isoTime(value, isExact) : value;

/** Whether `data` is that of a timeline entry, which the service wrote, and not that of an occurrence. */
const isOwnData = (parent: Readonly<Record<string, unknown>>): boolean => 'actor' in parent || 'by' in parent;

/** Returns the value with its times as texts. */
export const withIsoTimes = (value: unknown, isExact: boolean): unknown => {
  if (Array.isArray(value)) return value.map((element) => withIsoTimes(element, isExact));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (isTime(name, member)) return [name, isoTime(member, isExact)];
      if (foreign.has(name) || (name === 'data' && !isOwnData(value))) return [name, member];
      return [name, withIsoTimes(member, isExact)];
    }),
  );
};
