/** Filters, sorts and pages rows in memory, for the handlers of resources that an app serves itself. */
import type { GivenRecord, Json } from '../app/link/protocol.ts';
import { getComparison } from '../platform/conditions/conditions.ts';
import { ActionFailed } from './problems.ts';

/** What a handler of `search` or `list` is called with; `search` has `q` and `limit` alone. */
export interface RecordQuery {
  readonly q?: string | null;
  readonly filters?: Json;
  readonly sort?: string | null;
  readonly cursor?: string | null;
  readonly limit: number;
}

/**
 * Returns a cursor that holds `value`, which is any JSON. It is only encoded: the service seals the cursors that it gives to
 * its callers.
 */
export const encodeCursor = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Returns the value of a cursor of `encodeCursor`; null for null, which stands for the first page. Throws `ActionFailed` for any other text. */
export const decodeCursor = (cursor: string | null): unknown => {
  if (cursor === null) return null;
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown;
  } catch {
    throw new ActionFailed('There is no such page.');
  }
};

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const memberOf = (row: GivenRecord, field: string): unknown => {
  if (row.fields !== undefined && Object.hasOwn(row.fields, field)) return row.fields[field];
  return field === 'id' || field === 'title' || field === 'subtitle' || field === 'updatedAt' ? row[field] : undefined;
};

/** Whether a value fits a filter: a value, a list of values, or operators with their values, all of which have to hold. */
const fits = (actual: unknown, wanted: unknown): boolean => {
  if (Array.isArray(wanted)) return getComparison('in')(actual, wanted);
  if (!isObject(wanted)) return getComparison('eq')(actual, wanted);
  return Object.entries(wanted).every(([op, value]) => getComparison(op)(actual, value));
};

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const mentions = (row: GivenRecord, wanted: readonly string[]): boolean => {
  const texts = [row.id, row.title, row.subtitle, ...Object.values(row.fields ?? {})];
  const words = texts.flatMap((text) => (typeof text === 'string' ? wordsOf(text) : []));
  return wanted.every((word) => words.some((other) => other.startsWith(word)));
};

type Value = string | number | boolean | null;
const valueOf = (row: GivenRecord, field: string | null): Value => {
  const value = field === null ? null : memberOf(row, field);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
};

/** Numbers before texts; the value that is not there comes last in both directions. */
const compareValues = (a: Value, b: Value, sign: number): number => {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a !== typeof b) return typeof a < typeof b ? -sign : sign;
  return a < b ? -sign : a > b ? sign : 0;
};

/** The place of a row in a sorted list: its value and, among equal ones, its id. */
interface Place {
  readonly value: Value;
  readonly id: string;
}
const comparePlaces = (a: Place, b: Place, sign: number): number =>
  compareValues(a.value, b.value, sign) || (a.id < b.id ? -sign : a.id > b.id ? sign : 0);

const toPlace = (cursor: string | null): Place | null => {
  const value = decodeCursor(cursor);
  if (value === null) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a cursor of `queryRecords`, or one that is refused here
  const place = value as Partial<Place>;
  if (typeof place !== 'object' || typeof place.id !== 'string' || place.value === undefined)
    throw new ActionFailed('There is no such page.');
  return { value: place.value, id: place.id };
};

/**
 * Returns the page of `rows` that a query asks for, as `list` and `search` return it: those whose words begin as `q` has
 * them, that fit all `filters`, in the order of `sort` and of their ids. The cursor holds the last row's place, so that a
 * page neither repeats nor skips a row when others come and go.
 *
 * @example
 * const payment = { source: 'app', ...,
 *   search: (call) => queryRecords(payments, call).records,
 *   list: (call) => queryRecords(payments, call),
 * };
 */
export const queryRecords = <T extends GivenRecord>(
  rows: Iterable<T>,
  { q = null, filters = {}, sort = null, cursor = null, limit }: RecordQuery,
): { readonly records: readonly T[]; readonly cursor: string | null } => {
  const sign = sort?.startsWith('-') === true ? -1 : 1;
  const field = sort?.replace(/^-/, '') ?? null;
  const words = wordsOf(q ?? '');
  const after = toPlace(cursor);
  const found = [...rows]
    .filter((row) => mentions(row, words))
    .filter((row) => Object.entries(filters).every(([name, wanted]) => fits(memberOf(row, name), wanted)))
    .map((row) => ({ row, place: { value: valueOf(row, field), id: row.id } }))
    .filter(({ place }) => after === null || comparePlaces(place, after, sign) > 0)
    .sort((a, b) => comparePlaces(a.place, b.place, sign));
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return { records: page.map(({ row }) => row), cursor: last === undefined ? null : encodeCursor(last.place) };
};
