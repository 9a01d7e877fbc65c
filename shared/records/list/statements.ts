/**
 * The statements of record lists: streams that are read in strides, matches that terms or a range of keys find, and samples
 * of how frequent terms are. What they cost was measured: docs/performance.md. Used by records/list/ and records/search.ts.
 */
import { type NamedStatement, namedStatement } from '../../platform/db/sql.ts';
import { behindSql, gatherSql, hiddenFromPlanner, orderSql, probeSql } from '../../platform/listing/scanSql.ts';

/** An ordered index of records: `present` and `absent` are records with and without a field. */
export type RecordStreamName = 'title' | 'updatedAt' | 'id' | 'present' | 'absent';

export interface RecordStreamShape {
  readonly stream: RecordStreamName;
  readonly descending: boolean;
  /** Whether the stream is read from behind a place; else from its beginning. */
  readonly behind: boolean;
  /** Whether the field that the stream is sorted by holds numbers: then the value in the record is its key. */
  readonly numeric?: boolean;
}

/** Columns that a stream is ordered by before the id, of `records` (`r`) or `record_keys` (`k`). */
const keyColumnsByStream: Readonly<Record<RecordStreamName, readonly string[]>> = {
  title: ['r.title_key'],
  updatedAt: ['r.updated_at'],
  id: [],
  present: ['k.num', 'k.text'],
  absent: [],
};
const keyTypesByStream: Readonly<Record<RecordStreamName, readonly string[]>> = {
  title: ['text'],
  updatedAt: ['bigint'],
  id: [],
  present: ['float8', 'text'],
  absent: [],
};

const isKeyed = (stream: RecordStreamName): boolean => stream === 'present' || stream === 'absent';
const shapeName = ({ stream, descending, behind }: RecordStreamShape): string =>
  `${stream}.${descending ? 'down' : 'up'}${behind ? '.behind' : ''}`;

const columnsOf = (stream: RecordStreamName): string[] => [
  ...keyColumnsByStream[stream],
  isKeyed(stream) ? 'k.id' : 'r.id',
];

const orderOf = ({ stream, descending }: RecordStreamShape): string => orderSql(columnsOf(stream), descending);

const afterPositionSql = ({ stream, descending, behind }: RecordStreamShape): string =>
  behind
    ? behindSql(
        columnsOf(stream),
        [...keyTypesByStream[stream].map((type, n) => `$key${String(n + 1)}::${type}`), '$id::text'],
        descending,
      )
    : 'true';

/** The names of the keys in results; a key that a stream lacks is null. */
export const recordKeyColumns = ['k1', 'k2'] as const;

const keyColumns = (stream: RecordStreamName): string => {
  const columns = keyColumnsByStream[stream];
  return `${columns[0] ?? 'null::text'} as k1, ${columns[1] ?? 'null::text'} as k2`;
};

const fits =
  '(($path::jsonpath is null or r.fields @@ $path::jsonpath) and ($query::tsquery is null or r.terms @@ $query::tsquery)) is true';
const ofResourceHidden = `${hiddenFromPlanner('r.env = $env')} and ${hiddenFromPlanner('r.resource = $resource')}`;
const ofField = 'k.env = $env and k.resource = $resource and k.field = $field';
/**
 * The condition of keys within the bounds that the filters leave. Behind a place only the far bound is compared: from the
 * near bound PostgreSQL would read all keys before the place.
 */
const bounded = ({ stream, descending, behind }: RecordStreamShape): string => {
  if (stream === 'absent') return 'k.missing';
  const floor = behind && !descending ? '' : ' and k.num >= $floor::float8';
  return `not k.missing${floor}${behind && descending ? '' : ' and k.num <= $ceiling::float8'}`;
};

/** Keys of a record that was written since are stale: their stamps differ, and the record is found by its new keys. */
const streamSql = (shape: RecordStreamShape, rows: number): string => {
  const { stream } = shape;
  const end = `order by ${orderOf(shape)} limit ${String(rows)}`;
  if (!isKeyed(stream)) {
    return `select r.id, ${keyColumns(stream)}, ${fits} as fits from (
      select r.* from records r where r.env = $env and r.resource = $resource and ${afterPositionSql(shape)} ${end}) r`;
  }
  return `select k.id, k.k1, k.k2, r.id is not null and ${fits} as fits from (
      select k.id, k.stamp, ${keyColumns(stream)} from record_keys k where ${ofField} and ${bounded(shape)} and ${afterPositionSql(shape)} ${end}) k
    left join lateral (select * from records r where r.env = $env and r.resource = $resource and r.id = k.id and r.stamp = k.stamp offset 0) r on true`;
};

/** A record with its fields as text. */
export const rawRecordColumns =
  'r.resource, r.id, r.title, r.subtitle, r.fields::text as fields, r.updated_at as "updatedAt"';
const foundSql = ({ descending }: RecordStreamShape, more: string) => ({
  columns: `${rawRecordColumns}, f.k1, f.k2, ${more}`,
  join: 'left join records r on r.env = $env and r.resource = $resource and r.id = f.id',
  order: orderSql(['f.k1', 'f.k2', 'f.id'], descending),
});

