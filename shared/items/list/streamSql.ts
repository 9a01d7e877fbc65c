/** The SQL of a stream: its branches, merged in order from a cursor on or as a range. Used by statements.ts, scan.ts and groups.ts. */
import { columnsOf, memberNames } from '../../app/items/members.ts';
import type { NamedValues } from '../../platform/db/sql.ts';
import { behindSql, orderSql } from '../../platform/listing/scanSql.ts';
import { scannedColumns } from '../model.ts';
import type { CursorKeys } from './request.ts';
import type { ItemStream } from './streams.ts';

/** Numbers of branches that statements have; a request takes the next larger one, and its spare branches are null and cost nothing. */
const branchSizes = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

/** Returns the number of branches of the statement to use; null: too many for a plan of their own. */
export const branchSizeFor = (branches: number): number | null => branchSizes.find((size) => size >= branches) ?? null;

const rangeBranches = (size: number | null): number => Math.max(2, size ?? 1);

export interface ItemStreamShape {
  readonly stream: ItemStream;
  /** The number of branches; null: read by LATERAL. */
  readonly size: number | null;
  readonly descending: boolean;
  /** Whether only a range of `last_seen` is read, by which the stream is ordered. */
  readonly within: boolean;
  /** How many rows are read. A number in the text, because PostgreSQL estimates a parameter as a tenth of the rows. */
  readonly rows: number;
}

export const itemShapeName = ({ stream, size, descending, within, rows }: ItemStreamShape): string =>
  `${stream.name}.${String(size ?? 'many')}.${descending ? 'down' : 'up'}.${within ? 'within.' : ''}${String(rows)}`;

/** The part of a shape by which ranges of streams by activity differ. */
export type RangeShape = Pick<ItemStreamShape, 'stream' | 'size'>;

export const itemRangeName = ({ stream, size }: RangeShape): string => `${stream.name}.${String(size ?? 'many')}`;

/** Alias of the rows: `i`. */
export const sortKeySql = (stream: ItemStream): string => (stream.key === null ? 'null::bigint' : `i.${stream.key}`);

const orderColumns = ({ key }: ItemStream): string[] => [...(key === null ? [] : [`i.${key}`]), 'i.id'];

export const orderBySql = (stream: ItemStream, descending: boolean): string =>
  orderSql(orderColumns(stream), descending);

const columnTypes = new Map<string | null, string>(
  memberNames.flatMap(columnsOf).map(({ name, type }) => [name, type]),
);

/** Returns the type of the column that a stream is ordered by. */
export const keyType = ({ key }: Pick<ItemStream, 'key'>): string => columnTypes.get(key) ?? 'bigint';

/** Returns the condition of rows behind the cursor. */
export const afterCursorSql = (stream: ItemStream, descending: boolean): string =>
  behindSql(
    orderColumns(stream),
    [...(stream.key === null ? [] : [`$key::${keyType(stream)}`]), '$id::text'],
    descending,
  );

interface BranchOptions {
  readonly columns?: string;
  /** Without a cursor. */
  readonly whole?: boolean;
}

/** Returns the conditions of one branch; `at` is its index in the arrays of parameters, null: the columns of `b` in a LATERAL. */
const branchConditions = (
  { stream: { by, key }, within }: Pick<ItemStreamShape, 'stream' | 'within'>,
  at: number | null,
): string[] => {
  const of = (column: string, type: string): string =>
    at === null ? `b.${column}` : `($${column}::${type}[])[${String(at)}]`;
  const conditions = [`i.inbox = ${of('inbox', 'text')}`];
  if (by === 'assignee') conditions.push(`i.assignee = ${of('assignee', 'text')}`);
  if (by === 'priority') conditions.push(`i.priority = ${of('priority', 'text')}`);
  if (by === 'state' || by === 'deadline' || by === 'priority') conditions.push(`i.state = ${of('state', 'text')}`);
  if (by === 'deadline')
    conditions.push(
      `i.closed = ${of('closed', 'bool')}`,
      `i.${key ?? 'id'} >= ${of('least', 'bigint')}`,
      `i.${key ?? 'id'} < ${of('below', 'bigint')}`,
    );
  if (within) conditions.push('i.last_seen >= $seenFrom::bigint', 'i.last_seen < $seenTo::bigint');
  return conditions;
};

