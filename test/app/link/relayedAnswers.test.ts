/** Tests that what an app answers reaches a calling process whose connection to Redis is cut off or slow. */
import { expect } from 'chai';
import type { CallOutcome, Declaration } from '../../../shared/app/link/link.ts';
import { getLocalSockets } from '../../../shared/app/link/localConnections.ts';
import type { ServiceCalls } from '../../../shared/app/link/protocol.ts';
import { closeDeps, openDeps, type Deps } from '../../../shared/deps.ts';
import { connectApp, type FakeApp } from '../../support/app.ts';
import { redisUrl } from '../../support/database.ts';
import { deferred } from '../../support/deferred.ts';
import { Gate } from '../../support/gate.ts';
import { testManifest } from '../../support/manifest.ts';
import { until } from '../../support/until.ts';
import { newWorld, type World } from '../../support/world.ts';

const manifest = { ...testManifest, resources: [...testManifest.resources, { name: 'order', source: 'app' }] };
const declares: Declaration = { kind: 'resource', name: 'order' };
const redis = new Gate(new URL(redisUrl()));

describe('app link: relayed answers', () => {
  let world: World;
  let env: number;
  /** A process without sockets, whose way to Redis the tests cut. */
  let workers: Deps;
  let app: FakeApp;
  let answer: ReturnType<typeof deferred>;

  before(async () => {
    world = await newWorld();
    env = world.deps.directory.environment('demo')?.id ?? 0;
    workers = await openDeps({ ...world.config, redisUrl: await redis.listen() }, 'workers');
    app = await connectApp(await world.appKey(), { manifest });
  });
  beforeEach(() => {
    answer = deferred();
  });
  after(async () => {
    await app.close();
    await closeDeps(workers);
    redis.close();
    await world.close();
  });

  const call = (id: string): Promise<CallOutcome<ServiceCalls['records.get']['result']>> =>
    workers.link.call(env, 'records.get', { resource: 'order', ids: [id] }, { declares, timeoutMs: 60_000 });
  /** Makes the app answer a call `0` at once, and all others with records of `title` once `answer` resolves. */
  const handle = (title: string): void => {
    app.handle('records.get', async ({ ids }) => {
      const [id] = ids as string[];
      if (id !== '0') await answer.promise;
      return { records: [{ id, title }] };
    });
  };
  /** Makes `count` calls; returns their outcomes, once the calling process knows that the app has them. */
  const begin = async (count: number): Promise<{ outcomes: ReturnType<typeof call>[] }> => {
    const calls = Array.from({ length: count }, (_, i) => call(String(i + 1)));
    await until('the app has them', () => heldCalls() === count);
    // Its answer comes on the same channel, after the word that they were taken.
    await call('0');
    return { outcomes: calls };
  };
  const heldCalls = (): number | undefined => getLocalSockets(world.deps.link).of(env)[0]?.busy;
  const answerAll = async (): Promise<void> => {
    answer.resolve(undefined);
    await until('all answers have come to the process with the socket', () => heldCalls() === 0);
  };

  it('come again when the caller was cut off', async () => {
    handle('late');
    const { outcomes } = await begin(3);
    redis.shut();
    await answerAll();
    redis.open = true;
    const titles = (await Promise.all(outcomes)).map((one) =>
      one.kind === 'answer' ? one.result.records[0]?.title : one.kind,
    );
    expect(titles).to.deep.equal(['late', 'late', 'late']);
  });

  it('do not cost a caller that reads slowly its subscription', async () => {
    const title = 'x'.repeat(3_900_000);
    handle(title);
    const { outcomes } = await begin(16);
    redis.hold();
    await answerAll();
    redis.release();
    const kinds = (await Promise.all(outcomes)).map((one) =>
      one.kind === 'answer' && one.result.records[0]?.title !== title ? 'other' : one.kind,
    );
    expect(kinds).to.deep.equal(kinds.map(() => 'answer'));
  });
});
