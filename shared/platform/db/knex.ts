/** Opens PostgreSQL through knex, for every process. */
import type { Socket } from 'node:net';
import knex, { type Knex } from 'knex';
import pg from 'pg';
import { markConnectionError, NoConnectionError, PoolFullError } from './errors.ts';
import { applySettingsSql, sessionSettings } from './sessionSettings.ts';

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
  /** Settings of the sessions that differ from those of all. */
  readonly settings?: Partial<Record<keyof typeof sessionSettings, string>>;
  /** Called with each new connection. */
  readonly onConnect?: (session: Session) => void;
}

interface Session {
  query(text: string, values: readonly unknown[], done: (error: Error | null) => void): void;
  readonly connection: { readonly stream: Socket };
}
type Settings = Readonly<Record<string, string>>;

/** Returns the pool's hook that gives a new session the settings which its role lacks. */
const applySettings =
  (settings: Settings, onConnect: (session: Session) => void) =>
  (session: Session, done: (error: Error | null, session: Session) => void): void => {
    onConnect(session);
    session.query(applySettingsSql, [Object.keys(settings), Object.values(settings)], (error) => {
      done(error, session);
    });
  };

/** ms that a call waits for a connection. */
const acquireMs = 5_000;

/** The part of knex that lends connections; it has no type for it. */
interface Lender {
  acquireConnection(): Promise<unknown>;
}

/**
 * Gives the errors of getting a connection their cause: knex calls every time-out a pool that is probably full, also where
 * PostgreSQL did not answer.
 */
const explainConnectErrors = (db: Db, poolSize: number): void => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- knex has no type for its client
  const { client } = db as unknown as { client: Lender };
  const acquire = client.acquireConnection.bind(client);
  client.acquireConnection = async () => {
    try {
      return await acquire();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (error.name !== 'KnexTimeoutError') {
        markConnectionError(error);
        throw error;
      }
      if (readPoolUsage(db).used >= poolSize)
        throw new PoolFullError(`all ${String(poolSize)} connections are in use`, { cause: error });
      throw new NoConnectionError('PostgreSQL did not answer in time', { cause: error });
    }
  };
};

/** Opens a pool that connects at the first statement. Times are in ms. A statement waits 5 s for a free connection, then fails as unavailable. */
export const openDb = ({
  url,
  poolSize,
  applicationName,
  settings = {},
  onConnect = () => undefined,
}: DbOptions): Db => {
  const db = knex({
    client: 'pg',
    // Values of a failed statement stay out of its error, which is logged.
    compileSqlOnError: false,
    connection: {
      connectionString: url,
      application_name: applicationName,
      connectionTimeoutMillis: 3_000,
      keepAlive: true,
    },
    pool: {
      afterCreate: applySettings({ ...sessionSettings, ...settings }, onConnect),
      min: 0,
      max: poolSize,
      acquireTimeoutMillis: acquireMs,
      createTimeoutMillis: 3_000,
      createRetryIntervalMillis: 100,
      idleTimeoutMillis: 60_000,
    },
    acquireConnectionTimeout: acquireMs,
    log: { warn: () => undefined },
  });
  explainConnectErrors(db, poolSize);
  return db;
};

/** Connections of a pool, by what they do. */
export interface PoolUsage {
  readonly used: number;
  readonly idle: number;
  /** Calls that wait for a connection. */
  readonly waiting: number;
}

/** The part of knex's pool that counts; there is none once the pool is closed. */
interface Pool {
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

export const readPoolUsage = (db: Db): PoolUsage => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- knex has no type for the pool of its client
  const { pool } = (db as unknown as { client: { readonly pool?: Pool } }).client;
  return { used: pool?.numUsed() ?? 0, idle: pool?.numFree() ?? 0, waiting: pool?.numPendingAcquires() ?? 0 };
};
