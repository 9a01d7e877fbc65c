/**
 * The statements of item lists, one for each shape: branches merged in order, row comparisons as cursors, filters
 * outside of a limited stream, conditions hidden (`is true`) from indexes that would be slower. What each of these gains
 * was measured: docs/performance.md. Used by scan.ts, search.ts and count.ts.
 */
import { type NamedStatement, namedStatement } from '../../platform/db/sql.ts';
import {
  edgeSql,
  gatherSql,
  hiddenFromPlanner,
  orderSql,
  probeSql,
  type EdgeShape,
} from '../../platform/listing/scanSql.ts';
import { itemColumns, scannedColumns } from '../model.ts';
import { bucketSql, fortnightSql } from '../search/terms.ts';
import {
  allConditions,
  allPartsFit,
  conditionsOfFound,
  filterConditions,
  filterNames,
  hintConditions,
  mayHaveAllSql,
  partColumns,
  partConditions,
  publishedTotal,
  wholeColumn,
} from './filters.ts';
import type { CandidateSource } from './sources.ts';
import type { ItemStream } from './streams.ts';
import {
  afterCursorSql,
  branchSql,
  itemShapeName,
  itemStreamSql,
  orderBySql,
  sortKeySql,
  type ItemStreamShape,
} from './streamSql.ts';

/** Rows have `itemColumns`, perhaps a further column, and last the value that they are sorted by. */
const selectedColumns = (stream: ItemStream, more = ''): string => `${itemColumns}${more}, ${sortKeySql(stream)}`;

/** Selects the next rows of a stream without filters, at most `$limit`. */
export const itemStreamStatement = (shape: ItemStreamShape): NamedStatement =>
  namedStatement(
    `items.plain.${itemShapeName(shape)}`,
    () => `
    select ${selectedColumns(shape.stream)} from (${itemStreamSql(shape)}) i order by ${orderBySql(shape.stream, shape.descending)} limit $limit`,
  );

/** Selects for each row of the stream whether it fits each filter (`c0`, `c1` …). */
const judgedRows = (shape: ItemStreamShape): string => {
  const { skips } = shape.stream;
  const judgements = [
    ...filterNames.map((filter) =>
      skips === undefined ? filterConditions[filter] : skips.filter === filter ? skips.by : 'true',
    ),
    ...hintConditions.map((condition) => (skips === undefined ? condition : 'false')),
  ].map((condition, n) => `${condition} as c${String(n)}`);
  return `select i.id, ${sortKeySql(shape.stream)} as key, ${judgements.join(',\n')} from (${itemStreamSql(shape, skips?.columns)}) i`;
};

/** Of judged rows: how many fit each filter, and how many hold the hint of each word. */
const edgeShape = ({ rows }: ItemStreamShape): EdgeShape => ({
  rows,
  keys: ['key'],
  fits: filterNames.map((_filter, n) => `c${String(n)}`).join(' and '),
  counts: [...filterNames, ...hintConditions].map((_each, n) => `c${String(n)}`),
});

const joinItems = 'left join items i on i.env = $env and i.id = f.id';

/** Selects those of the next rows of a stream that fit, at most `$limit`, and the edge (`probeSql`). */
export const itemProbeStatement = (shape: ItemStreamShape): NamedStatement =>
  namedStatement(`items.probe.${itemShapeName(shape)}`, () =>
    probeSql({
      source: judgedRows(shape),
      ...edgeShape(shape),
      carried: [],
      columns: selectedColumns(shape.stream, ', f.edge'),
      join: joinItems,
      order: orderBySql(shape.stream, shape.descending),
    }),
  );

/** Selects the edge alone. */
export const itemEdgeStatement = (shape: ItemStreamShape): NamedStatement =>
  namedStatement(
    `items.edge.${itemShapeName(shape)}`,
    () => `with s as (${judgedRows(shape)}) select ${edgeSql(edgeShape(shape))} from s`,
  );

