/** Redis may be away at any time: at the start, for a while, or emptied; nothing of ours needs a restart after it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openRedis, type RedisConnections } from '../../shared/platform/redis/connect.ts';
import { freePort } from '../../shared/tools/services/ports.mjs';
import { startRedis, type RedisServer } from '../../shared/tools/services/redis.mjs';
import { done } from '../../workers/handler.ts';
import { createWorkerProcess } from '../../workers/workerProcess.ts';
import { testRedisSecurity } from '../support/redisSecurity.ts';
import { until } from '../support/until.ts';
import { newJobsWorld } from './jobsWorld.ts';
import { probeJobs } from './probe.ts';

const security = testRedisSecurity();

describe('with a Redis that comes and goes', () => {
  let dir: string;
  let port: number;
  let server: RedisServer | null;
  let links: RedisConnections;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'console-redis-'));
    port = await freePort();
    server = null;
    links = openRedis({ url: `redis://127.0.0.1:${String(port)}`, prefix: 'test', onError: () => undefined }, security);
  });
  afterEach(async () => {
    await links.close();
    await server?.stop();
    await rm(dir, { recursive: true, force: true });
  });
  const up = async (): Promise<void> => {
    server = await startRedis({ dir, port });
    await until('the bus is up', () => links.bus.connected);
  };
  const add = (name: string): Promise<unknown> =>
    links.queue('some').add(name, { staged: name }, { removeOnComplete: true });

  it('opens without it, fails fast, and works once it is there', async () => {
    const heard: string[] = [];
    const taken: string[] = [];
    links.bus.subscribe('news', (text) => heard.push(text));
    const worker = links.worker(
      'some',
      async (name) => {
        taken.push(name);
      },
      { concurrency: 1 },
    );
    expect(links.bus.connected).to.equal(false);
    links.bus.publish('news', 'lost');
    const failed = await add('lost').catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(Error);
    expect(await links.command.get('x').catch((error: unknown) => error)).to.be.instanceOf(Error);
    await up();
    await until('a job is taken', async () => {
      await add('kept').catch(() => undefined);
      return taken.includes('kept');
    });
    await until('a message is heard', () => {
      links.bus.publish('news', 'kept');
      return heard.includes('kept');
    });
    await worker.close();
  });

  it('hears and works again after a restart of Redis', async () => {
    await up();
    const heard: string[] = [];
    const taken: string[] = [];
    const end = links.bus.subscribe('news', (text) => heard.push(text));
    const worker = links.worker(
      'some',
      async (name) => {
        taken.push(name);
      },
      { concurrency: 1 },
    );
    for (const round of ['first', 'second', 'third', 'fourth']) {
      if (round !== 'first') await server?.restart();
      await until(`the ${round} message is heard`, () => {
        links.bus.publish('news', round);
        return heard.includes(round);
      });
      await until(`the ${round} job is taken`, async () => {
        await add(round).catch(() => undefined);
        return taken.includes(round);
      });
    }
    end();
    await worker.close();
  });

  it('notices one that has frozen, and goes on when it has thawed', async () => {
    await up();
    process.kill(server?.pid ?? 0, 'SIGSTOP');
    await until('it is noticed', () => !links.bus.connected);
    expect(await links.command.get('x').catch((error: unknown) => error)).to.be.instanceOf(Error);
    process.kill(server?.pid ?? 0, 'SIGCONT');
    await until('it is back', () => links.bus.connected);
  });

  it('keeps staged jobs while it is away, and runs them when it is back', async () => {
    const world = await newJobsWorld();
    const ran: string[] = [];
    const crew = world.own(
      createWorkerProcess(
        { ...world.deps, redis: links, bus: links.bus },
        {
          jobs: probeJobs,
          handlers: {
            probe: async ({ id }: { id: string }) => {
              ran.push(id);
              return done();
            },
          },
        },
      ),
    );
    await crew.start();
    const ids = await Promise.all(Array.from({ length: 20 }, () => world.stage('probe')));
    await up();
    await until('they have run', () => ran.length === 20);
    await server?.stop();
    const more = await Promise.all(Array.from({ length: 20 }, () => world.stage('probe')));
    await until('Redis is away', () => !links.bus.connected);
    await server?.restart();
    await until('these too', async () => (await world.sql('select 1 from staged_jobs limit 1')).length === 0, 30_000);
    expect(new Set(ran)).to.deep.equal(new Set([...ids, ...more]));
    await crew.stop();
    await world.close();
  });
});
