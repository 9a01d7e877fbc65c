/** What happens to runs that stand at a step (killMatrix.ts): one process or server ends, or is cut off, and comes back. */
import { askLine } from '../../../shared/services/ports.mjs';
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
  /** Breaks it. */
  readonly begin: (reach: Reach) => Promise<unknown>;
  /** Mends it. */
  readonly end: (reach: Reach) => Promise<unknown>;
}

const nothing = (): Promise<void> => Promise.resolve();
const each = async <T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> => void (await Promise.all(all.map(work)));

export const matrixFaults = {
  appKilled: {
    name: 'app killed',
    begin: ({ customers }) => each(customers, ({ unit }) => unit.kill()),
    end: ({ customers }) => each(customers, ({ unit }) => unit.start()),
  },
  cut: {
    name: 'connection cut',
    begin: ({ customers }) => {
      for (const { wire } of customers) wire.cut();
      return nothing();
    },
    end: nothing,
  },
  holderKilled: { name: 'API with the socket killed', begin: ({ holder }) => holder.kill(), end: ({ holder }) => holder.start() },
  otherKilled: { name: 'other API killed', begin: ({ other }) => other.kill(), end: ({ other }) => other.start() },
  workersKilled: {
    name: 'workers killed',
    begin: ({ site: { workers } }) => each(workers, (unit) => unit.kill()),
    end: ({ site: { workers } }) => each(workers, (unit) => unit.start()),
  },
  redisRestarted: { name: 'Redis restarted', begin: ({ site: { redis } }) => redis.kill(), end: ({ site: { redis } }) => redis.restart() },
  redisFlushed: { name: 'Redis emptied', begin: ({ site: { redis } }) => askLine(redis.port, 'FLUSHALL\r\n'), end: nothing },
  postgresCrashed: { name: 'PostgreSQL crashed', begin: ({ site: { postgres } }) => postgres.stop('immediate'), end: ({ site: { postgres } }) => postgres.restart() },
} as const satisfies Readonly<Record<string, MatrixFault>>;

export type FaultName = keyof typeof matrixFaults;
