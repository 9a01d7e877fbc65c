/** Progress that an app reports of runs: what it says of those whose connection broke, and how much of it waits. */
import { expect } from 'chai';
import { queueProgress } from '../../../shared/runs/call/progress.ts';
import { unfinishedRuns } from '../../../workers/sweeps/unfinishedRuns.ts';
import { connectApp, never, type FakeApp } from '../../support/app.ts';
import type { Client } from '../../support/http.ts';
import { testManifest } from '../../support/manifest.ts';
import { until } from '../../support/until.ts';
import { newWorld, type World } from '../../support/world.ts';

const minute = 60_000;
const manifest = { ...testManifest, actions: [...testManifest.actions, { name: 'long', background: true }] };

interface RunRow {
  readonly progress: number | null;
  readonly lost_at: number | null;
  readonly connection: string | null;
  readonly status: string;
  readonly attempts: number;
}

describe('app link: progress', () => {
  let world: World;
  let key: Client;
  let agent: Client;
  const apps: FakeApp[] = [];
  const connect = async (instance: string): Promise<FakeApp> => {
    const app = await connectApp(key, { manifest, instance, handlers: { 'action.run': never } });
    apps.push(app);
    return app;
  };

  before(async () => {
    world = await newWorld();
    key = await world.appKey();
    agent = await world.agent('admin');
  });
  afterEach(async () => {
    await Promise.all(apps.splice(0).map((app) => app.close()));
    await until('nobody is there', async () => (await world.sql('select from app_connections')).length === 0);
  });
  after(() => world.close());

  const rowOf = async (run: string): Promise<RunRow | undefined> =>
    (
      await world.sql<RunRow>('select progress, lost_at, connection, status, attempts from runs where id = $1', [run])
    )[0];
  /** Begins a run at the app and returns its id. */
  const begin = async (app: FakeApp): Promise<string> => {
    const { run } = (await agent.post('/actions', { action: 'long' })).body as { run: string };
    await until('the app has it', () => app.received.some(({ params }) => (params as { run?: string }).run === run));
    return run;
  };
  const hasProgress = (run: string, progress: number): Promise<unknown> =>
    until(`its progress is ${String(progress)}`, async () => (await rowOf(run))?.progress === progress);
  /** Begins a run whose connection breaks, and comes back with another one. */
  const beginLost = async (instance: string): Promise<{ run: string; back: FakeApp }> => {
    const app = await connect(instance);
    const run = await begin(app);
    app.kill();
    await until('the run is lost', async () => typeof (await rowOf(run))?.lost_at === 'number');
    return { run, back: await connect(instance) };
  };

  it('shows that a run is at work whose instance has another connection now', async () => {
    const { run, back } = await beginLost('goes-on');
    back.notify('run.progress', { run, progress: 0.5 });
    await hasProgress(run, 0.5);
    expect(await rowOf(run)).to.include({ lost_at: null, connection: back.registered.connection });
    world.clock.advance(5 * minute);
    await unfinishedRuns.run(world.deps);
    expect(await rowOf(run)).to.include({ status: 'running', lost_at: null, attempts: 1 });
  });

  it('does not put off the end of a run beyond its time-out', async () => {
    const { run, back } = await beginLost('too-late');
    await world.sql('update runs set handed_at = handed_at - $2 where id = $1', [run, 60 * minute]);
    const lost = await rowOf(run);
    back.notify('run.progress', { run, progress: 0.25 });
    await hasProgress(run, 0.25);
    expect(await rowOf(run)).to.include({ lost_at: lost?.lost_at, connection: lost?.connection });
  });

  it('is kept of 10,000 runs until it is written, and of no others', async () => {
    const app = await connect('many');
    const [known, further] = [await begin(app), await begin(app)];
    const from = { id: app.registered.connection, instance: 'many', process: '' };
    const envId = world.deps.directory.environment('demo')?.id ?? 0;
    const report = (run: string, progress: number): void => {
      queueProgress(world.deps, { envId, from, run, progress, message: null });
    };
    report(known, 0.25);
    for (let i = 1; i < 10_000; i++) report(`run_${String(i)}`, 0.25);
    report(further, 0.25);
    report(known, 0.5);
    await hasProgress(known, 0.5);
    expect(await rowOf(further)).to.include({ progress: null });
    report(further, 0.75);
    await hasProgress(further, 0.75);
  });
});
