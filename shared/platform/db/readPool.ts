/**
 * The pool of the endpoints that read: bounded in time, and shared fairly by principals. What changes something, and what
 * the service itself reads, has the other pool (knex.ts). Opened by shared/deps.ts. Endpoints get it from
 * api/middleware/once.ts.
 */
import { fault } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { createInterval } from '../time/clock.ts';
import type { Span } from '../tracing/span.ts';
import { isStatementTimeout } from './errors.ts';
import { createFairQueue } from './fairQueue.ts';
import { openDb, readPoolUsage, type Db, type DbOptions, type PoolUsage } from './knex.ts';

/** ms that a read waits for a connection; as long as a change does. */
const waitMs = 5_000;
/** A full pool is logged at most once in so many ms. */
const logIntervalMs = 60_000;

/** The part of knex that lends connections; knex has no type for it. */
interface ConnectionSource {
  acquireConnection(): Promise<unknown>;
  releaseConnection(connection: unknown): Promise<void>;
  /** Returns the fault that a failed statement means, or the error itself. */
  toFault(error: unknown): unknown;
  /** Of the request; its statements are spans below it (sql.ts). */
  readonly span?: Span | null;
}

export interface ReadPool {
  /** Returns the database as one request of `owner` reads it. Throws `too_broad` at the statement that comes after its time. */
  of(owner: string, span?: Span | null): Db;
  usage(): PoolUsage;
  close(): Promise<void>;
}

export interface ReadPoolOptions extends Omit<DbOptions, 'settings'> {
  /** Called when a read has to wait because all connections are in use; at most once a minute. */
  readonly onFull: (waiting: number) => void;
}

const toFault = (error: unknown): unknown => (isStatementTimeout(error) ? fault('too_broad') : error);

/** Opens a pool that connects at the first read. */
export const openReadPool = ({ onFull, ...options }: ReadPoolOptions): ReadPool => {
  const db = openDb({ ...options, settings: { statement_timeout: `${String(limits.readMs)}ms` } });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- knex has no types for the client and the context inside
  const { client, context } = db as unknown as { client: ConnectionSource; context: object };
  const isDue = createInterval(logIntervalMs);
  const queue = createFairQueue({
    size: options.poolSize,
    perOwner: Math.max(1, Math.floor(options.poolSize / 3)),
    waitMs,
    onFull: (waiting) => {
      if (isDue()) onFull(waiting);
    },
  });

  /** Returns the source of connections of one request: in turn, and as long as the request has time left. */
  const sourceOf = (owner: string, span: Span | null): ConnectionSource => {
    let lent = 0;
    let busySince = 0;
    let busyMs = 0;
    const leave = (): void => {
      lent -= 1;
      if (lent === 0) busyMs += performance.now() - busySince;
      queue.leave(owner);
    };
    const source: ConnectionSource = {
      acquireConnection: async () => {
        if (busyMs >= limits.readMs) throw fault('too_broad');
        await queue.enter(owner);
        if (lent === 0) busySince = performance.now();
        lent += 1;
        try {
          return await client.acquireConnection();
        } catch (error) {
          leave();
          throw error;
        }
      },
      releaseConnection: async (connection) => {
        const released = client.releaseConnection(connection);
        leave();
        await released;
      },
      toFault,
      span,
    };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the new object inherits the rest from knex's client
    return Object.assign(Object.create(client) as ConnectionSource, source);
  };

  return {
    of: (owner, span = null) => {
      const own = { value: sourceOf(owner, span) };
      // What inherits from knex builds queries by the client of its context; statements (sql.ts) take the client itself.
      const ownContext: unknown = Object.create(context, { client: own });
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the new object inherits the rest from knex
      return Object.create(db, { client: own, context: { value: ownContext } }) as Db;
    },
    usage: () => {
      const { used, idle, waiting } = readPoolUsage(db);
      return { used, idle, waiting: waiting + queue.waiting() };
    },
    close: () => db.destroy(),
  };
};