/** Counts the items of the visible inboxes, as far as they are published, the next rows of a stream, those of them that have all parts of the contents, and those that have each. */
export const itemPartsStatement = (shape: ItemStreamShape): NamedStatement =>
  namedStatement(
    `items.parts.${itemShapeName(shape)}`,
    () => `
    select json_build_array(${publishedTotal}, count(*), count(*) filter (where ${allPartsFit}), ${partConditions.map((each) => `count(*) filter (where ${each})`).join(', ')})::text
    from (${itemStreamSql(shape)}) i cross join lateral (
      select ${partColumns} from item_words w where w.env = $env and w.item = i.id) p`,
  );

/** Selects the place of the last of the next rows of a stream by activity, in the index alone. */
export const itemPlaceStatement = (shape: ItemStreamShape): NamedStatement =>
  namedStatement(
    `items.place.${itemShapeName(shape)}`,
    () => `
    select i.last_seen, i.id from (${itemStreamSql(shape, 'i.id, i.last_seen')}) i
    order by ${orderBySql(shape.stream, shape.descending)} offset ${String(shape.rows - 1)}`,
  );

/** Returns the SQL of the inboxes' oldest or newest activity. */
const bound = (direction: 'asc' | 'desc'): string => `
  (select ${direction === 'asc' ? 'min' : 'max'}(x.last_seen) from unnest($inboxes::text[]) as v(inbox) cross join lateral
    (select last_seen from items where env = $env and inbox = v.inbox order by last_seen ${direction}, id ${direction} limit 1) x)`;

/** Returns the SQL of the tsqueries of fortnights (`from` to `to`) in all visible inboxes. */
const fortnightQueries = (from: string, to: string): string => `
  array(select array_to_string($pieces::text[], ${bucketSql('n', 'v.code')})::tsquery from generate_series(${from}, ${to}) as n, unnest($codes::text[]) as v(code))`;

/** Rows that a tsquery finds and that fit. The GIN index is the only one that PostgreSQL may think of here. */
const matchingRows = `i.terms @@ any (q.terms) and ${hiddenFromPlanner('i.env = $env')} and ${hiddenFromPlanner('i.inbox = any ($inboxes::text[])')}`;

/**
 * Fortnights in groups of 1, 1, 2, 4, 8 … from that of the cursor on: frequent matches are found in the first groups, and
 * rare ones cost a look-up for each fortnight and inbox. The array is made in a LATERAL of its own, or the scan would be parallel.
 */
const groups = (descending: boolean): string => {
  const [near, far] = descending
    ? ['(1 << g) - 1', 'case g when 0 then 0 else 1 << (g - 1) end']
    : ['case g when 0 then 0 else 1 << (g - 1) end', '(1 << g) - 1'];
  const terms = descending
    ? fortnightQueries(`greatest(s.first - (${near}), s.last)`, `s.first - (${far})`)
    : fortnightQueries(`s.first + (${near})`, `least(s.first + (${far}), s.last)`);
  return `
    (select ${fortnightSql('$key::bigint')} as first, ${fortnightSql(descending ? `greatest(${bound('asc')}, $seenFrom::bigint)` : `least(${bound('desc')}, $seenTo::bigint)`)} as last offset 0) s
    cross join generate_series(0, 12) as g
    cross join lateral (select ${terms} as terms where case g when 0 then 0 else 1 << (g - 1) end <= ${descending ? 's.first - s.last' : 's.last - s.first'} offset 0) q`;
};

/** Selects what fits behind the cursor, found by the terms in `$pieces`; only for streams by `last_seen`. */
export const itemWalkStatement = (stream: ItemStream, descending: boolean): NamedStatement =>
  namedStatement(`items.walk.${descending ? 'down' : 'up'}`, () => {
    const order = orderBySql(stream, descending);
    return `
    select ${selectedColumns(stream)} from (
      select i.* from ${groups(descending)} cross join lateral (
        select ${scannedColumns} from items i where ${matchingRows} and ${hiddenFromPlanner(afterCursorSql(stream, descending))} and ${allConditions} order by ${order} limit $limit) i
      limit $limit) i order by ${order}`;
  });

