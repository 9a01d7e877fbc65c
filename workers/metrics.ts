/**
 * Metrics of a worker process: the starts of jobs, the ends of replies, the turns of sweeps, and what BullMQ has. Used by
 * worker.ts, jobs/replySend.ts, sweeps/sweep.ts and main.ts.
 */
import { Counter, Histogram, Registry } from 'prom-client';
import { jobs } from '../shared/catalogue/jobs.ts';
import { addFigureGauges, createFigures } from '../shared/platform/health/figures.ts';
import { beginAtZero } from '../shared/platform/log/metrics.ts';
import type { RedisConnections } from '../shared/platform/redis/connect.ts';
import { queuesOf } from './handler.ts';

export const jobRegistry = new Registry();

export const jobSeconds = new Histogram({
  name: 'console_job_seconds',
  help: 'How long starts of background jobs took, by `kind` and `outcome`: done, again, passedOn, wait, giveUp, failed, interrupted.',
  labelNames: ['kind', 'outcome'] as const,
  buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
  registers: [jobRegistry],
});

/** The job of a reply that was not sent is done like that of one that was, so `jobSeconds` doesn't show the difference. */
export const replyCounter = new Counter({
  name: 'console_replies_total',
  help: 'Replies that ended, by `outcome`: sent, failed (refused, or tried too often) or unknown (handed over, and no answer came).',
  labelNames: ['outcome'] as const,
  registers: [jobRegistry],
});
beginAtZero(replyCounter, [{ outcome: 'sent' }, { outcome: 'failed' }, { outcome: 'unknown' }]);

export const sweepSeconds = new Histogram({
  name: 'console_sweep_seconds',
  help: 'How long turns of sweeps took, by `sweep` and `outcome`: ok or failed. One worker at a time sweeps.',
  labelNames: ['sweep', 'outcome'] as const,
  buckets: [0.001, 0.01, 0.05, 0.2, 1, 5, 60],
  registers: [jobRegistry],
});

const queues = queuesOf(jobs);

interface QueueCounts {
  readonly queue: string;
  readonly waiting: number;
  readonly active: number;
}

const readQueues = (redis: RedisConnections): Promise<QueueCounts[]> =>
  Promise.all(
    queues.map(async (queue) => {
      const {
        wait = 0,
        prioritized = 0,
        active = 0,
      } = await redis.queue(queue).getJobCounts('wait', 'prioritized', 'active');
      return { queue, waiting: wait + prioritized, active };
    }),
  );

export const createQueueMetrics = (redis: RedisConnections): Registry => {
  const registry = new Registry();
  const read = createFigures(async () => (redis.bus.connected ? readQueues(redis) : []));
  addFigureGauges(registry, read, [
    {
      name: 'console_queue_jobs',
      help: 'Ids of jobs that BullMQ has, by `queue` and `state`: waiting or active. Nothing while Redis is unavailable.',
      labelNames: ['queue', 'state'],
      samples: (counts) =>
        counts.flatMap(({ queue, waiting, active }) => [
          { value: waiting, labels: { queue, state: 'waiting' } },
          { value: active, labels: { queue, state: 'active' } },
        ]),
    },
  ]);
  return registry;
};
