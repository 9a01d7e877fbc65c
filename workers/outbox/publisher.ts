/** Tells what was committed: moves `outbox` into the live stream (batch.ts) and hands it to the API processes by Redis. */
import type { Deps } from '../../shared/deps.ts';
import { openDb, type Db } from '../../shared/platform/db/knex.ts';
import {
  acquireLeaderLease,
  leaseRetryMs,
  newHolderName,
  releaseLeaderLease,
  type LeaderLease,
} from '../../shared/platform/outbox/leaderLease.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import { createWakeSignal, backoffAfter, type RunningService } from '../wakeSignal.ts';
import { batchRows, publishBatch } from './publishBatch.ts';

/** Nudges get lost with Redis; the table doesn't. Without them an event is told after this many ms. */
const pollMs = 250;
/** Overdue counts are promised to be at most 1 s old: the next look is at most one poll later than this. */
const overdueCheckMs = 700;

/** A connection of its own, so that no job's statement is waited for. */
const openPublisherDb = (url: string): Db => openDb({ url, poolSize: 1, applicationName: 'console-publisher' });

export const startPublisher = ({
  config,
  clock,
  log,
  bus,
}: Pick<Deps, 'config' | 'clock' | 'log' | 'bus'>): RunningService => {
  const db = openPublisherDb(config.databaseUrl);
  const holder = newHolderName(config.processName);
  const news = createWakeSignal();
  const rest = createWakeSignal();
  let stopped = false;
  let stopping: Promise<void> | null = null;

  /** Publishes until the lease is lost or the process stops; throws when PostgreSQL fails. */
  const publish = async (lease: LeaderLease): Promise<void> => {
    let advancedAt = -overdueCheckMs;
    while (!stopped) {
      const startedAt = performance.now();
      const advance = startedAt - advancedAt >= overdueCheckMs;
      const { leaseHeld: held, taken, messages } = await publishBatch(db, lease, clock.now(), advance);
      if (!held) return;
      for (const { env, text } of messages) bus.publish(channels.live(env), text);
      if (taken === batchRows) continue;
      if (advance) advancedAt = startedAt;
      await news.wait(pollMs);
    }
    await releaseLeaderLease(db, lease);
  };

  const live = async (): Promise<void> => {
    let failures = 0;
    while (!stopped) {
      try {
        const lease = await acquireLeaderLease(db, 'publisher', holder);
        if (failures > 0) log.info('the publisher goes on');
        failures = 0;
        if (lease === null) await rest.wait(leaseRetryMs);
        else await publish(lease);
      } catch (error) {
        failures += 1;
        if (failures === 1) log.warn({ err: error }, 'the publisher failed and tries again');
        await rest.wait(backoffAfter(failures));
      }
    }
  };

  const unsubscribe = bus.subscribe(channels.workAvailable, (text) => {
    if (text !== 'jobs') news.wake();
  });
  const living = live();
  const stop = async (): Promise<void> => {
    stopped = true;
    unsubscribe();
    news.wake();
    rest.wake();
    await living;
    await db.destroy();
  };
  return { stop: () => (stopping ??= stop()) };
};