/** Selects the next `$limit` records of a stream without filters. */
export const recordStreamStatement = (shape: RecordStreamShape): NamedStatement =>
  namedStatement(`records.plain.${shapeName(shape)}`, () => {
    const { stream } = shape;
    const from = isKeyed(stream)
      ? `record_keys k join records r on r.env = $env and r.resource = $resource and r.id = k.id and r.stamp = k.stamp where ${ofField} and ${bounded(shape)}`
      : 'records r where r.env = $env and r.resource = $resource';
    return `select ${rawRecordColumns}, ${keyColumns(stream)} from ${from} and ${afterPositionSql(shape)} order by ${orderOf(shape)} limit $limit`;
  });

/** Selects those of the next `rows` of a stream that fit, at most `$limit`, and the edge (`probeSql`). */
export const recordProbeStatement = (shape: RecordStreamShape, rows: number): NamedStatement =>
  namedStatement(`records.probe.${shapeName(shape)}.${String(rows)}`, () =>
    probeSql({
      source: streamSql(shape, rows),
      rows,
      keys: recordKeyColumns,
      carried: recordKeyColumns,
      fits: 'fits',
      counts: [],
      ...foundSql(shape, 'f.edge'),
    }),
  );

/**
 * Joins the keys that matches are sorted by. A number is taken from the record, which spares reading its keys from another
 * place on the disk.
 */
const withKeys = (shape: RecordStreamShape): string => {
  const { stream, numeric = false } = shape;
  if (!isKeyed(stream)) return '';
  if (numeric) {
    const [number, has] =
      stream === 'present' ? ['(r.fields ->> $field::text)::float8', 'true'] : ['0::float8', 'not true'];
    return `join lateral (select r.id, ${number} as num, ''::text collate "C" as text
      where (jsonb_typeof(r.fields -> $field::text) = 'number') is ${has} offset 0) k on true`;
  }
  return `join lateral (select * from record_keys k where k.env = $env and k.resource = $resource and k.id = r.id
    and ${hiddenFromPlanner('k.field = $field')} and k.stamp = r.stamp and ${hiddenFromPlanner(bounded(shape))} offset 0) k on true`;
};

/** Selects what fits behind the place of the records in `found`, with the number of matches as `n`: the first ones, if `n` is at most `most`. */
const gathered = (shape: RecordStreamShape, found: string, most: number): string => `
    with m as materialized (
      select r.id, ${keyColumns(shape.stream)} from (${found}) r ${withKeys(shape)}
      where ${fits} and ${hiddenFromPlanner(afterPositionSql(shape))} limit ${String(most + 1)})
    ${gatherSql({ matches: 'm', counted: 'm', first: orderSql([...recordKeyColumns, 'id'], shape.descending), ...foundSql(shape, 'c.n') })}`;

const gatherName = (shape: RecordStreamShape): string =>
  `${shapeName(shape)}${shape.numeric === true ? '.numeric' : ''}`;

/** Selects matches found by the tsquery `$terms`; the GIN index is the only one that PostgreSQL can use. */
export const gatherTermsStatement = (shape: RecordStreamShape, most: number): NamedStatement =>
  namedStatement(`records.gatherTerms.${gatherName(shape)}.${String(most)}`, () =>
    gathered(shape, `select * from records r where r.terms @@ $terms::tsquery and ${ofResourceHidden} offset 0`, most),
  );

const inRange =
  'x.env = $env and x.resource = $resource and x.field = $rangeField and not x.missing and x.num >= $least::float8 and x.num <= $most::float8';

/** Selects matches found by a range of a field's numbers. */
export const gatherRangeStatement = (shape: RecordStreamShape, most: number): NamedStatement =>
  namedStatement(`records.gatherRange.${gatherName(shape)}.${String(most)}`, () =>
    gathered(
      shape,
      `select r.* from record_keys x join records r on r.env = $env and r.resource = $resource and r.id = x.id and r.stamp = x.stamp where ${inRange} offset 0`,
      most,
    ),
  );

/** Counts the keys of a range, up to `most` + 1. */
export const countRangeStatement = (most: number): NamedStatement =>
  namedStatement(
    `records.countRange.${String(most)}`,
    () => `select count(*)::int as n from (select 1 from record_keys x where ${inRange} limit ${String(most + 1)}) x`,
  );

/**
 * Counts, of the first `rows` records by id (an order that seldom correlates with another): all, and those with each of six
 * terms; and estimates the number of records in the table.
 */
export const sampleTermsStatement = (rows: number): NamedStatement =>
  namedStatement(
    `records.sample.${String(rows)}`,
    () => `
    select count(*)::int as n, ${[1, 2, 3, 4, 5, 6].map((n) => `(count(*) filter (where r.terms @@ $term${String(n)}::tsquery))::int as t${String(n)}`).join(', ')},
      (select greatest(reltuples, 0)::float8 from pg_class where oid = 'records'::regclass) as total
    from (select r.terms from records r where r.env = $env and r.resource = $resource order by r.id limit ${String(rows)}) r`,
  );

/**
 * Selects any `$limit` records that fit both `$terms` and `$query`, in no order. The inner query is planned without the
 * limit, because PostgreSQL would read the table for a few rows; it is executed only up to the limit.
 */
export const anyMatchesStatement: NamedStatement = namedStatement(
  'records.anyOf',
  () => `
  with found as materialized (
    select r.ctid as place from records r where r.terms @@ $terms::tsquery and ${ofResourceHidden}
      and ${hiddenFromPlanner('r.terms @@ $query::tsquery')})
  select ${rawRecordColumns}
  from (select place from found limit $limit) f join lateral (select * from records r where r.ctid = f.place) r on true`,
);
