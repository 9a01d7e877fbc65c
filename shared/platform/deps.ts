/** The dependencies that shared/deps.ts extends for API and workers: configuration, clock, log, PostgreSQL and Redis. */
import type { Config } from './config/config.ts';
import type { ContactWatch } from './db/contact.ts';
import type { DatabaseClock } from './db/databaseClock.ts';
import type { Db } from './db/knex.ts';
import type { ReadPool } from './db/readPool.ts';
import type { Standbys } from './db/standby/standbys.ts';
import type { Log } from './log/log.ts';
import type { Bus } from './redis/bus.ts';
import type { RedisConnections } from './redis/connect.ts';
import type { Clock } from './time/clock.ts';
import type { Tracer } from './tracing/span.ts';

export interface PlatformDeps {
  readonly config: Config;
  readonly clock: Clock;
  /** PostgreSQL's clock: what `clock` is too, unless a test sets it. */
  readonly time: DatabaseClock;
  readonly log: Log;
  /** null: nothing is traced. */
  readonly tracer: Tracer | null;
  readonly db: Db;
  /** PostgreSQL for endpoints that read. */
  readonly reads: ReadPool;
  /** PostgreSQL for the check of readiness: a connection of its own, as the others may all be in use. */
  readonly probes: Db;
  /** Logs when PostgreSQL answers none of them. */
  readonly contact: ContactWatch;
  /** Of an API, its standbys; null: there are none. */
  readonly standbys: Standbys | null;
  readonly redis: RedisConnections;
  readonly bus: Bus;
}
