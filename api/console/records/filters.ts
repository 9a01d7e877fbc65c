/** Filters of a list of records by the declared types of fields. Used by RecordsHeader and FilterDialog. */
import { dateOf } from '../ui/time.ts';
import { fromLocalTime } from '../ui/timeZone.ts';
import { toWords } from '../ui/words.ts';
import type { Resource } from '../wire/types.ts';
import { filterTexts } from './filterTexts.ts';

export type ResourceField = Resource['fields'][number];

export interface Filter {
  readonly field: string;
  readonly op: string;
  readonly value: unknown;
}

interface Op {
  readonly op: string;
  readonly label: string;
}

const { ops } = filterTexts;

const textOps: readonly Op[] = [
  { op: 'eq', label: ops.eq },
  { op: 'ne', label: ops.ne },
  { op: 'in', label: ops.in },
  { op: 'contains', label: ops.contains },
  { op: 'startsWith', label: ops.startsWith },
  { op: 'exists', label: ops.exists },
];
const orderOps: readonly Op[] = [
  { op: 'eq', label: ops.eq },
  { op: 'ne', label: ops.ne },
  { op: 'gte', label: ops.gte },
  { op: 'lte', label: ops.lte },
  { op: 'exists', label: ops.exists },
];
const timeOps: readonly Op[] = [
  { op: 'gte', label: ops.from },
  { op: 'lt', label: ops.before },
  { op: 'exists', label: ops.exists },
];
const booleanOps: readonly Op[] = [
  { op: 'eq', label: ops.eq },
  { op: 'exists', label: ops.exists },
];

type ValueKind = 'text' | 'number' | 'time' | 'boolean';

/** Returns what values a field of a declared type has. */
export const kindOfField = ({ type }: Pick<ResourceField, 'type'>): ValueKind =>
  type === 'number' || type === 'money' ? 'number' : type === 'time' ? 'time' : type === 'boolean' ? 'boolean' : 'text';

/** Returns the comparisons of a field. */
export const opsOf = (field: ResourceField): readonly Op[] =>
  ({ text: textOps, number: orderOps, time: timeOps, boolean: booleanOps })[kindOfField(field)];

const isMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the filters of an address, one for each comparison; null: it can't be read. */
export const readFilters = (text: string | undefined): readonly Filter[] | null => {
  if (text === undefined) return [];
  try {
    const given: unknown = JSON.parse(text);
    if (!isMembers(given)) return null;
    return Object.entries(given).flatMap(([field, value]): Filter[] => {
      if (Array.isArray(value)) return [{ field, op: 'in', value }];
      if (!isMembers(value)) return [{ field, op: 'eq', value }];
      return Object.entries(value).map(([op, of]) => ({ field, op, value: of }));
    });
  } catch {
    return null;
  }
};

/** Returns filters as the address and the API have them; undefined: there are none. */
export const writeFilters = (filters: readonly Filter[]): string | undefined => {
  if (filters.length === 0) return undefined;
  const byField = new Map<string, Record<string, unknown>>();
  for (const { field, op, value } of filters) byField.set(field, { ...byField.get(field), [op]: value });
  return JSON.stringify(Object.fromEntries(byField));
};

/** Returns the value of a filter from what was typed; null: it is none of the field's type. */
export const readValue = (field: ResourceField, op: string, text: string): unknown => {
  if (op === 'exists') return text !== 'false';
  const kind = kindOfField(field);
  if (op === 'in') return text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
  if (kind === 'boolean') return text !== 'false';
  if (kind === 'text') return text.trim() === '' ? null : text.trim();
  const value = kind === 'time' ? fromLocalTime(`${text}T00:00`) : Number(text);
  return text.trim() === '' || !Number.isFinite(value) ? null : value;
};

const saidValue = (field: ResourceField | undefined, value: unknown): string => {
  if (field !== undefined && kindOfField(field) === 'time' && typeof value === 'number') return dateOf(value);
  if (typeof value === 'boolean') return value ? filterTexts.isTrue : filterTexts.isFalse;
  return Array.isArray(value)
    ? filterTexts.oneOf(value.map(String))
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);
};

/** Returns a filter in words. */
export const saidFilter = ({ field: name, op, value }: Filter, fields: readonly ResourceField[]): string => {
  const field = fields.find((each) => each.name === name);
  const label = field?.label ?? toWords(name);
  if (op === 'exists') return value === false ? filterTexts.notGiven(label) : filterTexts.given(label);
  const said = field === undefined ? op : (opsOf(field).find((each) => each.op === op)?.label ?? op);
  return filterTexts.said(label, said, saidValue(field, value));
};
