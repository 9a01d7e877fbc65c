/**
 * Brings a given block into the form that is answered, before it is checked (validateBlocks.ts): members that aren't known are
 * dropped, as an app may be newer than the service, and what may be left out is filled in.
 */
import { isObject } from '../../platform/json/jsonLimits.ts';
import type { Block } from '../link/protocol.ts';
import type { BlockType } from './schema.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Returns an own member only, so that `__proto__` adds nothing. */
const ownMember = (from: JsonObject, name: string): unknown => (Object.hasOwn(from, name) ? from[name] : undefined);

/** Applies `shape` to each entry of a list of objects; other values are left for the schema to refuse. */
const mapObjects = (list: unknown, shape: (entry: JsonObject) => unknown): unknown =>
  Array.isArray(list) ? list.map((entry: unknown) => (isObject(entry) ? shape(entry) : entry)) : list;

const column = (given: JsonObject): JsonObject => {
  const name = ownMember(given, 'name');
  return { name, label: ownMember(given, 'label') ?? name, type: ownMember(given, 'type') ?? 'text' };
};

const rowsOf = (rows: unknown, columns: unknown): unknown => {
  const names = Array.isArray(columns)
    ? columns.flatMap((entry: unknown) => (isObject(entry) && typeof entry['name'] === 'string' ? [entry['name']] : []))
    : [];
  return mapObjects(rows, (row) => Object.fromEntries(names.map((name) => [name, ownMember(row, name) ?? null])));
};

const record = (given: unknown): unknown =>
  isObject(given)
    ? {
        resource: ownMember(given, 'resource'),
        id: ownMember(given, 'id'),
        title: ownMember(given, 'title'),
        subtitle: ownMember(given, 'subtitle') ?? null,
        fields: ownMember(given, 'fields') ?? {},
        updatedAt: ownMember(given, 'updatedAt') ?? null,
      }
    : given;

const normalizers: Readonly<Record<BlockType, (given: JsonObject) => JsonObject>> = {
  text: (given) => {
    const plain = ownMember(given, 'plain') ?? false;
    return { text: ownMember(given, 'text'), ...(plain === false ? {} : { plain }) };
  },
  fields: (given) => ({
    fields: mapObjects(ownMember(given, 'fields'), (field) => ({
      label: ownMember(field, 'label'),
      value: ownMember(field, 'value') ?? null,
      type: ownMember(field, 'type') ?? 'text',
    })),
  }),
  stat: (given) => ({
    value: ownMember(given, 'value') ?? null,
    unit: ownMember(given, 'unit') ?? null,
    change: ownMember(given, 'change') ?? null,
  }),
  table: (given) => {
    const columns = mapObjects(ownMember(given, 'columns'), column);
    return { columns, rows: rowsOf(ownMember(given, 'rows'), columns) };
  },
  chart: (given) => ({
    kind: ownMember(given, 'kind'),
    series: mapObjects(ownMember(given, 'series'), (series) => ({
      name: ownMember(series, 'name'),
      points: ownMember(series, 'points'),
    })),
  }),
  items: (given) => ({ items: mapObjects(ownMember(given, 'items'), (item) => ({ id: ownMember(item, 'id') })) }),
  record: (given) => ({ record: record(ownMember(given, 'record')) }),
  actions: (given) => ({
    actions: mapObjects(ownMember(given, 'actions'), (reference) => ({
      action: ownMember(reference, 'action'),
      label: ownMember(reference, 'label') ?? ownMember(reference, 'action'),
      record: ownMember(reference, 'record') ?? null,
      input: ownMember(reference, 'input') ?? {},
    })),
  }),
  link: (given) => ({ url: ownMember(given, 'url'), label: ownMember(given, 'label') ?? ownMember(given, 'url') }),
  error: (given) => ({ error: ownMember(given, 'error'), code: ownMember(given, 'code') ?? 'app_error' }),
};

export const isBlockType = (type: unknown): type is BlockType =>
  typeof type === 'string' && Object.hasOwn(normalizers, type);

/** Returns a block in normal form, not checked yet. */
export const normalizeBlock = (type: BlockType, given: JsonObject): Block => ({
  type,
  title: ownMember(given, 'title') ?? null,
  ...normalizers[type](given),
});
