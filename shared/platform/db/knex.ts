/** Opens PostgreSQL through knex; with sql.ts the only importer of knex and pg. */
import knex, { type Knex } from 'knex';
import pg from 'pg';

export type Db = Knex;
export type Tx = Knex.Transaction;

pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`The integer ${text} is beyond 2^53−1.`);
  return value;
});

interface DbOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly applicationName: string;
}

/**
 * Statements are written so that one plan fits all values and all sizes. Left to itself PostgreSQL plans some of them
 * anew at each call, when it hopes for a better plan from values such as null: up to half of their time, for nothing.
 * And whoever connects while a table is empty would go on reading all of it for each row, however many there are later;
 * an index never is much worse (docs/performance.md).
 */
const genericPlan = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off';

/** Compiling a statement takes longer than any of ours runs. */
const noJit = '-c jit=off';

/** The address with our settings of the session added to those that it names itself. */
const withSettings = (address: string): string => {
  const url = new URL(address);
  url.searchParams.set('options', `${url.searchParams.get('options') ?? ''} ${genericPlan} ${noJit}`.trim());
  return url.href;
};

/** Times in ms: a statement that takes longer than 30 s is a bug; a transaction left idle for 10 s is one too. */
export const openDb = ({ url, poolSize, applicationName }: DbOptions): Db =>
  knex({
    client: 'pg',
    connection: {
      connectionString: withSettings(url),
      application_name: applicationName,
      statement_timeout: 30_000,
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
    },
    acquireConnectionTimeout: 5_000,
    log: { warn: () => undefined },
  });
