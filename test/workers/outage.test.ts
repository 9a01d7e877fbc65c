/** PostgreSQL may go away under the crew: it goes on by itself when it is back, and what was accepted happens. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { migrateDatabase } from '../../migrations/migrate.ts';
import { startPostgres, type PostgresServer } from '../../shared/tools/services/postgres.mjs';
import { done } from '../../workers/handler.ts';
import { createWorkerProcess } from '../../workers/workerProcess.ts';
import { deferred } from '../support/deferred.ts';
import { until } from '../support/until.ts';
import { newJobsWorld, type JobsWorld } from './jobsWorld.ts';
import { probeJobs } from './probe.ts';

describe('with a PostgreSQL that comes and goes', () => {
  let dir: string;
  let server: PostgresServer;
  let world: JobsWorld;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'console-postgres-'));
    // Durable: without it an immediate stop loses the newest commits.
    server = await startPostgres({ dir });
    await migrateDatabase(server.ownerUrl, server.url);
    world = await newJobsWorld({ url: server.url, ownerUrl: server.ownerUrl, drop: async () => undefined });
  });
  afterEach(async () => {
    await world.close();
    await server.stop('immediate');
    await rm(dir, { recursive: true, force: true });
  });

  it('publishes and runs jobs again after each return, and a job that ended meanwhile isn’t run again', async () => {
    const begun = deferred();
    const end = deferred();
    const ran: string[] = [];
    const crew = world.own(
      createWorkerProcess(world.deps, {
        jobs: probeJobs,
        handlers: {
          probe: async ({ id }: { id: string }) => {
            ran.push(id);
            if (ran.length === 1) {
              begun.resolve();
              await end.promise;
            }
            return done();
          },
        },
      }),
    );
    await crew.start();
    const ids = [await world.stage('probe')];
    await begun.promise;
    for (let round = 1; round <= 3; round++) {
      await server.stop('immediate');
      end.resolve();
      await server.restart();
      await world.sql("insert into outbox (id, env, at, parts) values ($1, 1, 1, '[{}]')", [round]);
      ids.push(await world.stage('probe'));
      await until('the event is told', async () => (await world.sql('select 1 from stream')).length === round);
      await until('the jobs are done', async () => (await world.sql('select 1 from staged_jobs')).length === 0);
    }
    expect(ran.sort()).to.deep.equal([...ids].sort());
  });
});
