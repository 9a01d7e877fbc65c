/**
 * Named prepared statements on knex's connections, for everything that requests and jobs do often: knex's builder and raw SQL
 * without a name run at a half to a fifth of the rate (docs/performance.md).
 */
import pg from 'pg';
import { Counter } from 'prom-client';
import { getOrCreate } from '../caches.ts';
import { platformRegistry } from '../log/metrics.ts';
import { type Span, failureOf, statementSpan } from '../tracing/span.ts';
import { markConnectionError } from './errors.ts';
import type { Db, Tx } from './knex.ts';

/** The time that PostgreSQL takes for each statement, by name, in /metrics. */
interface StatementTime {
  count: number;
  ms: number;
}

const times = new Map<string, StatementTime>();

/** Returns the first two parts of a statement's name; further parts name the form of a list. */
const statementGroup = (name: string): string => name.split('.', 2).join('.');

/** Returns the time of the statements of a name's group. */
export const statementTime = (name: string): StatementTime =>
  getOrCreate(times, statementGroup(name), () => ({ count: 0, ms: 0 }));

const exportCounter = (name: string, help: string, valueOf: (time: StatementTime) => number): void => {
  new Counter({
    name,
    help,
    labelNames: ['statement'],
    registers: [platformRegistry],
    collect() {
      this.reset();
      for (const [of, time] of times) if (time.count > 0) this.inc({ statement: of }, valueOf(time));
    },
  });
};
exportCounter(
  'console_postgres_statements_total',
  'Prepared statements that PostgreSQL answered, by `statement`.',
  ({ count }) => count,
);
exportCounter(
  'console_postgres_statement_seconds_total',
  'Time from sending a prepared statement to its answer, waits for locks included and for a connection not, by `statement`.',
  ({ ms }) => ms / 1_000,
);

/** A prepared statement. A name has one text, on every connection, as long as the process lives. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly time: StatementTime;
}

const texts = new Map<string, string>();

/** Declares a prepared statement, which each connection prepares at its first use. Throws when the name has another text. */
export const statement = (name: string, text: string): Statement => {
  const known = texts.get(name);
  if (known !== undefined && known !== text) throw new Error(`The statement ${name} already stands for another text.`);
  texts.set(name, text);
  return { name, text, time: statementTime(name) };
};

/**
 * Returns the condition of rows of one environment that are read in the order of an index which begins with it; that order has to name
 * the environment too. Where a column equals a value PostgreSQL leaves it out of the order, and may walk through all environments' ids.
 */
export const ofEnvironment = (column: string, env: string): string => `${column} = any (array[${env}::int])`;

export type SqlValue = string | number | boolean | null | Buffer | readonly (string | number | null)[];

interface Result {
  readonly rows: unknown[];
  readonly rowCount: number | null;
}
interface Connection {
  query(config: object, done: (error: Error | null, result: Result) => void): void;
}
interface Client {
  acquireConnection(): Promise<Connection>;
  releaseConnection(connection: Connection): Promise<void>;
  /** Of reads (readPool.ts): returns the fault that a failed statement means, or the error itself. */
  toFault?(error: unknown): unknown;
  /** Of reads: the span of the request that reads; null or absent: it is not traced. */
  readonly span?: Span | null;
}

/** Keeps every value as the text that PostgreSQL sent. */
const textTypes = { getTypeParser: () => (text: string) => text };

/**
 * Runs a statement and resolves with what it answered. Calls pg with a callback: of a promise that pg makes itself, the rows outlive
 * each minor collection, are copied by it and stay until the next major one, which halves the rate of pages (docs/performance.md).
 */
const send = (connection: Connection, config: object): Promise<Result> =>
  new Promise((resolve, reject) => {
    connection.query(config, (error, result) => {
      if (error === null || error === undefined) resolve(result);
      else reject(error);
    });
  });