/** Selects the first and the last fortnight of what a request may find. */
export const fortnightsStatement: NamedStatement = namedStatement(
  'items.fortnights',
  () => `
  select ${fortnightSql(`least(${bound('desc')}, $seenTo::bigint)`)}, ${fortnightSql(`greatest(${bound('asc')}, $seenFrom::bigint)`)}`,
);

/** Selects the items that the terms in `$pieces` find in the fortnights from `$from` back to `$to`. */
export const fortnightRowsSql = `
  select i.* from (select ${fortnightQueries('$to::int', '$from::int')} as terms offset 0) q
  cross join lateral (select ${scannedColumns} from items i where ${matchingRows} offset 0) i`;

/** Returns the SQL of the first of the matches `m` in order, each with the number of `counted` rows. */
const firstOf = (stream: ItemStream, descending: boolean, counted: string): string =>
  gatherSql({
    matches: 'm',
    counted,
    first: orderSql(stream.key === null ? ['id'] : ['key', 'id'], descending),
    columns: selectedColumns(stream, ', c.n'),
    join: joinItems,
    order: orderBySql(stream, descending),
  });

/** Selects the item of a row `d`, if the role sees its inbox. */
export const itemByIdSql = `select ${scannedColumns} from items i where i.env = $env and i.id = d.item and i.inbox = any ($inboxes::text[]) offset 0`;

/** Returns the conditions of rows of a stream behind the cursor that fit; those of the stream are hidden. */
const belonging = (stream: ItemStream, descending: boolean, conditions = allConditions): string =>
  [
    afterCursorSql(stream, descending),
    ...(stream.name === 'due' ? ['i.due_at is not null'] : []),
    ...(stream.name === 'undue' ? ['i.due_at is null'] : []),
    ...(stream.by === 'priority'
      ? [`($ranked::text[] is null or i.inbox || ' ' || i.priority = any ($ranked::text[]))`]
      : []),
  ]
    .map(hiddenFromPlanner)
    .concat(conditions)
    .join(' and ');

/**
 * Selects the first rows behind the cursor that fit, found by the terms in `$pieces` in any fortnight. Each row has a
 * further column with the number of rows that the terms find: with more than `$most`, the rows are not the first ones.
 */
export const itemGatherStatement = (stream: ItemStream, descending: boolean): NamedStatement =>
  namedStatement(
    `items.gather.${stream.name}.${descending ? 'down' : 'up'}`,
    () => `
    with s as (select ${fortnightSql(`greatest(${bound('asc')}, $seenFrom::bigint)`)} as first, ${fortnightSql(`least(${bound('desc')}, $seenTo::bigint)`)} as last offset 0),
    d as materialized (
      select i.id, ${sortKeySql(stream)} as key, (${belonging(stream, descending)}) as fits
      from s cross join lateral (select ${fortnightQueries('s.first', 's.last')} as terms offset 0) q
      cross join lateral (select ${scannedColumns} from items i where ${matchingRows} limit $most + 1) i),
    m as (select * from d where fits)
    ${firstOf(stream, descending, 'd')}`,
  );

/** Selects the same, found by their deadlines. All overdue items are counted; the branches are those of `itemStreams.due`. */
export const itemGatherDueStatement = (stream: ItemStream, descending: boolean, due: ItemStream): NamedStatement =>
  namedStatement(
    `items.gatherDue.${stream.name}.${descending ? 'down' : 'up'}`,
    () => `
    with d as materialized (
      select i.id, ${sortKeySql(stream)} as key, ${belonging(stream, descending)} as fits
      from unnest($inbox::text[], $state::text[], $closed::bool[], $least::bigint[], $below::bigint[]) as b(inbox, state, closed, least, below)
      cross join lateral (${branchSql({ stream: due, descending, within: false }, null, { whole: true })} offset 0) i limit $most + 1),
    m as (select * from d where fits)
    ${firstOf(stream, descending, 'd')}`,
  );

