/** Apps that leave unread what the service sends: slow ones keep what they have, and those that read nothing are gone. */
import { expect } from 'chai';
import type { CallOutcome, Declaration } from '../../../shared/app/link/link.ts';
import { getLocalSockets } from '../../../shared/app/link/localConnections.ts';
import { connectApp, type FakeApp, type Handler } from '../../support/app.ts';
import type { Client } from '../../support/http.ts';
import { testManifest } from '../../support/manifest.ts';
import { until } from '../../support/until.ts';
import { newWorld, type World } from '../../support/world.ts';

const manifest = {
  ...testManifest,
  resources: [...testManifest.resources, { name: 'order', source: 'app' }],
  actions: [...testManifest.actions, { name: 'long', background: true }],
};
const orders: Declaration = { kind: 'resource', name: 'order' };
const handlers: Record<string, Handler> = {
  'records.get': () => ({ records: [] }),
  'action.run': () => ({ message: 'Done.' }),
};
/** Just below what one frame may have. */
const large = 'x'.repeat(4_000_000);

describe('app link: what an app leaves unread', () => {
  let world: World;
  let key: Client;
  const apps: FakeApp[] = [];
  const connect = async (): Promise<FakeApp> => {
    const app = await connectApp(key, { manifest, handlers });
    apps.push(app);
    return app;
  };
  const rows = async (): Promise<number> => (await world.sql('select from app_connections')).length;

  before(async () => {
    world = await newWorld();
    key = await world.appKey();
  });
  afterEach(async () => {
    for (const app of apps) app.socket.resume();
    await Promise.all(apps.splice(0).map((app) => app.close()));
    await until('nobody is there', async () => (await rows()) === 0);
  });
  after(() => world.close());

  /** Makes calls of 4 MB each; returns the outcomes of those that have ended. */
  const call = (count: number): { kinds: CallOutcome<unknown>['kind'][]; all: Promise<unknown> } => {
    const kinds: CallOutcome<unknown>['kind'][] = [];
    const env = world.deps.directory.environment('demo')?.id ?? 0;
    const all = Promise.all(
      Array.from({ length: count }, async () => {
        const params = { resource: 'order', ids: [large] };
        kinds.push(
          (await world.deps.link.call(env, 'records.get', params, { declares: orders, timeoutMs: 60_000 })).kind,
        );
      }),
    );
    return { kinds, all };
  };

  it('refuses further calls, and loses none that it has sent', async () => {
    const agent = await world.agent('admin');
    const app = await connect();
    app.socket.pause();
    const { kinds, all } = call(24);
    await until('some are refused', () => kinds.length > 0);
    const { run } = (await agent.post('/actions', { action: 'long' })).body as { run: string };
    expect([...new Set(kinds)]).to.deep.equal(['offline']);
    expect(await rows()).to.equal(1);
    app.socket.resume();
    await all;
    expect([...new Set(kinds)].sort()).to.deep.equal(['answer', 'offline']);
    expect(kinds.filter((kind) => kind === 'answer')).to.have.length.above(7);
    const statusOf = async (): Promise<unknown> =>
      ((await agent.get(`/runs/${run}`)).body as { run: { status: string } }).run.status;
    await until('the run is done', async () => (await statusOf()) === 'succeeded');
    expect(app.socket.readyState).to.equal(app.socket.OPEN);
  });

  it('ends a socket of which nothing is read, although it is not read itself', async () => {
    const app = await connect();
    app.socket.pause();
    const { kinds } = call(6);
    const [held] = getLocalSockets(world.deps.link).of(world.deps.directory.environment('demo')?.id ?? 0);
    await until('all are sent', () => held?.busy === 6);
    // Requests are not served until the app has read what waits.
    void app.request('flags.list', {}).catch(() => undefined);
    await until('it is gone', async () => (await rows()) === 0, 30_000);
    expect(kinds.filter((kind) => kind !== 'lost' && kind !== 'offline')).to.deep.equal([]);
  });
});
