/** A frozen Redis behind a load balancer that checks readiness: no process is taken out, and requests go on. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePort } from '../../shared/tools/services/ports.mjs';
import { startRedis, type RedisServer } from '../../shared/tools/services/redis.mjs';
import { startHaproxy, type LoadBalancer } from '../support/haproxy.ts';
import { clientOf, request, type Client, type Reply } from '../support/http.ts';
import { startProgram, type Program } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

/** ms of the outage: several times what the load balancer needs to take a process out. FREEZE_MS makes it longer. */
const freezeMs = Number(process.env['FREEZE_MS'] ?? 12_000);

describe('behind HAProxy with checks of readiness', function () {
  this.timeout(180_000 + freezeMs);
  let dir: string;
  let redis: RedisServer;
  let world: World;
  let programs: Program[] = [];
  let balancer: LoadBalancer | null = null;
  let agent: Client;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'console-balanced-'));
    redis = await startRedis({ dir });
    world = await newWorld({ server: false, workers: false, env: { REDIS_URL: redis.url } });
    const env = { TRUST_PROXY: '1', RATE_LIMIT: '1000000', RATE_BURST: '1000000', POOL_SIZE: '4' };
    programs = await Promise.all([
      startProgram(world, 'api/main.ts', env),
      startProgram(world, 'api/main.ts', env),
      startProgram(world, 'workers/main.ts', env),
    ]);
    balancer = await startHaproxy([programs[0]?.port ?? '', programs[1]?.port ?? '']);
    const operator = await world.agent('operator');
    agent = clientOf(`${balancer.origin}/api/env/demo`, operator.token, operator.id);
  });
  after(async () => {
    process.kill(redis.pid, 'SIGCONT');
    await balancer?.stop();
    const ended = await Promise.allSettled(programs.map((program) => program.end()));
    await world.close();
    await redis.stop();
    await rm(dir, { recursive: true, force: true });
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
  });

  const ready = (api: number): Promise<Reply> =>
    request('GET', `http://127.0.0.1:${programs[api]?.port ?? ''}/ready`, undefined, null);

  it('reads and changes succeed while Redis is frozen', async () => {
    const counts = { reads: { done: 0, failed: 0 }, changes: { done: 0, failed: 0 } };
    const failures = new Map<string, number>();
    let stopping = false;
    const repeat = async (kind: keyof typeof counts, call: () => Promise<Reply>): Promise<void> => {
      while (!stopping) {
        const status = await call().then(
          (reply) => String(reply.status),
          (error: unknown) => String(error),
        );
        counts[kind].done += 1;
        if (status.startsWith('2')) continue;
        counts[kind].failed += 1;
        failures.set(status, (failures.get(status) ?? 0) + 1);
      }
    };
    const create = (): Promise<Reply> => agent.post('/items', { inbox: 'mail', title: 'Under load' });
    const load = Promise.all([
      repeat('reads', () => agent.get('/items?limit=5')),
      repeat('reads', () => agent.get('/me')),
      repeat('reads', () => agent.get('/inboxes')),
      repeat('changes', create),
      repeat('changes', create),
    ]);
    await until('requests are served', () => counts.changes.done > 20 && counts.reads.done > 20, 20_000);
    process.kill(redis.pid, 'SIGSTOP');
    for (const api of [0, 1])
      await until('it is told', async () => (await ready(api)).body.degraded.includes('redis'), 10_000);
    await new Promise((resolve) => setTimeout(resolve, freezeMs));
    const during = structuredClone(counts);
    for (const api of [0, 1]) expect((await ready(api)).status).to.equal(200);
    process.kill(redis.pid, 'SIGCONT');
    for (const api of [0, 1])
      await until('it is over', async () => (await ready(api)).body.degraded.length === 0, 20_000);
    stopping = true;
    await load;
    expect(during.changes.done).to.be.above(50);
    const told = JSON.stringify({ during, counts, failures: Object.fromEntries(failures) });
    for (const { done, failed } of Object.values(counts)) expect((done - failed) / done, told).to.be.at.least(0.999);
  });
});

describe('behind HAProxy, with PROBE_PORT', () => {
  it('requests are served by the configuration as it is printed, and probes are not on the port that serves', async () => {
    const world = await newWorld({ server: false, workers: false });
    const probePort = String(await freePort());
    const hosts = ['127.0.0.1', '127.0.0.2'] as const;
    const closing: (() => Promise<unknown>)[] = [() => world.close()];
    try {
      const ports: string[] = [];
      for (const HOST of hosts) {
        const unlimited = { RATE_LIMIT: '1000000', RATE_BURST: '1000000' };
        const env = { HOST, PROBE_PORT: probePort, TRUST_PROXY: '1', ...unlimited };
        const api = await startProgram(world, 'api/main.ts', env);
        closing.push(() => api.end());
        ports.push(api.port);
      }
      const balancer = await startHaproxy([ports[0] ?? '', ports[1] ?? ''], { hosts, probePort });
      closing.push(() => balancer.stop());
      const agent = await world.agent('operator');
      // Longer than the checks need to take out both.
      for (const until = performance.now() + 4_000; performance.now() < until;) {
        const { status, text } = await request('GET', `${balancer.origin}/api/env/demo/me`, undefined, agent.token);
        expect(status, text).to.equal(200);
      }
    } finally {
      for (const close of closing.reverse()) await close();
    }
  });
});
