/** What a run that waited for the app gets as its input, where the action is declared anew meanwhile. */
import { expect } from 'chai';
import type { FakeApp } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const input = (properties: object): object => ({ type: 'object', properties });
const declared = {
  actions: [
    { name: 'ship', offline: 'queue', input: input({ to: { type: 'string' } }) },
    { name: 'pay', offline: 'queue', approval: true, input: input({ to: { type: 'string' } }) },
  ],
};
const later = {
  actions: declared.actions.map((action) => ({
    ...action,
    input: input({ to: { type: 'string' }, notify: { type: 'boolean', default: true } }),
  })),
};

describe('actions: a default that is declared while a run waits', () => {
  let world: World;
  let agent: Client;
  let app: FakeApp;

  before(async () => {
    world = await newWorld({ manifest: declared });
    agent = await world.agent('admin');
    const person = await world.person('admin', 'Ana');
    const queue = async (action: string): Promise<Reply['body']> => {
      const reply = await agent.post('/actions', { action, input: { to: 'Ada' } });
      expect(reply.status, reply.text).to.equal(202);
      return reply.body;
    };
    const [shipped, paid] = [await queue('ship'), await queue('pay')];
    expect((await person.post(`/approvals/${String(paid.approval)}/approve`)).status).to.equal(200);
    app = await world.app({ 'action.run': () => ({ message: 'Done.' }) }, { manifest: later });
    for (const { run } of [shipped, paid])
      await until('it is done', async () => (await agent.get(`/runs/${String(run)}`)).body.run.status === 'succeeded');
  });
  after(() => world.close());

  const inputOf = (action: string): unknown =>
    app.received.find(({ method, params }) => method === 'action.run' && params.action === action)?.params.input;

  it('is filled in, as its handler counts on it', () => {
    expect(inputOf('ship')).to.deep.equal({ to: 'Ada', notify: true });
  });

  it('stands in the run, which says what was sent', async () => {
    const { runs } = (await agent.get('/runs?action=ship')).body;
    expect(runs.map((run: Reply['body']) => run.input)).to.deep.equal([{ to: 'Ada', notify: true }]);
  });

  it('is not filled into what a person has approved without it', () => {
    expect(inputOf('pay')).to.deep.equal({ to: 'Ada' });
  });
});