/** Selects the same, found by a source of candidates. All candidates are counted. */
export const itemGatherCandidatesStatement = (
  stream: ItemStream,
  descending: boolean,
  { name, rows }: CandidateSource,
): NamedStatement =>
  namedStatement(
    `items.gatherCandidates.${name}.${stream.name}.${descending ? 'down' : 'up'}`,
    () => `
    with d as materialized (
      select i.id, ${sortKeySql(stream)} as key, (${hiddenFromPlanner('i.inbox = any ($inboxes::text[])')} and ${belonging(stream, descending)}) as fits
      from (${rows(scannedColumns)} offset 0) i limit $most + 1),
    m as (select * from d where fits)
    ${firstOf(stream, descending, 'd')}`,
  );

/**
 * Selects the first rows behind the cursor that fit, found by their contents (`$looked`) in item_words. All rows found there
 * are counted: with more than `$most` none is selected. Each item is looked up by a query of its own: joined, PostgreSQL
 * may read the whole table instead.
 */
export const itemGatherContentsStatement = (stream: ItemStream, descending: boolean): NamedStatement =>
  namedStatement(
    `items.gatherContents.${stream.name}.${descending ? 'down' : 'up'}`,
    () => `
    with d as materialized (select w.item, ${wholeColumn} from item_words w where w.words @@ any ($looked::tsquery[]) limit $most + 1),
    m as (
      select i.id, ${sortKeySql(stream)} as key from (${mayHaveAllSql('(select * from d where (select count(*) from d) <= $most)')}) as d
      cross join lateral (${itemByIdSql}) i where ${belonging(stream, descending, conditionsOfFound)})
    ${firstOf(stream, descending, 'd')}`,
  );

/** Counts the rows of item_words that `$looked` finds, up to `$most` + 1. */
export const contentRowsStatement: NamedStatement = namedStatement(
  'items.contentRows',
  () => 'select count(*) from (select 1 from item_words w where w.words @@ any ($looked::tsquery[]) limit $most + 1) w',
);

/** Counts the rows behind the cursor that fit, found by their contents, up to `$limit`: mostly by the items' own texts, of which there is one each. */
export const itemCountContentsStatement = (stream: ItemStream): NamedStatement =>
  namedStatement(
    `items.countContents.${stream.name}`,
    () => `
    select count(*) from (
      select from (
        select w.item, ${wholeColumn} from item_words w where w.words @@ any ($looked::tsquery[]) and w.source = ''
        union all
        select distinct w.item, false from item_words w where w.words @@ any ($looked::tsquery[]) and w.source <> ''
          and not exists (select from item_words o where o.env = $env and o.item = w.item and o.source = '' and o.words @@ any ($looked::tsquery[]))) d
      cross join lateral (${itemByIdSql}) i where ${belonging(stream, true, conditionsOfFound)} limit $limit) i`,
  );

/** Counts the rows of a stream behind a place, up to `ItemStreamShape.rows`, in the index alone. */
export const itemCountStatement = (shape: ItemStreamShape): NamedStatement =>
  namedStatement(`items.count.${itemShapeName(shape)}`, () => {
    const { key } = shape.stream;
    return `select count(*) from (${itemStreamSql(shape, key === null ? 'i.id' : `i.id, i.${key}`)}) i`;
  });

/** Counts the rows by `last_seen` behind the cursor that fit, found by the terms in `$pieces`, up to `$limit`. */
export const itemCountWalkStatement = (stream: ItemStream): NamedStatement =>
  namedStatement(
    'items.countWalk',
    () => `
    select count(*) from (
      select 1 from ${groups(true)} cross join lateral (select 1 from items i where ${matchingRows} and ${hiddenFromPlanner(afterCursorSql(stream, true))} and ${allConditions} limit $limit) i
      limit $limit) i`,
  );

/** Selects the ids of the rows by `last_seen` behind the cursor that fit, found by the terms in `$pieces`, at most `$limit`. */
export const itemIdsWalkStatement = (stream: ItemStream): NamedStatement =>
  namedStatement(
    'items.idsWalk',
    () => `
    select i.id from ${groups(true)} cross join lateral (
      select i.id from items i where ${matchingRows} and ${hiddenFromPlanner(afterCursorSql(stream, true))} and ${allConditions} limit $limit) i
    limit $limit`,
  );
