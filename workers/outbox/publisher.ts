/** Tells what was committed: moves `outbox` into the live stream (batch.ts) and hands it to the API processes by Redis. */
import type { Deps } from '../../shared/deps.ts';
import { openDb, type Db } from '../../shared/platform/db/knex.ts';
import { acquire, leaseTryMs, newHolder, release, type Held } from '../../shared/platform/outbox/lease.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import { createBell, pauseAfter, type Running } from '../bell.ts';
import { batchRows, moveBatch } from './batch.ts';

/** Nudges get lost with Redis; the table doesn't. Without them an event is told after this many ms. */
const pollMs = 250;
/** Overdue counts are promised to be at most 1 s old: the next look is at most one poll later than this. */
const advanceMs = 700;

/** A connection of its own, so that no job's statement is waited for. */
const openOwn = (url: string): Db => openDb({ url, poolSize: 1, applicationName: 'console-publisher' });

export const startPublisher = ({ config, clock, log, bus }: Pick<Deps, 'config' | 'clock' | 'log' | 'bus'>): Running => {
  const db = openOwn(config.databaseUrl);
  const holder = newHolder(config.processName);
  const news = createBell();
  const rest = createBell();
  let stopped = false;
  let stopping: Promise<void> | null = null;

  /** Publishes until the lease is lost or the process stops; throws when PostgreSQL fails. */
  const publish = async (lease: Held): Promise<void> => {
    let advancedAt = -advanceMs;
    while (!stopped) {
      const startedAt = performance.now();
      const advance = startedAt - advancedAt >= advanceMs;
      const { held, taken, messages } = await moveBatch(db, lease, clock.now(), advance);
      if (!held) return;
      for (const { env, text } of messages) bus.publish(channels.live(env), text);
      if (taken === batchRows) continue;
      if (advance) advancedAt = startedAt;
      await news.wait(pollMs);
    }
    await release(db, lease);
  };

  const live = async (): Promise<void> => {
    let failures = 0;
    while (!stopped) {
      try {
        const lease = await acquire(db, 'publisher', holder);
        if (failures > 0) log.info('the publisher goes on');
        failures = 0;
        if (lease === null) await rest.wait(leaseTryMs);
        else await publish(lease);
      } catch (error) {
        failures += 1;
        if (failures === 1) log.warn({ err: error }, 'the publisher failed and tries again');
        await rest.wait(pauseAfter(failures));
      }
    }
  };

  const unsubscribe = bus.subscribe(channels.nudge, (text) => {
    if (text !== 'jobs') news.ring();
  });
  const living = live();
  const stop = async (): Promise<void> => {
    stopped = true;
    unsubscribe();
    news.ring();
    rest.ring();
    await living;
    await db.destroy();
  };
  return { stop: () => (stopping ??= stop()) };
};
