/** Answers that an app hands in together: each counts by itself, a wrong one as it would in answer to the call. */
import { expect } from 'chai';
import { readRun } from '../../../shared/runs/model.ts';
import { connectApp, never, RpcFailed, type FakeApp } from '../../support/app.ts';
import type { Client } from '../../support/http.ts';
import { testManifest } from '../../support/manifest.ts';
import { until } from '../../support/until.ts';
import { newWorld, type World } from '../../support/world.ts';

const manifest = { ...testManifest, actions: [...testManifest.actions, { name: 'long', background: true }] };

describe('app link: answers that are handed in', () => {
  let world: World;
  let agent: Client;
  let env: number;
  let app: FakeApp;

  before(async () => {
    world = await newWorld({ manifest });
    agent = await world.agent('admin');
    env = world.deps.directory.environment('demo')?.id ?? 0;
    app = await connectApp(await world.appKey(), { manifest, handlers: { 'action.run': never } });
  });
  after(async () => {
    await app.close();
    await world.close();
  });

  /** Returns a run that the app has and does not answer. */
  const dispatched = async (): Promise<string> => {
    const { run } = (await agent.post('/actions', { action: 'long' })).body as { run: string };
    await until('it is dispatched', async () => ((await readRun(world.deps.db, env, run))?.handed_at ?? null) !== null);
    return run;
  };
  const shown = async (run: string): Promise<unknown> => {
    const { status, message, error } = (await agent.get(`/runs/${run}`)).body.run as Record<string, unknown>;
    return [status, message ?? error];
  };

  it('end their own run alone as unknown when they can’t be stored, and the app is told', async () => {
    const results: unknown[] = [
      { message: 'a\0b' },
      { message: '\ud800' },
      { message: 'x', blocks: [{ type: 'stat', value: 2 ** 60 }] },
    ];
    const errors: unknown[] = ['No.', null, { code: 'x', message: 'No.' }, { code: 1.5, message: 'No.' }];
    const bad = [...results.map((result) => ({ result })), ...errors.map((error) => ({ error }))];
    const runs = await Promise.all(bad.map(dispatched));
    const [good, failed, empty] = await Promise.all([dispatched(), dispatched(), dispatched()]);
    const answers = [
      { run: good, result: { message: 'Done.' } },
      ...bad.map((answer, i) => ({ run: runs[i], ...answer })),
      { run: failed, error: { code: -32001, message: 'No \0 way.', data: { more: '\ud800' } } },
      { run: empty },
      { run: 'run_\0', result: null },
    ];
    const { settled } = (await app.request('run.answers', { answers })) as { settled: string[] };
    expect(settled).to.have.members(answers.map(({ run }) => run));
    for (const run of runs)
      expect(await shown(run)).to.deep.equal([
        'unknown',
        'The app gave an answer that is not valid, so it is not known what it did.',
      ]);
    expect(await shown(good)).to.deep.equal(['succeeded', 'Done.']);
    expect(await shown(failed)).to.deep.equal(['failed', 'No  way.']);
    expect((await shown(empty)) as unknown[]).to.include('succeeded');
    const told = await until('it is told', () => app.received.find(({ method }) => method === 'app.problem'));
    expect(told.params.problems.map(({ message }: { message: string }) => message)).to.have.length(runs.length);
    for (const [i, run] of runs.entries()) expect(told.params.problems[i].message).to.include(run);
  });

  it('are refused together when one names no run or has a member that is not known', async () => {
    const run = await dispatched();
    for (const [answer, path] of [
      [{ result: null }, 'answers.1.run'],
      [{ run, result: null, more: 1 }, 'answers.1.more'],
    ] as const) {
      const refused: unknown = await app
        .request('run.answers', { answers: [{ run, result: null }, answer] })
        .catch((error: unknown) => error);
      if (!(refused instanceof RpcFailed)) throw new Error('It was taken.');
      expect(refused.data?.details?.map((detail) => detail.path)).to.deep.equal([path]);
    }
    expect((await shown(run)) as unknown[]).to.include('running');
  });
});
