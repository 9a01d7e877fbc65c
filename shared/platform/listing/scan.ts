/**
 * Reads a stream, which is an ordered index, in strides until a page is full: the steps, their results, and what they
 * predict. Used by items/list/ and records/list/, which say what to look up where reading on would take too long.
 */

/** By which steps a list is read; tests use small ones. Each number of rows is a prepared statement of its own. */
export interface ScanLimits {
  /** Numbers of rows that a stream is read by, smallest first. */
  readonly strides: readonly number[];
  /** Reading on through so many rows costs about as much as looking terms up. */
  readonly nearby: number;
  /** Rows that the shares of terms or filters are learnt from. */
  readonly sampleRows: number;
  /** So many matches at most are gathered and sorted at once. */
  readonly gatherMost: number;
}

/** Returns the stride that reads at least `rows`, or the longest one. */
export const strideFor = ({ strides }: ScanLimits, rows: number): number =>
  strides.find((stride) => stride >= rows) ?? strides.at(-1) ?? rows;

/** Returns the stride after `stride`; the longest one follows itself. */
export const nextStride = ({ strides }: ScanLimits, stride: number): number =>
  strides.find((each) => each > stride) ?? stride;

/** Where a step ended. `P` is a place in the stream. */
export interface ScanEdge<P> {
  /** How many rows were read, and how many of these fit all filters. */
  readonly rows: number;
  readonly fitting: number;
  /** The last row's place; null: the stream ended before. */
  readonly place: P | null;
}

/** Returns how many rows hold `wanted` that fit, if the next rows are like those read; Infinity when none of these fit. */
export const rowsForWanted = ({ rows, fitting }: Pick<ScanEdge<unknown>, 'rows' | 'fitting'>, wanted: number): number =>
  (rows * wanted) / fitting;

/** The result of a step: what fits; the edge, unless as many fit as were wanted. */
export interface Probe<R, E> {
  readonly rows: readonly R[];
  readonly edge: E | null;
}

/** A step: reads the `rows` behind `place` and keeps at most `limit` of those that fit. */
type ReadProbe<R, P, E> = (place: P, rows: number, limit: number) => Promise<Probe<R, E>>;

/** A stream that is being read for a page. */
export class StreamReader<R, P, E extends ScanEdge<P>> {
  readonly #probe: ReadProbe<R, P, E>;
  readonly #wanted: number;
  #place: P;
  /** Milliseconds that a row of the last stride took; 0: none was read. */
  #msPerRow = 0;
  /** The rows found so far, in order. */
  readonly rows: R[] = [];

  constructor(probe: ReadProbe<R, P, E>, from: P, wanted: number) {
    this.#probe = probe;
    this.#place = from;
    this.#wanted = wanted;
  }

  /** Up to where the stream was read. */
  get place(): P {
    return this.#place;
  }

  get missing(): number {
    return this.#wanted - this.rows.length;
  }

  /** Returns the longest stride up to `stride` that takes at most `ms`, at half of the pace of the last one; those up to `least` always fit. */
  strideWithin(
    { strides }: ScanLimits,
    stride: number,
    { ms, least }: { readonly ms: number; readonly least: number },
  ): number {
    const fits = (each: number): boolean => each <= stride && (each <= least || each * this.#msPerRow * 2 <= ms);
    return strides.findLast(fits) ?? strides[0] ?? stride;
  }

  /** Reads the next `stride` rows and returns where they end; null: nothing is missing any more, or the stream ended. */
  async read(stride: number): Promise<E | null> {
    const startedAt = performance.now();
    const { rows, edge } = await this.#probe(this.#place, stride, this.missing);
    this.#msPerRow = (performance.now() - startedAt) / stride;
    this.rows.push(...rows);
    if (this.missing === 0 || edge === null || edge.place === null) return null;
    this.#place = edge.place;
    return edge;
  }
}

/** The contents of the rows of `probeSql` and `gatherSql`: arrays of texts for items and objects for records. */
export interface RowFormat<R> {
  /** Returns whether the row is one that was found; any other only carries the edge or the number of matches. */
  readonly isFound: (row: R) => boolean;
  /** Returns the edge as `edgeSql` writes it. */
  readonly edge: (row: R) => string | null;
  readonly matches: (row: R) => number;
}

/** Splits the rows of a `probeSql` statement into what fits and the edge. */
export const splitProbe = <R>(rows: readonly R[], { isFound, edge }: RowFormat<R>): Probe<R, string> => {
  const carrier = rows.find((row) => !isFound(row));
  return carrier === undefined ? { rows, edge: null } : { rows: rows.filter(isFound), edge: edge(carrier) };
};

/** Returns the rows of a `gatherSql` statement; null: more than `most` match, so the rows are not the first ones. */
export const gatheredRows = <R>(rows: readonly R[], most: number, { isFound, matches }: RowFormat<R>): R[] | null => {
  const [first] = rows;
  return first !== undefined && matches(first) > most ? null : rows.filter(isFound);
};

/** A key of a row by which a stream is ordered. */
export type ScanKey = string | number | null;

/** An edge as `edgeSql` writes it: `last` holds the keys and the id of the last row, null when the stream ended before. */
interface EdgeCounts {
  readonly last: readonly ScanKey[] | null;
  readonly fitting: number;
  readonly counts: readonly number[];
}

/** Parses the text of `edgeSql`, which was given `keys` keys. */
export const parseEdge = (text: string, keys: number): EdgeCounts => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- edgeSql makes it an array of keys and numbers.
  const values = JSON.parse(text) as readonly ScanKey[];
  const [fitting = 0, ...counts] = values.slice(keys + 1).map(Number);
  return { last: values[keys] === null ? null : values.slice(0, keys + 1), fitting, counts };
};
