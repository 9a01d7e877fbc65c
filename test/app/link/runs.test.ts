/** Actions over the link from end to end: whichever process gets the request, and whenever the app connects. */
import { expect } from 'chai';
import { settleRunAnswers } from '../../../shared/runs/call/runAnswers.ts';
import { markRunLost } from '../../../shared/runs/call/runOutcome.ts';
import { readRun } from '../../../shared/runs/model.ts';
import { connectApp, type FakeApp, type Handler } from '../../support/app.ts';
import { deferred } from '../../support/deferred.ts';
import type { Client } from '../../support/http.ts';
import { testManifest } from '../../support/manifest.ts';
import { until } from '../../support/until.ts';
import { newWorld, type World } from '../../support/world.ts';

const manifest = {
  ...testManifest,
  resources: [...testManifest.resources, { name: 'parcel', source: 'app' }, { name: 'crate', source: 'app' }],
  actions: [
    ...testManifest.actions,
    { name: 'ping' },
    { name: 'long', background: true },
    { name: 'ship', resource: 'parcel' },
    { name: 'empty', resource: 'crate' },
  ],
};

describe('app link: runs', () => {
  let world: World;
  let key: Client;
  let agent: Client;
  let second: { base(environment?: string): string };
  const apps: FakeApp[] = [];
  const connect = async (
    handlers: Record<string, Handler> = {},
    options: Parameters<typeof connectApp>[1] = {},
  ): Promise<FakeApp> => {
    const app = await connectApp(key, { manifest, handlers, ...options });
    apps.push(app);
    return app;
  };
  const act: Record<string, Handler> = { 'action.run': ({ run }) => ({ message: `did ${String(run)}` }) };

  before(async () => {
    world = await newWorld();
    key = await world.appKey();
    agent = await world.agent('admin');
    second = await world.api();
  });
  afterEach(async () => {
    await Promise.all(apps.splice(0).map((app) => app.close()));
    await until(
      'nobody is there',
      async () => !(await world.deps.link.online(world.deps.directory.environment('demo')?.id ?? 0)),
    );
  });
  after(() => world.close());

  it('answers an action by an app that another process holds', async () => {
    const app = await connect(act, { base: second.base() });
    // The process that gets the requests reads the manifest that another one took once it is told of it.
    await world.deps.directory.refresh();
    for (let i = 0; i < 5; i++) {
      const { status, body } = await agent.post('/actions', { action: 'ping' });
      expect([status, (body as { message: string }).message]).to.deep.equal([
        200,
        `did ${String((body as { run: string }).run)}`,
      ]);
    }
    await until(
      'each was said to be kept',
      () => app.received.filter(({ method }) => method === 'run.settled').length === 5,
    );
  });

  it('runs a background action by a job, wherever the app is', async () => {
    await connect(act, { base: second.base() });
    const { status, body } = await agent.post('/actions', { action: 'long' });
    expect(status).to.equal(202);
    const { run } = body as { run: string };
    await until(
      'it is done',
      async () => ((await agent.get(`/runs/${run}`)).body as { run: { status: string } }).run.status === 'succeeded',
    );
  });

  it('starts what was queued when the app comes, each once', async () => {
    await connect(act);
    await Promise.all(apps.splice(0).map((app) => app.close()));
    await until('nobody is there', async () => !(await world.deps.link.online(1)));
    const runs = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const { status, body } = await agent.post('/actions', { action: 'ping' });
        expect(status).to.equal(202);
        return (body as { run: string }).run;
      }),
    );
    const one = await connect(act);
    const two = await connect(act, { base: second.base() });
    await until(
      'all are done',
      async () =>
        ((await agent.get('/runs?status=succeeded&limit=200')).body as { runs: { id: string }[] }).runs.filter(
          ({ id }) => runs.includes(id),
        ).length === 40,
      15_000,
    );
    const received = [one, two].flatMap((app) =>
      app.received.filter(({ method }) => method === 'action.run').map(({ params }) => (params as { run: string }).run),
    );
    expect([...received].sort()).to.deep.equal([...runs].sort());
  });

  it('starts what was queued oldest first', async () => {
    const runs: string[] = [];
    for (let n = 0; n < 5; n++)
      runs.push(
        ((await agent.post('/actions', { action: n % 2 === 0 ? 'ping' : 'long' })).body as { run: string }).run,
      );
    const app = await connect(act);
    const received = (): unknown[] =>
      app.received.filter(({ method }) => method === 'action.run').map(({ params }) => (params as { run: string }).run);
    await until('all have begun', () => received().length === runs.length);
    expect(received()).to.deep.equal(runs);
  });

  it('starts what was queued oldest first, also where a record of an older run is read for longer', async () => {
    const runs: string[] = [];
    for (const asked of [
      { action: 'ship', record: 'parcel:1' },
      { action: 'empty', record: 'crate:1' },
    ])
      runs.push(((await agent.post('/actions', asked)).body as { run: string }).run);
    const read = deferred();
    const app = await connect({
      ...act,
      'records.get': async ({ resource, ids }: { resource: string; ids: string[] }) => {
        if (resource === 'crate') setImmediate(read.resolve);
        else await read.promise;
        return { records: ids.map((id) => ({ id, title: id })) };
      },
    });
    const received = (): unknown[] =>
      app.received.filter(({ method }) => method === 'action.run').map(({ params }) => (params as { run: string }).run);
    await until('all have begun', () => received().length === runs.length);
    expect(received()).to.deep.equal(runs);
  });

  it('starts what was queued in turns of those who asked, so that few runs do not wait behind many', async () => {
    const other = await world.agent('admin');
    const queue = async (by: Client): Promise<string> =>
      ((await by.post('/actions', { action: 'ping' })).body as { run: string }).run;
    const many: string[] = [];
    while (many.length < 600) many.push(...(await Promise.all(Array.from({ length: 20 }, () => queue(agent)))));
    const few = [await queue(other), await queue(other), await queue(other)];
    const app = await connect(act);
    const received = (): unknown[] =>
      app.received.filter(({ method }) => method === 'action.run').map(({ params }) => (params as { run: string }).run);
    await until('all have begun', () => received().length === many.length + few.length, 60_000);
    // Workers take jobs in parallel, so that places are near the order in which they were due, not equal to it.
    expect(received().slice(0, 100)).to.include.members(few);
  });

  it('takes the answer of a run whose socket broke when its instance comes back with it', async () => {
    const broken = await connect(
      {
        'action.run': () => {
          broken.kill();
          return null;
        },
      },
      { instance: 'comes-back' },
    );
    const { status, body } = await agent.post('/actions', { action: 'ping' });
    expect(status).to.equal(202);
    const { run } = body as { run: string };
    const back = await connect({}, { instance: 'comes-back', base: second.base() });
    expect(await back.request('run.answers', { answers: [{ run, result: { message: 'done before' } }] })).to.deep.equal(
      { settled: [run] },
    );
    const { run: now } = (await agent.get(`/runs/${run}`)).body as { run: { status: string; message: string } };
    expect([now.status, now.message]).to.deep.equal(['succeeded', 'done before']);
    expect(back.received.filter(({ method }) => method === 'action.run')).to.deep.equal([]);
  });

  it('takes an answer that comes at the moment in which its run is given up as lost', async () => {
    const app = await connect({ 'action.run': () => new Promise(() => undefined) }, { instance: 'late' });
    const env = world.deps.directory.environment('demo')?.id ?? 0;
    for (let round = 1; round <= 30; round++) {
      const { run: id } = (await agent.post('/actions', { action: 'long' })).body as { run: string };
      const run = await until('it was handed over', async () => {
        const found = await readRun(world.deps.db, env, id);
        return found?.handed_at === null ? undefined : found;
      });
      const [, settled] = await Promise.all([
        markRunLost(world.deps, run),
        settleRunAnswers(world.deps, env, 'late', [{ run: id, result: { message: 'Done.' } }]),
      ]);
      expect(settled).to.deep.equal([id]);
      expect(await readRun(world.deps.db, env, id)).to.include({ status: 'succeeded', message: 'Done.' });
    }
    expect(app.received.filter(({ method }) => method === 'action.run')).to.have.length(30);
  });
});
