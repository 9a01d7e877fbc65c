/** Reads one stream, or what terms find, from one place on: the statements with their parameters. */
import type { Db, Tx } from '../../platform/db/knex.ts';
import { textRows, type TextRow, type Value } from '../../platform/db/sql.ts';
import { askedOf, filterValues, filters } from './filters.ts';
import type { CountRequest, Filter, Keys } from './request.ts';
import { valuesOf, type Named } from '../../platform/db/named.ts';
import { edge, plain, probe } from './statements.ts';
import { branchesOf, type Stream } from './streams.ts';
import { sizeFor } from './streamSql.ts';

/** By which steps a list is read; tests use small ones. Each stride and number of branches is a statement of its own. */
export interface Pace {
  /** Numbers of rows that a stream is read by, smallest first. */
  readonly strides: readonly number[];
  /** Up to so many rows reading on in order of activity is cheaper than looking terms up. */
  readonly nearby: number;
  /** So many at most are read in another order before matches are gathered. */
  readonly farther: number;
  /** Rows of which the overall shares of the filters are learnt. */
  readonly sample: number;
  /** So many of the overdue are sought out when the newest are not overdue. */
  readonly overdue: number;
  /** So many matches are put in order at once before the stream is read further; later it is any number. */
  readonly sortable: number;
  /** More branches are read by LATERAL instead of a merge, which costs more rows and less planning. */
  readonly branches: number;
}

export const usualPace: Pace = { strides: [500, 2000, 8000, 32_000, 128_000], nearby: 2000, farther: 32_000, sample: 1000, overdue: 2000, sortable: 20_000, branches: 64 };

export interface Reading {
  readonly db: Db | Tx;
  readonly stream: Stream;
  readonly descending: boolean;
  /** Branches of the statement, null: too many for one of its own. */
  readonly size: number | null;
  readonly pace: Pace;
  /** Filters that the stream doesn't decide. */
  readonly open: readonly Filter[];
  /** Parameters; without a place. */
  readonly values: Readonly<Record<string, Value>>;
}

/** null: the stream has nothing that the request asks for. */
export const readingOf = (
  db: Db | Tx, request: CountRequest, { stream, descending, pace }: Pick<Reading, 'stream' | 'descending' | 'pace'>,
): Reading | null => {
  const branches = branchesOf(stream, request);
  const count = branches.inbox.length;
  if (count === 0) return null;
  const open = askedOf(request).filter((filter) => !stream.decides.includes(filter));
  return { db, stream, descending, pace, size: count > pace.branches ? null : sizeFor(count), open, values: { ...filterValues(request), ...branches } };
};

export const ask = ({ db, values }: Pick<Reading, 'db' | 'values'>, statement: Named, more: Readonly<Record<string, Value>>): Promise<TextRow[]> =>
  textRows(db, statement.prepared, valuesOf(statement, { ...values, ...more }));

/** A place in a stream as parameters. */
export const at = (place: Keys): Record<string, Value> => ({ key: place[0] ?? null, id: place[1] ?? null });

/** Before everything that a stream may hold. Ids begin with a letter; titles have at most 500 characters. */
export const startOf = ({ key }: Stream, descending: boolean): Keys => {
  const small = key === 'occurrences' || key === 'users';
  if (key === null) return [null, descending ? '~' : ''];
  if (key === 'title_key') return descending ? ['\u{10ffff}'.repeat(501), '~'] : ['', ''];
  const extreme = small ? 2_147_483_647 : Number.MAX_SAFE_INTEGER;
  return descending ? [extreme, '~'] : [-extreme, ''];
};

/** What the next `rows` of a stream told. */
export interface Edge {
  readonly rows: number;
  /** Where they end; null: the stream ends before. */
  readonly place: Keys | null;
  /** How many fit all filters. */
  readonly fitting: number;
  /** Of one, how many fit each filter. */
  readonly shares: Readonly<Record<Filter, number>>;
  /** Of one, how many hold the hint of each word that may be looked up. */
  readonly hints: readonly number[];
}

/** The stride that reads at least `rows`, or the longest. */
export const strideFor = ({ strides }: Pace, rows: number): number => strides.find((stride) => stride >= rows) ?? strides.at(-1) ?? rows;

type EdgeRow = [key: string | number | null, id: string | null, fitting: number, ...counts: number[]];

const edgeOf = (rows: number, text: string): Edge => {
  const [key, id, fitting, ...counts] = JSON.parse(text) as EdgeRow;
  const share = counts.map((count) => count / rows);
  const shares = Object.fromEntries(filters.map((filter, n) => [filter, share[n] ?? 0])) as Record<Filter, number>;
  return { rows, place: id === null ? null : [key, id], fitting, shares, hints: share.slice(filters.length) };
};

export const readEdge = async (reading: Reading, place: Keys, rows: number): Promise<Edge> => {
  const [found] = await ask(reading, edge({ ...reading, rows }), at(place));
  return edgeOf(rows, found?.[0] ?? '');
};

/** Rows that fit among the next `rows` of the stream; the edge, when these are fewer than `limit`. */
export const readProbe = async (reading: Reading, place: Keys, rows: number, limit: number): Promise<{ rows: TextRow[]; edge: Edge | null }> => {
  const found = await ask(reading, probe({ ...reading, rows }), { ...at(place), limit });
  const told = found.find((row) => row[0] === null)?.at(-2) ?? null;
  return told === null ? { rows: found, edge: null } : { rows: found.filter((row) => row[0] !== null), edge: edgeOf(rows, told) };
};

export const readPlain = (reading: Reading, place: Keys, limit: number): Promise<TextRow[]> =>
  ask(reading, plain({ ...reading, rows: limit <= 51 ? 51 : 201 }), { ...at(place), limit });
