/**
 * Brings a given block into the form that is answered, before it is checked (check.ts): members that aren't known are
 * dropped, as an app may be newer than the service, and what may be left out is filled in.
 */
import { isObject } from '../platform/core/guard.ts';
import type { Block } from '../applink/protocol.ts';
import type { BlockType } from './schema.ts';

export type Given = Readonly<Record<string, unknown>>;

/** Only own members count, so that `__proto__` brings nothing along. */
const own = (from: Given, name: string): unknown => (Object.hasOwn(from, name) ? from[name] : undefined);

/** Each entry of a list of objects through `shape`; whatever isn't one is left for the schema to refuse. */
const each = (list: unknown, shape: (entry: Given) => unknown): unknown =>
  Array.isArray(list) ? list.map((entry: unknown) => (isObject(entry) ? shape(entry) : entry)) : list;

const column = (given: Given): Given => {
  const name = own(given, 'name');
  return { name, label: own(given, 'label') ?? name, type: own(given, 'type') ?? 'text' };
};

const rowsOf = (rows: unknown, columns: unknown): unknown => {
  const names = Array.isArray(columns) ? columns.flatMap((entry: unknown) => (isObject(entry) && typeof entry['name'] === 'string' ? [entry['name']] : [])) : [];
  return each(rows, (row) => Object.fromEntries(names.map((name) => [name, own(row, name) ?? null])));
};

const record = (given: unknown): unknown =>
  isObject(given)
    ? {
        resource: own(given, 'resource'),
        id: own(given, 'id'),
        title: own(given, 'title'),
        subtitle: own(given, 'subtitle') ?? null,
        fields: own(given, 'fields') ?? {},
        updatedAt: own(given, 'updatedAt') ?? null,
      }
    : given;

const shapes: Readonly<Record<BlockType, (given: Given) => Given>> = {
  text: (given) => ({ text: own(given, 'text') }),
  fields: (given) => ({
    fields: each(own(given, 'fields'), (field) => ({ label: own(field, 'label'), value: own(field, 'value') ?? null, type: own(field, 'type') ?? 'text' })),
  }),
  stat: (given) => ({ value: own(given, 'value') ?? null, unit: own(given, 'unit') ?? null, change: own(given, 'change') ?? null }),
  table: (given) => {
    const columns = each(own(given, 'columns'), column);
    return { columns, rows: rowsOf(own(given, 'rows'), columns) };
  },
  chart: (given) => ({ kind: own(given, 'kind'), series: each(own(given, 'series'), (series) => ({ name: own(series, 'name'), points: own(series, 'points') })) }),
  items: (given) => ({ items: each(own(given, 'items'), (item) => ({ id: own(item, 'id') })) }),
  record: (given) => ({ record: record(own(given, 'record')) }),
  actions: (given) => ({
    actions: each(own(given, 'actions'), (reference) => ({
      action: own(reference, 'action'),
      label: own(reference, 'label') ?? own(reference, 'action'),
      record: own(reference, 'record') ?? null,
      input: own(reference, 'input') ?? {},
    })),
  }),
  link: (given) => ({ url: own(given, 'url'), label: own(given, 'label') ?? own(given, 'url') }),
  error: (given) => ({ error: own(given, 'error'), code: own(given, 'code') ?? 'app_error' }),
};

export const isBlockType = (type: unknown): type is BlockType => typeof type === 'string' && Object.hasOwn(shapes, type);

/** Not checked yet. */
export const shapedBlock = (type: BlockType, given: Given): Block => ({ type, title: own(given, 'title') ?? null, ...shapes[type](given) });