const queryConnection = async (
  db: Db | Tx,
  { name, text, time }: Statement,
  values: readonly SqlValue[],
  more: object,
): Promise<Result> => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- knex has no type for the client inside that gives out connections
  const client = (db as unknown as { client: Client }).client;
  const connection = await client.acquireConnection();
  const sentAt = performance.now();
  const span = client.span?.child(statementGroup(name), statementSpan(statementGroup(name)));
  let failure: string | undefined;
  try {
    return await send(connection, { name, text, values, ...more });
  } catch (error) {
    // The stack of pg's errors leads to its socket, this one to the caller.
    if (error instanceof Error) {
      Error.captureStackTrace(error);
      // What PostgreSQL answers, and a value that does not fit, are no errors of the connection.
      if (!(error instanceof pg.DatabaseError || error instanceof RangeError)) markConnectionError(error);
    }
    failure = failureOf(error);
    throw client.toFault?.(error) ?? error;
  } finally {
    span?.end(failure);
    time.count += 1;
    time.ms += performance.now() - sentAt;
    await client.releaseConnection(connection);
  }
};

/** Runs a statement and returns its rows as objects. The caller names their type, which has to fit the statement's columns. */
export const queryRows = async <R>(db: Db | Tx, prepared: Statement, values: readonly SqlValue[] = []): Promise<R[]> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no type derives from SQL; checking each row would slow every statement
  (await queryConnection(db, prepared, values, {})).rows as R[];

/** Runs a statement and returns its first row, or undefined. */
export const queryRow = async <R>(
  db: Db | Tx,
  prepared: Statement,
  values: readonly SqlValue[] = [],
): Promise<R | undefined> => (await queryRows<R>(db, prepared, values))[0];

/** Runs a statement and returns how many rows it changed. */
export const executeStatement = async (
  db: Db | Tx,
  prepared: Statement,
  values: readonly SqlValue[] = [],
): Promise<number> => (await queryConnection(db, prepared, values, {})).rowCount ?? 0;

export type TextRow = readonly (string | null)[];

/** Runs a statement and returns its rows as arrays of unparsed texts, for responses that are built from them. */
export const queryTextRows = async (
  db: Db | Tx,
  prepared: Statement,
  values: readonly SqlValue[] = [],
): Promise<TextRow[]> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- pg gives arrays of what `textTypes` returns
  (await queryConnection(db, prepared, values, { rowMode: 'array', types: textTypes })).rows as TextRow[];

export interface NamedStatement {
  readonly prepared: Statement;
  readonly names: readonly string[];
}

const statementsByName = new Map<string, NamedStatement>();

/** Returns the statement `name`; the first call makes it. The name has to say everything that its text depends on. */
export const namedStatement = (name: string, text: () => string): NamedStatement =>
  getOrCreate(statementsByName, name, () => {
    const names: string[] = [];
    const numbered = text().replace(/\$([a-z]\w*)/gi, (_whole, parameter: string) => {
      if (!names.includes(parameter)) names.push(parameter);
      return `$${String(names.indexOf(parameter) + 1)}`;
    });
    return { prepared: statement(name, numbered), names };
  });

/** Values of parameters by name; a name that is missing stands for null. */
export type NamedValues = Readonly<Record<string, SqlValue>>;

const valuesOf = ({ names }: NamedStatement, values: NamedValues): SqlValue[] =>
  names.map((name) => values[name] ?? null);

/** Returns how many characters the texts of values have. */
export const textLengthOf = (values: NamedValues): number =>
  Object.values(values)
    .flat()
    .reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);

/** Runs a statement and returns its rows as objects. */
export const queryNamedRows = <R>(db: Db | Tx, named: NamedStatement, values: NamedValues): Promise<R[]> =>
  queryRows<R>(db, named.prepared, valuesOf(named, values));

/** Runs a statement and returns its rows as arrays of the texts that PostgreSQL sent. */
export const queryNamedTextRows = (db: Db | Tx, named: NamedStatement, values: NamedValues): Promise<TextRow[]> =>
  queryTextRows(db, named.prepared, valuesOf(named, values));

/** Runs a statement and returns how many rows it answered or changed. */
export const executeNamed = (db: Db | Tx, named: NamedStatement, values: NamedValues): Promise<number> =>
  executeStatement(db, named.prepared, valuesOf(named, values));

const lockSql = statement('locks.take', 'select pg_advisory_xact_lock(hashtextextended($1, $2))');

/** Takes the lock of a name and a number, and holds it until the transaction ends: transactions that take the same lock run in turn. */
export const takeLock = (tx: Tx, name: string, number: number): Promise<number> =>
  executeStatement(tx, lockSql, [name, number]);
