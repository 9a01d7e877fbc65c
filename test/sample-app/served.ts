/** How the sample app answers for the records that it serves itself: payments and subscriptions. */
import { ActionFailed, type RecordsHandlers } from '../../shared/sdk/index.ts';
import type { Shop, ShopRecord } from './shop.ts';

type Compare = (actual: unknown, wanted: unknown) => boolean;

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);
const order = (a: unknown, b: unknown): number => {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [left, right] = [textOf(a), textOf(b)];
  return left < right ? -1 : left > right ? 1 : 0;
};
const list = (wanted: unknown): readonly unknown[] => (Array.isArray(wanted) ? wanted : [wanted]);

const ops: Readonly<Record<string, Compare>> = {
  eq: (actual, wanted) => actual === wanted,
  ne: (actual, wanted) => actual !== wanted,
  in: (actual, wanted) => list(wanted).includes(actual),
  nin: (actual, wanted) => !list(wanted).includes(actual),
  lt: (actual, wanted) => order(actual, wanted) < 0,
  lte: (actual, wanted) => order(actual, wanted) <= 0,
  gt: (actual, wanted) => order(actual, wanted) > 0,
  gte: (actual, wanted) => order(actual, wanted) >= 0,
  contains: (actual, wanted) => textOf(actual).includes(textOf(wanted)),
  startsWith: (actual, wanted) => textOf(actual).startsWith(textOf(wanted)),
  exists: (actual, wanted) => (actual !== null && actual !== undefined) === (wanted !== false),
};

const holds = (actual: unknown, wanted: unknown): boolean => {
  if (Array.isArray(wanted)) return wanted.includes(actual);
  if (typeof wanted !== 'object' || wanted === null) return actual === wanted;
  return Object.entries(wanted).every(([op, value]) => ops[op]?.(actual, value) ?? false);
};

const fits = (record: ShopRecord, filters: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(filters).every(([field, wanted]) => holds(record.fields[field], wanted));

const mentions = (record: ShopRecord, q: string): boolean => {
  const text = [record.id, record.title, record.subtitle, ...Object.values(record.fields)].join(' ').toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
};

/** By the field, then by id, so that pages don't overlap. */
const sorted = (records: readonly ShopRecord[], sort: string | null): ShopRecord[] => {
  const field = sort?.replace(/^-/, '') ?? 'id';
  const sign = sort?.startsWith('-') === true ? -1 : 1;
  const value = (record: ShopRecord): unknown =>
    field === 'id' || field === 'title' || field === 'updatedAt' ? record[field] : record.fields[field];
  return records.toSorted((a, b) => sign * (order(value(a), value(b)) || order(a.id, b.id)));
};

const page = (
  records: readonly ShopRecord[],
  cursor: string | null,
  limit: number,
): { records: ShopRecord[]; cursor: string | null } => {
  const from = Number(cursor ?? 0);
  if (!Number.isSafeInteger(from) || from < 0) throw new ActionFailed('This page does not exist.');
  return {
    records: records.slice(from, from + limit),
    cursor: from + limit < records.length ? String(from + limit) : null,
  };
};

export const served = (shop: Shop, resource: string): RecordsHandlers => ({
  search: ({ q, limit }) =>
    shop
      .all(resource)
      .filter((record) => mentions(record, q))
      .slice(0, limit),
  list: ({ q, filters, sort, cursor, limit }) =>
    page(
      sorted(
        shop.all(resource).filter((record) => fits(record, filters) && (q === null || mentions(record, q))),
        sort,
      ),
      cursor,
      limit,
    ),
  get: ({ ids }) => ids.flatMap((id) => shop.find(resource, id) ?? []),
});
