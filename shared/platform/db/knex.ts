/** Opens PostgreSQL through knex, for every process. */
import type { Socket } from 'node:net';
import knex, { type Knex } from 'knex';
import pg from 'pg';
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

/** Opens a pool that connects at the first statement. Times are in ms. A statement waits 5 s for a free connection, then fails as unavailable. */
export const openDb = ({ url, poolSize, applicationName, settings = {}, onConnect = () => undefined }: DbOptions): Db =>
  knex({
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
      acquireTimeoutMillis: 5_000,
      createTimeoutMillis: 3_000,
      createRetryIntervalMillis: 100,
      idleTimeoutMillis: 60_000,
    },
    acquireConnectionTimeout: 5_000,
    log: { warn: () => undefined },
  });

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
