/** What happens to runs that stand at a step (killMatrix.ts): one process or server ends, or is cut off, and comes back. */
import { askLine } from '../../../shared/tools/services/ports.mjs';
import type { Customer } from './customer.ts';
import type { Site } from './site.ts';
import type { Unit } from './unit.ts';

/** What a fault can reach; the first API is the one that holds the sockets. */
export interface Reach {
  readonly site: Site;
  readonly holder: Unit;
  readonly other: Unit;
  readonly customers: readonly Customer[];
}

export interface MatrixFault {
  readonly name: string;
  /** How long what is broken stays so. */
  readonly forMs: number;
  /** Those that it leaves frozen. */
  readonly frozen?: (reach: Reach) => readonly Unit[];
  /** How long after its end all runs have to have ended; null: it may take what the app leaves to wait for. */
  readonly withinMs: number | null;
  /** Breaks it. */
  readonly begin: (reach: Reach) => Promise<unknown>;
  /** Mends it. */
  readonly end: (reach: Reach) => Promise<unknown>;
}

const shortMs = 1_500;
/** Longer than an app waits for a sign of life, and than a worker holds a job. */
const frozenMs = 20_000;

const nothing = (): Promise<void> => Promise.resolve();
const each = async <T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> =>
  void (await Promise.all(all.map(work)));

export const matrixFaults = {
  holderKilled: {
    name: 'API with the socket killed',
    forMs: shortMs,
    withinMs: 30_000,
    begin: ({ holder }) => holder.kill(),
    end: ({ holder }) => holder.start(),
  },
  otherKilled: {
    name: 'other API killed',
    forMs: shortMs,
    withinMs: 30_000,
    begin: ({ other }) => other.kill(),
    end: ({ other }) => other.start(),
  },
  workersKilled: {
    name: 'workers killed',
    forMs: shortMs,
    withinMs: 15_000,
    begin: ({ site: { workers } }) => each(workers, (unit) => unit.kill()),
    end: ({ site: { workers } }) => each(workers, (unit) => unit.start()),
  },
  redisRestarted: {
    name: 'Redis restarted',
    forMs: shortMs,
    withinMs: 30_000,
    begin: ({ site: { redis } }) => redis.kill(),
    end: ({ site: { redis } }) => redis.restart(),
  },
  redisFlushed: {
    name: 'Redis emptied',
    forMs: shortMs,
    withinMs: 30_000,
    begin: ({ site: { redis } }) => askLine(redis.port, 'FLUSHALL\r\n'),
    end: nothing,
  },
  postgresCrashed: {
    name: 'PostgreSQL crashed',
    forMs: shortMs,
    withinMs: 30_000,
    begin: ({ site: { postgres } }) => postgres.stop('immediate'),
    end: ({ site: { postgres } }) => postgres.restart(),
  },
  holderFrozen: {
    name: 'API with the socket frozen',
    forMs: frozenMs,
    withinMs: 30_000,
    frozen: ({ holder }) => [holder],
    begin: nothing,
    end: nothing,
  },
  workersFrozen: {
    name: 'workers frozen',
    forMs: frozenMs,
    withinMs: 30_000,
    frozen: ({ site: { workers } }) => workers.slice(1),
    begin: nothing,
    end: nothing,
  },
  // The last two leave runs behind that are waited for.
  appKilled: {
    name: 'app killed',
    forMs: shortMs,
    withinMs: null,
    begin: ({ customers }) => each(customers, ({ unit }) => unit.kill()),
    end: ({ customers }) => each(customers, ({ unit }) => unit.start()),
  },
  cut: {
    name: 'connection cut',
    forMs: shortMs,
    withinMs: null,
    begin: ({ customers }) => {
      for (const { wire } of customers) wire.cut();
      return nothing();
    },
    end: nothing,
  },
} as const satisfies Readonly<Record<string, MatrixFault>>;

export type FaultName = keyof typeof matrixFaults;
