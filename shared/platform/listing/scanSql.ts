/**
 * SQL of statements that scan a stream or gather matches, with the columns, joins and conditions passed in. Parameters are
 * named (`$limit`, see platform/db/sql.ts). Used by items/list/ and records/list/.
 */

export const orderSql = (columns: readonly string[], descending: boolean): string =>
  columns.map((column) => `${column} ${descending ? 'desc' : 'asc'}`).join(', ');

/** Returns the condition of rows behind a cursor. A comparison of whole rows: with `or` PostgreSQL reads all rows before them. */
export const behindSql = (columns: readonly string[], cursor: readonly string[], descending: boolean): string =>
  `(${columns.join(', ')}) ${descending ? '<' : '>'} (${cursor.join(', ')})`;

/** Returns the same condition in a form for which PostgreSQL uses no index. */
export const hiddenFromPlanner = (condition: string): string => `(${condition}) is true`;

export interface EdgeShape {
  /** How many rows are read. */
  readonly rows: number;
  /** Columns that the stream is ordered by before the id. */
  readonly keys: readonly string[];
  readonly fits: string;
  /** Conditions whose rows are counted too. */
  readonly counts: readonly string[];
}

/** Returns the SQL of the edge of rows `s`: keys and id of the last one (null: there are fewer than `rows`), how many fit, and each of `counts`. */
export const edgeSql = ({ rows, keys, fits, counts }: EdgeShape): string => {
  const last = [...keys, 'id'].map((column) => `(array_agg(${column}))[${String(rows)}]`);
  const numbers = [fits, ...counts].map((condition) => `count(*) filter (where ${condition})`);
  return `json_build_array(${[...last, ...numbers].join(', ')})::text`;
};

interface FoundSql {
  /** Columns of found rows `f` and of the rows that `join` joins to them. */
  readonly columns: string;
  readonly join: string;
  readonly order: string;
}

interface ProbeSql extends FoundSql, EdgeShape {
  /** The next `rows` of the stream, with the columns that `fits` and `counts` read. */
  readonly source: string;
  /** Columns of `source` that `f` has beside the id. */
  readonly carried: readonly string[];
}

/**
 * Returns the SQL of the rows that fit, at most `$limit`, with `f.edge` null; when these are fewer, a further row of nulls with the
 * edge. Rows are judged once, and none after the last wanted one.
 */
export const probeSql = (shape: ProbeSql): string => {
  const { source, carried, fits, columns, join, order } = shape;
  const found = ['id', ...carried];
  return `
    with s as materialized (${source})
    select ${columns} from (
      (select ${found.join(', ')}, null::text as edge from s where ${fits})
      union all (select ${found.map(() => 'null').join(', ')}, ${edgeSql(shape)} from s) limit $limit) f
    ${join} order by ${order}`;
};

interface GatherSql extends FoundSql {
  /** The table expression of what fits, and of what is counted: at most one row more than may be sorted. */
  readonly matches: string;
  readonly counted: string;
  /** How `matches` are sorted. */
  readonly first: string;
}

/** Returns the SQL of the first `$limit` matches in order, each with the number of `counted` rows as `c.n`; without matches a row of nulls. */
export const gatherSql = ({ matches, counted, first, columns, join, order }: GatherSql): string => `
    select ${columns} from (select count(*)::int as n from ${counted}) c
    left join lateral (select * from ${matches} order by ${first} limit $limit) f on true
    ${join} order by ${order}`;
