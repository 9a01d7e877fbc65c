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
  /** After which a connection is replaced before it is used again. */
  readonly lifetimeMs?: number;
}

export interface Session {
  query(text: string, values: readonly unknown[], done: (error: Error | null) => void): void;
  /** Emits each of PostgreSQL's messages. */
  readonly connection: { readonly stream: Socket; on(message: 'commandComplete', listener: () => void): void };
}
type Settings = Readonly<Record<string, string>>;

/**
 * A backend of PostgreSQL keeps what it has read of the catalogue and every plan, and grows by 1.5 MB an hour; a new connection
 * costs a few milliseconds.
 */
const connectionLifetimeMs = 30 * 60_000;

/**
 * Returns the pool's check of a connection before its use, and how a new one is noted. Lifetimes are up to a quarter longer, so
 * that connections that were opened together are not replaced together.
 */
const createLifetimes = (lifetimeMs: number) => {
  const endsAt = new WeakMap<object, number>();
  return {
    begin: (session: object): void => {
      endsAt.set(session, performance.now() + lifetimeMs * (1 + Math.random() / 4));
    },
    isAlive: (session: object): boolean => performance.now() < (endsAt.get(session) ?? Infinity),
  };
};

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
  lifetimeMs = connectionLifetimeMs,
}: DbOptions): Db => {
  const lifetimes = createLifetimes(lifetimeMs);
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
      afterCreate: applySettings({ ...sessionSettings, ...settings }, (session) => {
        lifetimes.begin(session);
        onConnect(session);
      }),
      validate: lifetimes.isAlive,
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
