/** The guard of a ramp whose last step is taken late, since no worker was there when it was due. */
import { expect } from 'chai';
import { closeDeps, openDeps } from '../../shared/deps.ts';
import { guardUntil, type Ramp } from '../../shared/flags/ramp.ts';
import { createWorkerProcess } from '../../workers/workerProcess.ts';
import type { Client } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';
import { flagsManifest } from './manifest.ts';

const guard = { inbox: 'bugs', tag: null, above: 2, within: 20_000, then: 'rollback' } as const;

describe('ramps: a guard after a late last step', () => {
  let world: World;
  let operator: Client;

  before(async () => {
    world = await newWorld({ manifest: flagsManifest, workers: false });
    operator = await world.agent('operator');
  });
  after(() => world.close());

  const flag = async (): Promise<{ rollout: number; ramp: { status: string } | null }> =>
    (await operator.get('/flags/checkout')).body.flag;
  const hasStatus = (status: string): Promise<unknown> =>
    until(`the ramp is ${status}`, async () => (await flag()).ramp?.status === status);

  it('watches for its whole time from the step on, which was the largest', async () => {
    const ramp = { to: 100, over: 2_000, every: 1_000, at: null, guard };
    const { status, text } = await operator.post('/flags/checkout', { change: { rollout: 5, ramp } });
    expect(status, text).to.equal(200);
    world.clock.advance(120_000);
    const workers = await openDeps(world.config, 'workers', world.clock);
    const crew = createWorkerProcess(workers);
    await crew.start();
    try {
      await hasStatus('done');
      expect((await flag()).rollout).to.equal(100);
      for (let n = 0; n <= guard.above; n++)
        expect((await operator.post('/items', { inbox: 'bugs', title: 'It broke', key: 'broken' })).status).to.be.oneOf(
          [200, 201],
        );
      await hasStatus('rolled_back');
      expect((await flag()).rollout).to.equal(5);
    } finally {
      await crew.stop();
      await closeDeps(workers);
    }
  });

  it('counts from when the step was due where an earlier release took it', () => {
    const done: Ramp = {
      id: 'x',
      from: 5,
      to: 100,
      over: 2_000,
      every: 1_000,
      at: null,
      guard,
      startedAt: 1_000,
      step: 2,
      steps: 2,
      status: 'done',
      by: { type: 'agent', id: 'a', name: 'a', role: null },
      requestId: null,
      address: null,
    };
    expect(guardUntil(done)).to.equal(23_000);
    expect(guardUntil({ ...done, doneAt: 50_000 })).to.equal(70_000);
  });
});
