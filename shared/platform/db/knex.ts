/** Opens PostgreSQL through knex, for every process. */
import knex, { type Knex } from 'knex';
import pg from 'pg';

export type Db = Knex;
export type Tx = Knex.Transaction;

/** `bigint` columns are numbers; throws `RangeError` beyond 2^53−1. */
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`The integer ${text} is beyond 2^53−1.`);
  return value;
});

export interface DbOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly applicationName: string;
  /** ms after which PostgreSQL stops a statement; 30 s unless given. */
  readonly statementTimeoutMs?: number;
}

/** A statement that takes longer is a bug. */
const longestStatementMs = 30_000;

/** Returns knex's hook that gives each new connection its limit; a startup parameter would be refused by poolers. */
const limitStatements =
  (timeoutMs: number) =>
  (connection: pg.Client, done: (error: Error | null, connection: pg.Client) => void): void => {
    connection.query(`set statement_timeout = ${String(timeoutMs)}`, (error: Error | null) => {
      done(error, connection);
    });
  };

/**
 * One generic plan per statement, with indexes: statements are written so that one plan fits all values and all sizes. By
 * default PostgreSQL plans some of them at each call, hoping for a better plan from values such as null, which takes up to
 * half of their time. And a plan that is made while a table is empty would scan the whole table however large it becomes;
 * an index is never much worse (docs/performance.md).
 */
const genericPlan = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off';

/** Compiling a plan takes longer than any statement of the service runs. */
const noJit = '-c jit=off';

/** Returns the address with the settings above added to those that it names itself. */
const withSettings = (address: string): string => {
  const url = new URL(address);
  url.searchParams.set('options', `${url.searchParams.get('options') ?? ''} ${genericPlan} ${noJit}`.trim());
  return url.href;
};

/**
 * Opens a pool that connects at the first statement. Times are in ms. A transaction that is idle for 10 s is a bug. A statement waits 5 s for a free connection, then fails as unavailable.
 */
export const openDb = ({ url, poolSize, applicationName, statementTimeoutMs }: DbOptions): Db =>
  knex({
    client: 'pg',
    connection: {
      connectionString: withSettings(url),
      application_name: applicationName,
      ...(statementTimeoutMs === undefined ? { statement_timeout: longestStatementMs } : {}),
      idle_in_transaction_session_timeout: 10_000,
      connectionTimeoutMillis: 3_000,
      keepAlive: true,
    },
    pool: {
      min: 0,
      max: poolSize,
      acquireTimeoutMillis: 5_000,
      createTimeoutMillis: 3_000,
      createRetryIntervalMillis: 100,
      idleTimeoutMillis: 60_000,
      ...(statementTimeoutMs === undefined ? {} : { afterCreate: limitStatements(statementTimeoutMs) }),
    },
    acquireConnectionTimeout: 5_000,
    log: { warn: () => undefined },
  });
