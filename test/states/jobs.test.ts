/** Staged jobs and connections of apps under random events: their statements move rows along the arrows of the tables only. */
import fc from 'fast-check';
import {
  deleteConnections,
  deleteExpiredConnections,
  insertConnection,
  reinsertConnection,
  renewConnections,
} from '../../shared/app/link/presence.ts';
import { jobs } from '../../shared/catalogue/jobs.ts';
import { connections } from '../../shared/catalogue/states/connections.ts';
import { stagedJobs } from '../../shared/catalogue/states/stagedJobs.ts';
import type { Deps } from '../../shared/deps.ts';
import { newId } from '../../shared/platform/ids.ts';
import {
  acquireJobLease,
  completeJob,
  failJob,
  parkJob,
  releaseParkedJobs,
  renewJobLeases,
  rescheduleJob,
  returnJob,
  type JobLease,
} from '../../shared/platform/leases/jobLease.ts';
import { releaseNextRun, releaseOverlookedRuns } from '../../shared/runs/call/recordQueue.ts';
import { insertRun } from '../../shared/runs/insertRun.ts';
import { readRun, type Run } from '../../shared/runs/model.ts';
import { transitionRun } from '../../shared/runs/moveRun.ts';
import type { JobDue } from '../../shared/runs/runStatementParts.ts';
import { enqueueDue } from '../../workers/outbox/enqueuer.ts';
import { expiredRows } from '../../workers/sweeps/expiredRows.ts';
import { orphanedJobs } from '../../workers/sweeps/index.ts';
import { anyRun } from '../runs/anyRun.ts';
import { installStateTrace } from '../support/stateTrace.ts';
import { newJobsWorld, type JobsWorld } from '../workers/jobsWorld.ts';
import { drive, seed } from './support.ts';

const day = 86_400_000;

const queuedRun = (record: string, at: number): Run =>
  anyRun({
    resource: 'order',
    record,
    status: 'queued',
    background: false,
    timeout_ms: 1_000,
    lane: `order/${record}`,
    requested_at: at,
    expires_at: at + day,
  });

