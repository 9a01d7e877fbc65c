/** A Redis Cluster in place of a single Redis: the same promises, whatever becomes of its nodes. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openRedis, type RedisConnections } from '../../shared/platform/redis/connect.ts';
import { canCluster, startRedisCluster, type RedisCluster } from '../services/redisCluster.mjs';
import { testRedisSecurity } from '../support/redisSecurity.ts';
import { until } from '../support/until.ts';

const security = testRedisSecurity();

describe('with a Redis Cluster', () => {
  before(async function () {
    if (!(await canCluster())) this.skip();
  });
  let dir: string;
  let cluster: RedisCluster;
  let links: RedisConnections;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'console-cluster-'));
    cluster = await startRedisCluster({ dir });
  });
  beforeEach(() => {
    links = openRedis({ url: cluster.url, prefix: 'test', onError: () => undefined }, security);
  });
  afterEach(() => links.close());
  after(async () => {
    await (cluster as RedisCluster | undefined)?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  const heardBy = (): { readonly texts: string[]; hears(text: string): Promise<unknown> } => {
    const texts: string[] = [];
    links.bus.subscribe('news', (text) => texts.push(text));
    return {
      texts,
      hears: (text) =>
        until(
          `${text} is heard`,
          () => {
            links.bus.publish('news', text);
            return texts.includes(text);
          },
          20_000,
        ),
    };
  };
  const takenFrom = (
    queues: readonly string[],
  ): { readonly taken: string[]; take(name: string): Promise<unknown>; close(): Promise<unknown> } => {
    const taken: string[] = [];
    const workers = queues.map((queue) =>
      links.worker(
        queue,
        async (name) => {
          taken.push(`${queue} ${name}`);
        },
        { concurrency: 2 },
      ),
    );
    return {
      taken,
      take: (name) =>
        Promise.all(
          queues.map((queue) =>
            until(
              `${queue} has taken ${name}`,
              async () => {
                await links
                  .queue(queue)
                  .add(name, { staged: name }, { removeOnComplete: true })
                  .catch(() => undefined);
                return taken.includes(`${queue} ${name}`);
              },
              20_000,
            ),
          ),
        ),
      close: () => Promise.all(workers.map((worker) => worker.close())),
    };
  };
  const queues = ['bulk', 'actions', 'replies', 'triage', 'ramps'];

  it('runs commands, scripts of one key, messages and all queues, wherever the keys lie', async () => {
    await until('it is up', () => links.bus.connected);
    for (let n = 0; n < 20; n++) expect(await links.command.set(`test:${String(n)}`, '1', 'PX', 1_000)).to.equal('OK');
    expect(await links.command.eval('return redis.call("GET", KEYS[1])', 1, 'test:7')).to.equal('1');
    const news = heardBy();
    const work = takenFrom(queues);
    await news.hears('first');
    await work.take('first');
    await work.close();
  });

  it('hears messages of one process in their order', async () => {
    const { texts, hears } = heardBy();
    await until('it is up', () => links.bus.connected);
    await hears('start');
    const sent = Array.from({ length: 500 }, (_, n) => String(n));
    for (const text of sent) links.bus.publish('news', text);
    await until('the last is heard', () => texts.includes('499'));
    expect(texts.filter((text) => text !== 'start')).to.deep.equal(sent);
  });

  it('goes on after each node has been restarted', async () => {
    const news = heardBy();
    const work = takenFrom(queues);
    await news.hears('before');
    await work.take('before');
    for (const [n, node] of cluster.nodes.entries()) {
      await node.kill();
      await node.restart();
      await news.hears(`after ${String(n)}`);
      await work.take(`after-${String(n)}`);
    }
    await work.close();
  });

  it('leaves a frozen node for another one, and hears on', async () => {
    const news = heardBy();
    await news.hears('before');
    for (const [n, node] of cluster.nodes.entries()) {
      process.kill(node.pid, 'SIGSTOP');
      await news.hears(`without ${String(n)}`);
      process.kill(node.pid, 'SIGCONT');
    }
  });

  it('opens without it, fails fast, works once it is there, and closes in any case', async () => {
    await Promise.all(cluster.nodes.map((node) => node.stop()));
    const own = openRedis({ url: cluster.url, prefix: 'test', onError: () => undefined }, security);
    expect(own.bus.connected).to.equal(false);
    expect(await own.command.get('x').catch((error: unknown) => error)).to.be.instanceOf(Error);
    expect(
      await own
        .queue('bulk')
        .add('lost', { staged: 'lost' })
        .catch((error: unknown) => error),
    ).to.be.instanceOf(Error);
    const worker = own.worker('bulk', async () => undefined, { concurrency: 1 });
    own.bus.subscribe('news', () => undefined);
    await worker.close();
    await own.close();
    const news = heardBy();
    const work = takenFrom(queues);
    await Promise.all(cluster.nodes.map((node) => node.restart()));
    await news.hears('there');
    await work.take('there');
    await work.close();
  });
});
