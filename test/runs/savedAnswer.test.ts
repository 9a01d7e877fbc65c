/** The saved answer of an idempotency key that is used again after its day, while the first run with it is still under way. */
import { expect } from 'chai';
import { deferred } from '../support/deferred.ts';
import type { CallOptions, Client } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const day = 86_400_000;
const manifest = {
  resources: [],
  inboxes: [{ name: 'mail' }],
  actions: [{ name: 'export', timeout: day }, { name: 'ping' }],
} as const;
const keyed: CallOptions = { headers: { 'idempotency-key': 'same' } };

describe('actions: saved answers', () => {
  let world: World;
  let agent: Client;

  before(async () => {
    world = await newWorld({ manifest });
    agent = await world.agent('admin');
  });
  after(() => world.close());

  it('are of the later request once its key was free, whatever becomes of the earlier run', async () => {
    const exported = deferred<object>();
    const app = await world.app({
      'action.run': ({ action }) => (action === 'export' ? exported.promise : { message: 'Pong.' }),
    });
    const first = agent.post('/actions', { action: 'export' }, keyed);
    const call = await until('the app has it', () => app.received.find(({ method }) => method === 'action.run'));
    world.clock.advance(day + 1_000);
    const second = await agent.post('/actions', { action: 'ping' }, keyed);
    expect([second.status, second.body.message], second.text).to.deep.equal([200, 'Pong.']);
    exported.resolve({ message: 'Exported.' });
    const { run } = call.params as { run: string };
    await until(
      'the earlier run has ended',
      async () => (await agent.get(`/runs/${run}`)).body.run.status === 'succeeded',
    );
    expect((await first).status).to.be.oneOf([200, 202]);
    const again = await agent.post('/actions', { action: 'ping' }, keyed);
    expect([again.status, again.headers.get('idempotent-replayed'), again.body]).to.deep.equal([
      200,
      'true',
      second.body,
    ]);
    await app.close();
  });

  it('are of the run that ended while its own key holds', async () => {
    const pinged = deferred<object>();
    const app = await world.app({ 'action.run': () => pinged.promise });
    const own: CallOptions = { headers: { 'idempotency-key': 'own' } };
    const first = agent.post('/actions', { action: 'ping' }, own);
    await until('the app has it', () => app.received.some(({ method }) => method === 'action.run'));
    pinged.resolve({ message: 'Pong at last.' });
    const { status, body } = await first;
    expect([status, body.message]).to.deep.equal([200, 'Pong at last.']);
    expect((await agent.post('/actions', { action: 'ping' }, own)).body).to.deep.equal(body);
  });
});