/** Selects the rows of one branch (branchConditions). */
export const branchSql = (
  shape: Pick<ItemStreamShape, 'stream' | 'descending' | 'within'>,
  at: number | null,
  { columns = scannedColumns, whole = false }: BranchOptions,
): string => {
  const { stream, descending } = shape;
  const conditions = branchConditions(shape, at);
  if (!whole) conditions.push(afterCursorSql(stream, descending));
  return `select ${columns} from items i where i.env = $env ${stream.where} and ${conditions.join(' and ')}`;
};

/** Holds of every item, and of what no index has: without it PostgreSQL reads a whole index that has all columns, and compares each entry. */
const ofTheTable = 'i.version > 0';

/**
 * Selects the rows of a stream by activity behind the cursor up to the place of `$untilKeys` and `$untilId`, in no order: as a bitmap,
 * which PostgreSQL reads in the order of the table, in half of the time that an index in its own order takes. The keys are one for each
 * branch, all equal, and there are two branches at least: of a condition that all of them share PostgreSQL makes an ordered scan.
 */
export const itemRangeSql = ({ stream, size }: RangeShape): string => {
  const branch = { stream, descending: true, within: false };
  const until = (key: string): string => `(i.last_seen, i.id) >= (${key}, $untilId::text)`;
  if (size === null)
    return `select i.* from unnest($inbox::text[], $state::text[], $assignee::text[]) as b(inbox, state, assignee) cross join lateral (
      ${branchSql(branch, null, {})} and ${until('($untilKeys::bigint[])[1]')} offset 0) i`;
  const branches = Array.from({ length: rangeBranches(size) }, (_, n) =>
    [...branchConditions(branch, n + 1), until(`($untilKeys::bigint[])[${String(n + 1)}]`)].join(' and '),
  );
  return `select ${scannedColumns} from items i where i.env = $env ${stream.where} and ${afterCursorSql(stream, true)} and ${ofTheTable} and (${branches.join('\n or ')})`;
};

/**
 * Selects up to `$most` of the same rows of the stream `seen` (null: all), for what reads no column that its index lacks (migrations/0080):
 * PostgreSQL then reads none of the table's rows that are visible to all. The order keeps it from another index, of states.
 */
export const coveredRangeSql = (stream: ItemStream): string => `
  select ${scannedColumns} from items i where i.env = $env and i.inbox = any ($inboxes::text[]) and ${afterCursorSql(stream, true)}
    and (i.last_seen, i.id) >= (($untilKeys::bigint[])[1], $untilId::text) order by i.inbox, ${orderBySql(stream, true)} limit $most`;

/** Returns the parameters of `itemRangeSql` and `coveredRangeSql`. */
export const untilValues = (size: number | null, [key = null, id = null]: CursorKeys): NamedValues => ({
  untilKeys: Array.from({ length: rangeBranches(size) }, () => key),
  untilId: id,
});

/** Selects the next rows of a stream behind the cursor, in order. */
export const itemStreamSql = (shape: ItemStreamShape, columns = scannedColumns): string => {
  const order = orderBySql(shape.stream, shape.descending);
  const limit = String(shape.rows);
  if (shape.size === null) {
    return `select i.* from unnest($inbox::text[], $state::text[], $assignee::text[], $priority::text[], $closed::bool[], $least::bigint[], $below::bigint[]) as b(inbox, state, assignee, priority, closed, least, below)
      cross join lateral (${branchSql(shape, null, { columns })} order by ${order} limit ${limit}) i order by ${order} limit ${limit}`;
  }
  // The inner order keeps PostgreSQL from reading a branch in another order.
  const branches = Array.from(
    { length: shape.size },
    (_, n) => `(${branchSql(shape, n + 1, { columns })} order by ${order})`,
  );
  return `select * from (${branches.join('\n union all ')}) i order by ${order} limit ${limit}`;
};
