/** Background jobs: each staged one is run, once, whatever is lost or killed in between, and ends as its handler returns. */
import { expect } from 'chai';
import { acquireJobLease, type JobLease } from '../../shared/platform/leases/jobLease.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import { done, giveUp, passOn, retryAt, type Job, type JobHandler, type JobOutcome } from '../../workers/handler.ts';
import { startEnqueuer } from '../../workers/outbox/enqueuer.ts';
import { orphanedJobs } from '../../workers/sweeps/index.ts';
import { createWorkerProcess, type WorkerProcess } from '../../workers/workerProcess.ts';
import { deferred } from '../support/deferred.ts';
import { until } from '../support/until.ts';
import { newJobsWorld, type JobsWorld } from './jobsWorld.ts';
import { probeJobs } from './probe.ts';

type Probe = (job: Job<never>) => Promise<JobOutcome>;

interface Row {
  readonly due_at: string | null;
  readonly enqueued_at: string | null;
  readonly enqueues: number;
  readonly tries: number;
  readonly fence: number;
  readonly last_error: string | null;
}

describe('background jobs', () => {
  let world: JobsWorld;
  beforeEach(async () => {
    world = await newJobsWorld();
    await world.sql('create table probe (job text, fence int, what text)');
    await world.sql('grant all on probe to public');
  });
  afterEach(() => world.close());

  const crewOf = async (probe: Probe): Promise<WorkerProcess> => {
    const handler: JobHandler<never> = (job) => probe(job);
    const crew = world.own(
      createWorkerProcess(world.deps, { jobs: probeJobs, handlers: { probe: handler }, sweeps: [orphanedJobs] }),
    );
    await crew.start();
    return crew;
  };
  const rowOf = async (id: string): Promise<Row | undefined> =>
    (await world.sql<Row>('select * from staged_jobs where id = $1', [id]))[0];
  const gone = (id: string): Promise<boolean> => until('the row has gone', async () => (await rowOf(id)) === undefined);
  /** As FLUSHALL, for the keys of this test's part of Redis that end so: at one moment, with nothing in between. */
  const forget = async (end = ''): Promise<unknown> =>
    world.deps.redis.command.eval(
      "local n = 0 for _, key in ipairs(redis.call('KEYS', ARGV[1])) do n = n + redis.call('DEL', key) end return n",
      0,
      `${world.env['REDIS_PREFIX'] ?? ''}:*${end}`,
    );

  it('are run once, with what was staged, and their row goes', async () => {
    const ran: Job<never>[] = [];
    await crewOf(async (job) => {
      ran.push(job);
      return done();
    });
    const ids = await Promise.all(Array.from({ length: 300 }, (_, n) => world.stage('probe', { n })));
    await until('all have run', () => ran.length >= 300);
    await Promise.all(ids.map(gone));
    expect(ran.map(({ id }) => id).sort()).to.deep.equal([...ids].sort());
    const first = ran.find(({ id }) => id === ids[0]);
    expect(first).to.deep.include({
      env: 1,
      name: 'probe',
      payload: { n: 0 },
      requestId: `req_of_${String(ids[0])}`,
      fence: 1,
      startCount: 1,
    });
  });

  it('are run once however often Redis carries them', async () => {
    const begun = deferred();
    const end = deferred();
    let runs = 0;
    await crewOf(async () => {
      runs += 1;
      begun.resolve();
      await end.promise;
      return done();
    });
    const id = await world.stage('probe');
    await begun.promise;
    const queue = world.deps.redis.queue('probe');
    await queue.addBulk(
      Array.from({ length: 50 }, () => ({ name: 'probe', data: { staged: id }, opts: { removeOnComplete: true } })),
    );
    await until('Redis has carried them all', async () => (await queue.getJobCounts('wait'))['wait'] === 0);
    end.resolve();
    await gone(id);
    expect(runs).to.equal(1);
  });

  it('wait until they are due, and parked ones for good', async () => {
    let now = 1_000_000;
    const ran: string[] = [];
    const deps = { ...world.deps, clock: { now: () => now } };
    const handler: JobHandler<never> = async ({ id }) => {
      ran.push(id);
      return done();
    };
    const crew = world.own(createWorkerProcess(deps, { jobs: probeJobs, handlers: { probe: handler }, sweeps: [] }));
    await crew.start();
    const [later, parked, soon] = [
      await world.stage('probe', {}, now + 1000),
      await world.stage('probe'),
      await world.stage('probe', {}, now),
    ];
    await world.sql('update staged_jobs set due_at = null where id = $1', [parked]);
    await gone(soon);
    expect(ran).to.deep.equal([soon]);
    now += 1000;
    await gone(later);
    expect(ran).to.deep.equal([soon, later]);
    expect(await rowOf(parked)).to.include({ tries: 0, enqueues: 0 });
  });

  it('are run although Redis forgot them', async () => {
    const enqueuer = startEnqueuer(world.deps, probeJobs);
    const ids = await Promise.all(Array.from({ length: 50 }, () => world.stage('probe')));
    await until(
      'BullMQ has them',
      async () => (await world.deps.redis.queue('probe').getJobCounts('wait'))['wait'] === 50,
    );
    await enqueuer.stop();
    expect(await forget()).to.be.greaterThan(50);
    const ran: string[] = [];
    await crewOf(async ({ id }) => {
      ran.push(id);
      return done();
    });
    await Promise.all(ids.map(gone));
    expect(ran.sort()).to.deep.equal([...ids].sort());
  });

  it('are run although Redis forgot only that they wait', async () => {
    const enqueuer = startEnqueuer(world.deps, probeJobs);
    const id = await world.stage('probe');
    const queue = world.deps.redis.queue('probe');
    await until('BullMQ has it', async () => (await queue.getJobCounts('wait'))['wait'] === 1);
    await enqueuer.stop();
    expect(await forget(':wait')).to.equal(1);
    let runs = 0;
    await crewOf(async () => {
      runs += 1;
      return done();
    });
    await until('it has run', async () => {
      // Not to wait for the seconds between two looks of the sweep.
      await world.sql(
        'update staged_jobs set enqueued_at = enqueued_at - 20000 where id = $1 and lease_until is null',
        [id],
      );
      return (await rowOf(id)) === undefined;
    });
    expect(runs).to.equal(1);
  });

  it('are run once each while Redis is emptied again and again under a crew at work', async () => {
    const ran: string[] = [];
    await crewOf(async ({ id }) => {
      await world.sql('select pg_sleep(0.005)');
      ran.push(id);
      return done();
    });
    const ids: string[] = [];
    for (let round = 0; round < 10; round++) {
      ids.push(...(await Promise.all(Array.from({ length: 40 }, () => world.stage('probe')))));
      await forget();
    }
    await until(
      'all have run',
      async () => (await world.sql('select 1 from staged_jobs limit 1')).length === 0,
      30_000,
    );
    expect(ran.sort()).to.deep.equal([...ids].sort());
  });

  it('are tried again when they throw, and parked with the error when it was too often', async () => {
    const tries: number[] = [];
    await crewOf(async (job) => {
      tries.push(job.startCount);
      throw new Error('no luck');
    });
    const id = await world.stage('probe');
    const failed = await until('it failed', async () => {
      const row = await rowOf(id);
      return row?.last_error !== null && row;
    });
    expect(Number(failed?.due_at)).to.be.greaterThan(world.deps.clock.now() - 1000);
    // Not to wait for the backoff, which is tested by itself.
    await until('it is parked', async () => {
      await world.sql('update staged_jobs set due_at = 0 where id = $1 and enqueued_at is null and due_at > 0', [id]);
      return (await rowOf(id))?.due_at === null;
    });
    expect(tries).to.deep.equal([1, 2, 3, 4]);
    expect(await rowOf(id)).to.include({ last_error: 'Error: no luck', enqueued_at: null });
  });

  it('are looked at again when their handler says so, and given up when it says so', async () => {
    const answers = [retryAt(0), retryAt(0), giveUp('it makes no sense')];
    const tries: number[] = [];
    await crewOf(async (job) => {
      tries.push(job.startCount);
      return answers.shift() ?? done();
    });
    const id = await world.stage('probe');
    await until('it is given up', async () => (await rowOf(id))?.last_error === 'it makes no sense');
    expect(tries).to.deep.equal([1, 1, 1]);
    expect(await rowOf(id)).to.include({ due_at: null, enqueued_at: null });
  });

  it('are due again when whoever they were passed on to leaves them, and run once when it does not', async () => {
    const at = world.deps.clock.now() + 60_000;
    const ran: string[] = [];
    await crewOf(async ({ id, payload }) => {
      ran.push(id);
      if ('taken' in (payload as object)) await world.sql('delete from staged_jobs where id = $1', [id]);
      return passOn(at);
    });
    const [taken, left] = [await world.stage('probe', { taken: true }), await world.stage('probe')];
    await gone(taken);
    const row = await until('it is due again', async () => {
      const found = await rowOf(left);
      return found?.enqueued_at === null && found;
    });
    expect(row).to.include({ due_at: at, enqueued_at: null, lease_until: null, tries: 0, fence: 1 });
    await world.sql('update staged_jobs set due_at = 0 where id = $1', [left]);
    world.deps.bus.publish(channels.workAvailable, 'jobs');
    await until('it is run again', () => ran.filter((id) => id === left).length === 2);
    expect(ran.filter((id) => id === taken)).to.have.length(1);
  });

  it('are leased by one of those who ask at once, and one that is locked holds up no other', async () => {
    const { db, clock } = world.deps;
    const ids = await Promise.all(Array.from({ length: 40 }, () => world.stage('probe')));
    const [locked = '', ...others] = ids;
    const lease = (id: string): Promise<JobLease | null> => acquireJobLease(db, id, clock.now());
    const holder = await world.owner.connect();
    try {
      await holder.query('begin');
      await holder.query('select from staged_jobs where id = $1 for update', [locked]);
      // The first calls go alone; the locked row is asked for in one statement with others.
      const early = others.slice(0, 10).map(lease);
      const waiting = lease(locked);
      const leases = await Promise.all([...early, ...[...others.slice(10), ...others].map(lease)]);
      expect(leases.flatMap((each) => each?.id ?? []).sort()).to.deep.equal(others.toSorted());
      await holder.query('commit');
      expect(await waiting).to.include({ id: locked, fence: 1, tries: 1 });
    } finally {
      holder.release();
    }
    expect(await Promise.all(ids.map(lease))).to.deep.equal(ids.map(() => null));
  });

  it('go on elsewhere when their worker is killed', async () => {
    const child = await world.child('crew');
    const id = await world.stage('probe');
    await until('it runs there', async () => (await world.sql('select 1 from probe')).length === 1);
    child.kill('SIGKILL');
    const ran = deferred<Job<never>>();
    await crewOf(async (job) => {
      ran.resolve(job);
      return done();
    });
    await until('it runs here', async () => (await rowOf(id)) === undefined, 15_000);
    expect(await ran.promise).to.include({ id, fence: 2, startCount: 2 });
  });

  it('are out of the hands of a worker that froze: what it does when it wakes up changes nothing', async () => {
    const child = await world.child('crew');
    const id = await world.stage('probe');
    await until('it runs there', async () => (await world.sql('select 1 from probe')).length === 1);
    child.kill('SIGSTOP');
    const begun = deferred();
    const end = deferred();
    await crewOf(async () => {
      begun.resolve();
      await end.promise;
      return done();
    });
    await begun.promise;
    child.kill('SIGCONT');
    await until(
      'the frozen one was told',
      async () => (await world.sql("select 1 from probe where what = 'told to stop'")).length === 1,
    );
    // It returns "done" now; a clean stop proves that its answer was written, or rather not.
    child.kill('SIGTERM');
    await until('it has ended', () => child.exitCode === 0);
    expect(await rowOf(id)).to.include({ fence: 2 });
    end.resolve();
    await gone(id);
  });

  it('are given back by a worker that stops, and don’t count that start', async () => {
    const begun = deferred();
    const crew = createWorkerProcess(
      { ...world.deps, config: { ...world.deps.config, drainMs: 50 } },
      {
        jobs: probeJobs,
        sweeps: [],
        handlers: {
          probe: async ({ signal }: Job<never>) => {
            begun.resolve();
            await new Promise((_, reject) => {
              signal.addEventListener('abort', () => {
                reject(new Error('stopped'));
              });
            });
            return done();
          },
        },
      },
    );
    await crew.start();
    const id = await world.stage('probe');
    await begun.promise;
    await Promise.all([crew.stop(), crew.stop()]);
    expect(await rowOf(id)).to.include({ tries: 0, enqueued_at: null });
    const ran = deferred<Job<never>>();
    await crewOf(async (job) => {
      ran.resolve(job);
      return done();
    });
    expect(await ran.promise).to.include({ id, startCount: 1, fence: 2 });
  });
});
