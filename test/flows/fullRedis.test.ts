/** Processes as an operator runs them, on a Redis that has no room left: they say so once, in the log and in the metrics. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { freePort } from '../../shared/tools/services/ports.mjs';
import { startRedis, type RedisServer } from '../../shared/tools/services/redis.mjs';
import { canCluster } from '../services/redisCluster.mjs';
import { request } from '../support/http.ts';
import { startProgram, type Program } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

describe('with a full Redis', () => {
  // The Redis in JavaScript, for machines without another one, has no limit of its memory.
  before(async function () {
    if (!(await canCluster())) this.skip();
  });
  let dir: string;
  let redis: RedisServer;
  let world: World;
  let programs: Program[];
  let ports: number[];
  let owner: Redis;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'console-full-'));
    redis = await startRedis({ dir });
    world = await newWorld({ server: false, workers: false, env: { REDIS_URL: redis.url } });
    ports = [await freePort(), await freePort()];
    programs = [
      await startProgram(world, 'api/main.ts', { PORT: String(ports[0]) }),
      await startProgram(world, 'workers/main.ts', { WORKER_PORT: String(ports[1]) }),
    ];
    owner = new Redis(redis.url);
  });
  after(async () => {
    owner.disconnect();
    for (const running of programs) await running.end();
    await world.close();
    await redis.stop();
    await rm(dir, { recursive: true, force: true });
  });

  it('the gauge follows, and each process and the enqueuer say once that it is so and that it is over', async () => {
    const count = (text: string): number[] => programs.map(({ said }) => said().split(text).length - 1);
    const ask = (path: string) =>
      Promise.all(ports.map((port) => request('GET', `http://127.0.0.1:${String(port)}${path}`, undefined, null)));
    const gauges = (value: number): Promise<unknown> =>
      until(`the gauges are ${String(value)}`, async () =>
        (await ask('/metrics')).every(({ text }) => text.includes(`\nconsole_redis_up ${String(value)}\n`)),
      );
    await gauges(1);
    await owner.config('SET', 'maxmemory', '1mb');
    await gauges(0);
    for (const { body } of await ask('/ready')) expect(body).to.deep.include({ redis: false, degraded: ['redis'] });

    const { token } = await world.agent('admin');
    const call = (method: string, path: string, body?: object) =>
      request(method, `http://127.0.0.1:${String(ports[0])}/api/env/demo${path}`, body, token);
    const item = await call('POST', '/items', { inbox: 'mail', title: 'One' });
    const operation = { type: 'state', state: 'waiting' };
    const bulk = await call('POST', '/bulk', { ids: [item.body.item.id], operation });
    expect(bulk.status, bulk.text).to.equal(202);
    await until('the enqueuer has failed', () => (count('the enqueuer failed and retries')[1] ?? 0) > 0);
    // It tries each second: its next tries come after those of others that it has put the job back for.
    const asked = async (): Promise<number> =>
      Number(/cmdstat_set:calls=\d+.*?rejected_calls=(\d+)/.exec(await owner.info('commandstats'))?.[1] ?? 0);
    const before = await asked();
    await until('it has been refused ten times more', async () => (await asked()) >= before + 10, 30_000);
    expect(count('the enqueuer failed and retries')).to.deep.equal([0, 1]);
    expect(count('the enqueuer goes on')).to.deep.equal([0, 0]);
    expect(count('Redis is unavailable')).to.deep.equal([1, 1]);
    expect(programs[0]?.said()).to.include('OOM');

    await owner.config('SET', 'maxmemory', '0');
    await gauges(1);
    await until(
      'a worker does it',
      async () => (await call('GET', `/bulk/${String(bulk.body.bulk.id)}`)).body.bulk.status === 'done',
    );
    await until('both say so', () => count('Redis is available again').join() === '1,1');
    await until('so does the enqueuer', () => count('the enqueuer goes on').join() === '0,1');
  });
});
