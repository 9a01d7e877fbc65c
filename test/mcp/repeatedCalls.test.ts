/** Tools refuse what a caller has just had done and asks for again without an idempotency key. */
import { expect } from 'chai';
import { rpcError, type FakeApp } from '../support/app.ts';
import type { Client } from '../support/http.ts';
import { callTool, type ToolReply } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';
import { manifest } from './manifest.ts';

const again = { name: 'resync', resource: 'customer', repeatable: true };

describe('a call of a tool that is made twice', () => {
  let world: World;
  let app: FakeApp;
  let agent: Client;
  let other: Client;
  let refuses = false;

  before(async () => {
    world = await newWorld({ manifest: { ...manifest, actions: [...manifest.actions, again] } });
    agent = await world.agent('admin');
    other = await world.agent('admin');
    await world.records('customer', [
      { id: 'c1', title: 'Ada' },
      { id: 'c2', title: 'Bo' },
    ]);
    app = await world.app({
      'action.run': () => {
        if (refuses) throw rpcError(-32001, 'Not today.');
        return { message: 'Done.', blocks: [] };
      },
      'reply.send': () => ({}),
    });
  });
  after(() => world.close());

  const ran = (): number => app.received.filter(({ method }) => method === 'action.run').length;
  const greet = (given: object, client = agent): Promise<ToolReply> => callTool(client, 'action_greet', given);
  const make = async (): Promise<string> =>
    (await agent.post('/items', { inbox: 'mail', title: 'A question' })).body.item.id as string;

  it('is refused where it runs an action, and says which run did it', async () => {
    const given = { record_: 'c1', words: 'hello' };
    const done = await greet(given);
    expect(done.status, JSON.stringify(done.body)).to.equal(200);
    const repeated = await greet({ words: 'hello', record_: 'customer:c1' });
    expect([repeated.status, repeated.body.code]).to.deep.equal([409, 'conflict']);
    expect(repeated.body.error)
      .to.include(`(${String(done.body.run)}, succeeded)`)
      .and.include('nothing was done now')
      .and.include('idempotencyKey');
    expect(ran()).to.equal(1);
  });

  it('is done with a key, with another input or record, by another agent, and over HTTP', async () => {
    const given = { record_: 'c1', words: 'hello' };
    const before = ran();
    for (const [more, client] of [
      [{ idempotencyKey: 'once more' }, agent],
      [{ words: 'hello again' }, agent],
      [{ record_: 'c2' }, agent],
      [{}, other],
    ] as const)
      expect((await greet({ ...given, ...more }, client)).status, JSON.stringify(more)).to.equal(200);
    const { status } = await agent.post('/actions', { action: 'greet', record: 'c1', input: { words: 'hello' } });
    expect(status).to.equal(200);
    expect(ran()).to.equal(before + 5);
  });

  it('is done where the first was refused, is a dry run, or the action may be repeated', async () => {
    const given = { record_: 'c2', words: 'try' };
    refuses = true;
    expect((await greet(given)).status).to.equal(422);
    refuses = false;
    for (let n = 0; n < 2; n += 1) expect((await greet({ ...given, dryRun: true })).status).to.equal(200);
    expect((await greet(given)).status).to.equal(200);
    expect((await greet({ ...given, dryRun: true })).status).to.equal(200);
    for (let n = 0; n < 2; n += 1)
      expect((await callTool(agent, 'action_resync', { record: 'c1' })).status).to.equal(200);
  });

  it('is refused while the first is under way, whatever the tool, and done with keys', async () => {
    const before = ran();
    const id = await make();
    const twice = (name: string, given: object, more: object[] = [{}, { reason: 'as asked' }]): Promise<ToolReply[]> =>
      Promise.all(more.map((each) => callTool(agent, name, { ...given, ...each })));
    const outcomes = (replies: readonly ToolReply[]): string[] =>
      replies.map(({ status, body }) => (status === 200 ? 'done' : `${String(status)} ${String(body.code)}`)).sort();
    const once = ['409 in_progress', 'done'];
    expect(outcomes(await twice('action_greet', { record_: 'c2', words: 'at once' }))).to.deep.equal(once);
    expect(ran() - before).to.equal(1);
    expect(outcomes(await twice('reply_to_item', { id, subject: 'Re', text: 'At once.' }))).to.deep.equal(once);
    const operation = { type: 'action', action: 'resync', input: {} };
    expect(outcomes(await twice('bulk_items', { ids: [id], operation }))).to.deep.equal(once);
    const keys = [{ idempotencyKey: 'this' }, { idempotencyKey: 'that' }];
    expect(outcomes(await twice('action_greet', { record_: 'c2', words: 'twice' }, keys))).to.deep.equal([
      'done',
      'done',
    ]);
  });

  it('is refused where a bulk runs an action on what one did before, and where an action follows a bulk', async () => {
    const about = async (id: string): Promise<string> => {
      const made = await agent.post('/items', { inbox: 'mail', title: 'About', record: { resource: 'customer', id } });
      expect(made.status, made.text).to.equal(201);
      return made.body.item.id as string;
    };
    const [first, second, third] = [await about('c1'), await about('c2'), await about('c1')];
    const bulk = (ids: unknown, more: object = {}): Promise<ToolReply> =>
      callTool(agent, 'bulk_items', {
        ids,
        operation: { type: 'action', action: 'greet', input: { words: 'in bulk' } },
        ...more,
      });
    const before = ran();
    const done = await bulk([first]);
    expect(done.status, JSON.stringify(done.body)).to.be.within(200, 202);
    const id = String((done.body as { bulk: { id: string } }).bulk.id);
    await until('it is done', async () => (await agent.get(`/bulk/${id}`)).body.bulk.status === 'done');
    const repeated = await bulk([second, first]);
    expect([repeated.status, repeated.body.code]).to.deep.equal([409, 'conflict']);
    expect(repeated.body.error).to.include(`(${id}, done)`).and.include('idempotencyKey');
    const single = await greet({ record_: 'c1', words: 'in bulk' });
    expect([single.status, single.body.code]).to.deep.equal([409, 'conflict']);
    expect(ran()).to.equal(before + 1);
    expect((await bulk([second])).status, 'another item').to.be.within(200, 202);
    expect((await bulk([third], { dryRun: true })).status, 'a dry run').to.equal(200);
    expect((await bulk([first], { idempotencyKey: 'in bulk again' })).status, 'with a key').to.be.within(200, 202);
    await until('all are done', async () => {
      const { bulks } = (await agent.get('/bulk')).body as { bulks: { status: string }[] };
      return bulks.every(({ status }) => status === 'done');
    });
  });

  it('is refused where it replies to an item, until ten minutes have passed', async () => {
    const [id, second] = [await make(), await make()];
    const reply = (given: object): Promise<ToolReply> =>
      callTool(agent, 'reply_to_item', { subject: 'Hello', text: 'Your money is on its way.', ...given });
    const sent = await reply({ id });
    expect(sent.status).to.equal(200);
    const repeated = await reply({ id, subject: 'Hello again' });
    expect([repeated.status, repeated.body.code]).to.deep.equal([409, 'conflict']);
    expect(repeated.body.error).to.include(String(sent.body.entry.id)).and.include('idempotencyKey');
    expect((await reply({ id: second })).status).to.equal(200);
    expect((await reply({ id, text: 'It has left.' })).status).to.equal(200);
    expect((await reply({ id, idempotencyKey: 'once more to them' })).status).to.equal(200);
    await world.settled();
    world.clock.advance(600_001);
    expect((await reply({ id })).status).to.equal(200);
    const replies = (await agent.get(`/items/${id}/timeline`)).body.entries.filter(
      ({ type }: { type: string }) => type === 'reply',
    );
    expect(replies).to.have.length(4);
  });
});
