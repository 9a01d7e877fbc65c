/** How values of items are kept in columns, read from them and shown as JSON. For the rows of members.ts. */
import type { TextRow } from '../../platform/db/sql.ts';

export interface RecordRef {
  readonly resource: string;
  readonly id: string;
}

export interface ItemRecord extends RecordRef {
  readonly title: string | null;
}

/** The part of a role that decides what of an item is shown. */
interface Reader {
  sees(kind: 'resource', name: string): boolean;
}

/** A column of `items`. */
export interface Column<V> {
  readonly name: string;
  readonly type: string;
  /** Returns the SQL of the text that a read answers; `column` has the alias of its table. null: it is not read. */
  readonly read: ((column: string) => string) | null;
  /** Returns the SQL of the value that is stored, of a column of the rows of a change. */
  readonly write: (column: string) => string;
  /** Returns the value as JSON text for the rows of a change; null: SQL’s null. */
  given(value: V): string | null;
}

/** A value's columns, and its form in between. */
export interface Stored<V> {
  readonly columns: readonly Column<V>[];
  /** Returns the value of the row's columns from `at` on. */
  readonly parse: (row: TextRow, at: number) => V;
  /** Returns what responses show of the value, as JSON text: put together by hand, as a page of a list has fifty items (docs/performance.md). */
  show(value: V, reader: Reader): string;
  /** Returns the same of the row's columns from `at` on. A text: the column is JSON as it is, and this stands for null. */
  readonly showRow: string | ((row: TextRow, at: number, reader: Reader) => string);
}

const same = (column: string): string => column;
const asText = (column: string): string => `${column}::text`;

const column = <V>(
  name: string,
  type: string,
  given: Column<V>['given'],
  { read = same, write = same }: Partial<Pick<Column<V>, 'read' | 'write'>> = {},
): Column<V> => ({ name, type, read, write, given });

/** Characters that JSON escapes, and halves of surrogate pairs. Most texts have none, and this test is faster than JSON.stringify. */
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/;

const quoted = (value: string | null): string =>
  value === null ? 'null' : escaped.test(value) ? JSON.stringify(value) : `"${value}"`;

/** Returns a column that is null where the value is. */
const nullable = <V extends string | number>(name: string, type: string): Column<V | null> =>
  column(name, type, (value) => (value === null ? null : JSON.stringify(value)));

/** A name or an id: no character of it is escaped in JSON. */
export const nameIn = (name: string): Stored<string> => ({
  columns: [column(name, 'text', (value) => `"${value}"`)],
  parse: (row, at) => row[at] ?? '',
  show: (value) => `"${value}"`,
  showRow: (row, at) => `"${row[at] ?? ''}"`,
});

export const textIn = (name: string, ...derived: readonly Column<string>[]): Stored<string> => ({
  columns: [column<string>(name, 'text', JSON.stringify), ...derived],
  parse: (row, at) => row[at] ?? '',
  show: quoted,
  showRow: (row, at) => quoted(row[at] ?? ''),
});

/** Returns a column that is made of a text, and not read. */
export const derivedFrom = (name: string, derive: (text: string) => string): Column<string> =>
  column(name, 'text', (value) => JSON.stringify(derive(value)), { read: null });

export const optionalTextIn = (name: string): Stored<string | null> => ({
  columns: [nullable<string>(name, 'text')],
  parse: (row, at) => row[at] ?? null,
  show: quoted,
  showRow: (row, at) => quoted(row[at] ?? null),
});

const numberIn = (name: string, type: 'int' | 'bigint'): Stored<number> => ({
  columns: [column(name, type, String)],
  parse: (row, at) => Number(row[at]),
  show: String,
  showRow: '0',
});
export const countIn = (name: string): Stored<number> => numberIn(name, 'int');
/** Epoch milliseconds. */
export const timeIn = (name: string): Stored<number> => numberIn(name, 'bigint');

/** Epoch milliseconds, or null. */
export const optionalTimeIn = (name: string): Stored<number | null> => ({
  columns: [nullable<number>(name, 'bigint')],
  parse: (row, at) => {
    const value = row[at] ?? null;
    return value === null ? null : Number(value);
  },
  show: String,
  showRow: 'null',
});

export const flagIn = (name: string): Stored<boolean> => ({
  columns: [column(name, 'boolean', String)],
  parse: (row, at) => row[at] === 't',
  show: String,
  showRow: (row, at) => (row[at] === 't' ? 'true' : 'false'),
});

/**
 * Tags come in changes as one text: a JSON array inside a record costs PostgreSQL 60 µs, some 20 times its text. No tag
 * holds a comma.
 */
export const tagsIn = (name: string): Stored<readonly string[]> => ({
  columns: [
    column<readonly string[]>(name, 'text', (value) => JSON.stringify(value.join(',')), {
      read: (tags) => `array_to_json(${tags})::text`,
      write: (tags) => `string_to_array(${tags}, ',')`,
    }),
  ],
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- PostgreSQL made it of a text array
  parse: (row, at) => JSON.parse(row[at] ?? '[]') as string[],
  show: (value) => JSON.stringify(value),
  showRow: '[]',
});

/** A JSON object that stays the text that it is. */
export const jsonTextIn = (name: string): Stored<string> => ({
  columns: [column<string>(name, 'json', same, { read: asText })],
  parse: (row, at) => row[at] ?? '',
  show: same,
  showRow: '{}',
});

/** A value of type `V` as jsonb; `none` where the column is null. */
export const jsonIn = <V>(name: string, none: V): Stored<V> => ({
  columns: [column<V>(name, 'jsonb', (value) => (value === null ? null : JSON.stringify(value)), { read: asText })],
  parse: (row, at) => {
    const value = row[at] ?? null;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only changes of typed items, the demo and erasures write the column
    return value === null ? none : (JSON.parse(value) as V);
  },
  show: (value) => JSON.stringify(value),
  showRow: 'null',
});

const showRecord = (resource: string | null, id: string | null, title: string | null, reader: Reader): string =>
  resource === null || id === null || !reader.sees('resource', resource)
    ? 'null'
    : `{"resource":"${resource}","id":${quoted(id)},"title":${quoted(title)}}`;

/** A record in three columns. */
export const recordIn = (prefix: string): Stored<ItemRecord | null> => {
  const part = (member: keyof ItemRecord): Column<ItemRecord | null> => {
    const { given, ...rest } = nullable<string>(`${prefix}_${member}`, 'text');
    return { ...rest, given: (record) => given(record === null ? null : record[member]) };
  };
  return {
    columns: [part('resource'), part('id'), part('title')],
    parse: (row, at) => {
      const resource = row[at] ?? null;
      return resource === null ? null : { resource, id: row[at + 1] ?? '', title: row[at + 2] ?? null };
    },
    show: (record, reader) => (record === null ? 'null' : showRecord(record.resource, record.id, record.title, reader)),
    showRow: (row, at, reader) => showRecord(row[at] ?? null, row[at + 1] ?? null, row[at + 2] ?? null, reader),
  };
};