describe(`states: staged jobs and connections (STATES_SEED=${String(seed)})`, () => {
  let bench: JobsWorld;
  before(async () => {
    bench = await newJobsWorld();
    await installStateTrace((text) => bench.owner.query(text), true);
  });
  after(() => bench.close());

  const later = (ms: number): Deps => ({ ...bench.deps, clock: { now: () => bench.deps.clock.now() + ms } });

  it('jobs: staging, enqueueing, leases, ends, sweeps and cancellations in any order', async () => {
    const { deps } = bench;
    const { db } = deps;
    const records = ['a', 'b', 'c'] as const;
    const ends = ['complete', 'reschedule', 'park', 'fail', 'giveUp', 'return', 'renew'] as const;
    const target = fc.nat(5);
    const event = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          do: fc.constant('stage' as const),
          record: fc.constantFrom(...records),
          due: fc.constantFrom<JobDue>('app', 0, day),
        }),
      },
      { weight: 6, arbitrary: fc.record({ do: fc.constant('lease' as const), target }) },
      { weight: 12, arbitrary: fc.record({ do: fc.constant('end' as const), target, how: fc.constantFrom(...ends) }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('cancel' as const), target }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('turn' as const), record: fc.constantFrom(...records) }) },
      {
        weight: 8,
        arbitrary: fc.record({
          do: fc.constantFrom('enqueue', 'enqueueInVain', 'timePasses', 'sweep', 'online', 'turns'),
        }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('weekPasses' as const) }) },
    );
    const stageOne = { do: 'stage', record: 'a', due: 0 } as const;
    const [take, lapse] = [{ do: 'lease', target: 0 } as const, [{ do: 'timePasses' }, { do: 'sweep' }] as const];
    const giveUp = { do: 'end', how: 'giveUp', target: 0 } as const;
    const scripts = [
      ...ends.map((how) => [stageOne, take, ...lapse, { do: 'end', how, target: 0 } as const]),
      [stageOne, take, giveUp, { do: 'turn', record: 'a' } as const],
      [stageOne, take, giveUp, { do: 'weekPasses' } as const],
    ];
    const failure = () => ({ error: 'failed', retryAt: null, now: deps.clock.now() });
    const deaf = { queue: () => ({ addBulk: () => Promise.reject(new Error('Redis is away')) }) };
    const endJob: Record<(typeof ends)[number], (lease: JobLease) => Promise<unknown>> = {
      complete: (lease) => completeJob(db, lease),
      reschedule: (lease) => rescheduleJob(db, lease, deps.clock.now()),
      park: (lease) => parkJob(db, lease),
      fail: (lease) => failJob(db, lease, { ...failure(), retryAt: deps.clock.now() + day }),
      giveUp: (lease) => failJob(db, lease, failure()),
      return: (lease) => returnJob(db, lease),
      renew: (lease) => renewJobLeases(db, [lease]),
    };
    await drive({
      query: (text) => bench.owner.query(text),
      machines: [stagedJobs],
      event,
      scripts,
      runs: 12,
      length: 100,
      begin: async () => {
        const name = newId('run');
        const runs: string[] = [];
        const leases = new Map<string, JobLease>();
        const runOf = (number: number): string => runs[runs.length - 1 - (number % Math.max(1, runs.length))] ?? '';
        const stage = async (record: string, due: JobDue): Promise<void> => {
          const run = queuedRun(`${name}-${record}`, deps.clock.now());
          await insertRun(db, run, { due, saved: null, unlessQueued: false });
          runs.push(run.id);
        };
        const lease = async (run: string): Promise<void> => {
          const [job] = await bench.sql<{ id: string }>('select id from staged_jobs where subject = $1', [run]);
          const leased = job === undefined ? null : await acquireJobLease(db, job.id, deps.clock.now());
          if (leased !== null) leases.set(run, leased);
        };
        const cancel = async (id: string): Promise<void> => {
          const run = await readRun(db, 1, id);
          if (run?.status !== 'queued') return;
          const step = { verb: null, outcome: 'ok', emit: false, due: null } as const;
          await transitionRun(db, run, { ...run, status: 'cancelled' }, deps.clock.now(), step);
        };
        return async (one) => {
          switch (one.do) {
            case 'stage':
              return stage(one.record, one.due);
            case 'lease':
              return lease(runOf(one.target));
            case 'end': {
              const leased = leases.get(runOf(one.target));
              return leased === undefined ? undefined : endJob[one.how](leased);
            }
            case 'cancel':
              return cancel(runOf(one.target));
            case 'turn':
              return releaseNextRun(deps, 1, `order/${name}-${one.record}`);
            case 'turns':
              return releaseOverlookedRuns(db, deps.clock.now(), null);
            case 'enqueue':
              return enqueueDue(later(2 * day), jobs);
            case 'enqueueInVain':
              return enqueueDue({ ...later(2 * day), redis: deaf as unknown as Deps['redis'] }, jobs).catch(() => 0);
            case 'timePasses':
              return bench.sql(
                'update staged_jobs set lease_until = lease_until - 100000, enqueued_at = enqueued_at - 100000',
              );
            case 'sweep':
              return orphanedJobs.run(deps);
            case 'online':
              return releaseParkedJobs(deps, 1);
            case 'weekPasses':
              return expiredRows.run(later(30 * day));
          }
        };
      },
    });
  });

  it('connections: registrations, heartbeats, closed sockets, processes that freeze or are killed, sweeps', async () => {
    const { deps } = bench;
    const parts = { db: deps.db, bus: deps.bus, clock: deps.clock };
    const event = fc.record({
      do: fc.constantFrom('register', 'return', 'renew', 'close', 'timePasses', 'sweep'),
      instance: fc.constantFrom('a', 'b', 'c'),
      target: fc.nat(5),
    });
    await drive({
      query: (text) => bench.owner.query(text),
      machines: [connections],
      event,
      runs: 10,
      length: 50,
      begin: async () => {
        const made: Parameters<typeof insertConnection>[1][] = [];
        return async ({ do: what, instance, target }) => {
          const one = made[made.length - 1 - (target % Math.max(1, made.length))];
          if (what === 'register') {
            const common = { envId: 1, appKey: 'key_1', process: 'test', declares: [], startedAt: 0 };
            const arrival = { ...common, id: newId('job'), instance };
            made.push(arrival);
            return insertConnection(parts, arrival);
          }
          if (what === 'timePasses') return bench.sql('update app_connections set seen_at = 1');
          if (what === 'sweep') return deleteExpiredConnections(parts);
          if (one === undefined) return undefined;
          if (what === 'return') return reinsertConnection(parts, one);
          if (what === 'renew') return renewConnections(deps.db, [{ id: one.id, busy: 0 }]);
          return deleteConnections(parts, [one.id]);
        };
      },
    });
  });
});
