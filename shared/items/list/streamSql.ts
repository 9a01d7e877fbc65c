/** The SQL of a stream: its branches, merged in order from a cursor on. Used by statements.ts and scan.ts. */
import { behindSql, orderSql } from '../../platform/listing/scanSql.ts';
import type { ItemStream } from './streams.ts';

/** Numbers of branches that statements have; a request takes the next larger one, and its spare branches are null and cost nothing. */
const branchSizes = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

/** Returns the number of branches of the statement to use; null: too many for a plan of their own. */
export const branchSizeFor = (branches: number): number | null => branchSizes.find((size) => size >= branches) ?? null;

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

/** Alias of the rows: `i`. */
export const sortKeySql = (stream: ItemStream): string => (stream.key === null ? 'null::bigint' : `i.${stream.key}`);

const orderColumns = ({ key }: ItemStream): string[] => [...(key === null ? [] : [`i.${key}`]), 'i.id'];

export const orderBySql = (stream: ItemStream, descending: boolean): string =>
  orderSql(orderColumns(stream), descending);

const keyType = ({ key }: ItemStream): string =>
  key === 'title_key' ? 'text' : key === 'occurrences' || key === 'users' ? 'int' : 'bigint';

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

/** Selects the rows of one branch; `at` is its index in the arrays of parameters, null: the columns of `b` in a LATERAL. */
export const branchSql = (
  { stream, descending, within }: Pick<ItemStreamShape, 'stream' | 'descending' | 'within'>,
  at: number | null,
  { columns = '*', whole = false }: BranchOptions,
): string => {
  const of = (column: string, type: string): string =>
    at === null ? `b.${column}` : `($${column}::${type}[])[${String(at)}]`;
  const { by, where, key } = stream;
  const parts = [`select ${columns} from items i where i.env = $env and i.inbox = ${of('inbox', 'text')} ${where}`];
  if (by === 'assignee') parts.push(`i.assignee = ${of('assignee', 'text')}`);
  if (by === 'state' || by === 'deadline') parts.push(`i.state = ${of('state', 'text')}`);
  if (by === 'deadline')
    parts.push(
      `i.closed = ${of('closed', 'bool')}`,
      `i.${key ?? 'id'} >= ${of('least', 'bigint')}`,
      `i.${key ?? 'id'} < ${of('below', 'bigint')}`,
    );
  if (within) parts.push('i.last_seen >= $seenFrom::bigint', 'i.last_seen < $seenTo::bigint');
  if (!whole) parts.push(afterCursorSql(stream, descending));
  return parts.join(' and ');
};

/** Selects the next rows of a stream behind the cursor, in order. */
export const itemStreamSql = (shape: ItemStreamShape, columns = '*'): string => {
  const order = orderBySql(shape.stream, shape.descending);
  const limit = String(shape.rows);
  if (shape.size === null) {
    return `select i.* from unnest($inbox::text[], $state::text[], $assignee::text[], $closed::bool[], $least::bigint[], $below::bigint[]) as b(inbox, state, assignee, closed, least, below)
      cross join lateral (${branchSql(shape, null, { columns })} order by ${order} limit ${limit}) i order by ${order} limit ${limit}`;
  }
  // The inner order keeps PostgreSQL from reading a branch in another order.
  const branches = Array.from(
    { length: shape.size },
    (_, n) => `(${branchSql(shape, n + 1, { columns })} order by ${order})`,
  );
  return `select * from (${branches.join('\n union all ')}) i order by ${order} limit ${limit}`;
};
