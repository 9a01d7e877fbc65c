/**
 * The publisher: moves `outbox` into the live stream (publishBatch.ts) and sends it to the API processes through Redis. Each worker
 * has one; those of all workers share the environments by partitions, and share anew when one comes or goes.
 */
import { setImmediate } from 'node:timers/promises';
import type { Deps } from '../../shared/deps.ts';
import { openDb, type Db } from '../../shared/platform/db/knex.ts';
import {
  acquirePublisherLease,
  leaseRetryMs,
  newHolderName,
  partitionOf,
  type PublisherLease,
  releaseLeaderLease,
} from '../../shared/platform/leases/leaderLease.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import { continueTrace, type Tracer } from '../../shared/platform/tracing/span.ts';
import { backoffAfter, createWakeSignal, type RunningService } from '../wakeSignal.ts';
import { batchRows, publishBatch } from './publishBatch.ts';
import { recountOutdated } from './recount.ts';
import { followTimeline } from './timeline.ts';
import { followTold, keepTold } from './toldPositions.ts';

/** ms between two polls: how late an event is published when its wake signal was lost. */
const pollMs = 250;
/** Overdue counts are promised to be at most 1 s old: the next look is at most one poll later than this. */
const overdueCheckMs = 700;
/** While a release that does not count active items runs beside this one, its counts are wrong for at most so long: counting reads every item. */
const recountEveryMs = 60_000;

const nothing = (): void => undefined;

/** Makes the span of a batch in each of the traces that its rows belong to. */
const tracePublishing = (
  tracer: Tracer | null,
  traces: readonly string[],
  { taken, agoMs }: { readonly taken: number; readonly agoMs: number },
): void => {
  const attributes = {
    'messaging.system': 'redis',
    'messaging.destination.name': 'live',
    'messaging.operation.name': 'publish',
    'messaging.operation.type': 'send',
    'messaging.batch.message_count': taken,
  };
  for (const traceparent of traces)
    continueTrace(tracer, traceparent, 'publish live', { kind: 'producer', attributes, agoMs })?.end();
};

/** A connection of its own, so that the publisher never waits for the statement of a job. */
const openPublisherDb = (url: string): Db => openDb({ url, poolSize: 1, applicationName: 'console-publisher' });

export const startPublisher = ({
  config,
  clock,
  log,
  bus,
  redis,
  tracer,
}: Pick<Deps, 'config' | 'clock' | 'log' | 'bus' | 'redis' | 'tracer'>): RunningService => {
  const db = openPublisherDb(config.databaseUrl);
  const holder = newHolderName(config.processName);
  const news = createWakeSignal();
  const rest = createWakeSignal();
  let own: PublisherLease['partitions'] = null;
  let stopped = false;
  let stopping: Promise<void> | null = null;

  /** Begins new epochs where PostgreSQL, or what it has, is not what was told of; returns its timeline. */
  const compare = async (acquired: PublisherLease): Promise<string | null> => {
    const { timeline, revision } = await followTimeline(db, acquired);
    if (revision !== null) {
      bus.publish(channels.revision, String(revision));
      log.warn({ timeline }, 'PostgreSQL has failed over or was restored: streams begin a new epoch');
    }
    const { behind, revision: raised } = await followTold(db, acquired, redis);
    if (raised !== null) {
      bus.publish(channels.revision, String(raised));
      log.error(
        { streams: behind },
        'PostgreSQL has less than streams have told of, as after an older copy of its data was put back: they begin a new epoch',
      );
    }
    return timeline;
  };

  /** Others find at once that all have to share anew. */
  const wakeOthers = (): void => bus.publish(channels.workAvailable, 'outbox');

  /** Publishes until the lease is lost, that of another has run out, or the process stops; throws when PostgreSQL fails. */
  const publish = async (acquired: PublisherLease): Promise<void> => {
    own = acquired.partitions;
    let lease = { ...acquired, timeline: await compare(acquired) };
    const acquiredAt = performance.now();
    let advancedAt = -overdueCheckMs;
    let recountedAt = -recountEveryMs;
    /** Sends the messages of the last full batch while PostgreSQL takes the next one. */
    let tellBefore = nothing;
    while (!stopped) {
      const startedAt = performance.now();
      if (tellBefore === nothing && startedAt - recountedAt >= recountEveryMs) {
        recountedAt = startedAt;
        // Streams do not wait for counts.
        await recountOutdated(db, lease).catch((error: unknown) => {
          log.warn({ err: error }, 'counts could not be made right; they are counted again in a minute');
        });
      }
      const advance = startedAt - advancedAt >= overdueCheckMs;
      const now = clock.now();
      const taking = publishBatch(db, lease, { now, advance });
      // In the next turn the statement is on its way.
      const [{ leaseHeld, shared, taken, messages, heads, traces }] = await Promise.all([
        taking,
        setImmediate().then(tellBefore),
      ]);
      if (!leaseHeld) return;
      if (lease.partitions !== null) {
        // The partitions that this batch has read come last in the next batch, so that a partition with many rows delays no other.
        const served = new Set(heads.map(({ env }) => partitionOf(env)));
        lease = {
          ...lease,
          partitions: lease.partitions.toSorted((a, b) => Number(served.has(a)) - Number(served.has(b))),
        };
      }
      const tell = (): void => {
        // Before the messages, on the same connection. Nothing waits for it.
        void keepTold(redis, heads);
        for (const { env, text } of messages) bus.publish(channels.live(env), text);
        tracePublishing(tracer, traces, { taken, agoMs: performance.now() - startedAt });
      };
      const staysShared = shared || startedAt - acquiredAt < leaseRetryMs;
      tellBefore = taken === batchRows && staysShared && !stopped ? tell : nothing;
      if (tellBefore === tell) continue;
      tell();
      if (!staysShared) return;
      if (advance) advancedAt = startedAt;
      await news.wait(pollMs);
    }
    await releaseLeaderLease(db, lease);
    wakeOthers();
  };

  const live = async (): Promise<void> => {
    let failures = 0;
    while (!stopped) {
      try {
        const lease = await acquirePublisherLease(db, holder);
        if (failures > 0) log.info('the publisher goes on');
        failures = 0;
        if (lease === null) await rest.wait(leaseRetryMs);
        else {
          wakeOthers();
          await publish(lease);
        }
      } catch (error) {
        failures += 1;
        if (failures === 1) log.warn({ err: error }, 'the publisher failed and retries');
        await rest.wait(backoffAfter(failures));
      }
    }
  };

  const unsubscribe = bus.subscribe(channels.workAvailable, (text) => {
    const [what, env] = text.split(' ');
    if (what === 'outbox' && (env === undefined || own === null || own.includes(partitionOf(Number(env))))) news.wake();
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
