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

  it('is refused by whichever tool and form of naming the record the first was, also while a bulk waits', async () => {
    await world.records('customer', [
      { id: 'c3', title: 'Cy' },
      { id: 'c4', title: 'Di' },
    ]);
    const made = await agent.post('/items', {
      inbox: 'mail',
      title: 'Of Cy',
      record: { resource: 'customer', id: 'c3' },
    });
    const id = made.body.item.id as string;
    let words = '';
    const bulk = (of: object, action = 'greet', input: object = { words }): Promise<ToolReply> =>
      callTool(agent, 'bulk_items', { ...of, operation: { type: 'action', action, input } });
    const ways: Readonly<Record<string, () => Promise<ToolReply>>> = {
      single: () => greet({ record_: 'c3', words }),
      refs: () => bulk({ refs: ['customer:c4', 'customer:c3'] }),
      ids: () => bulk({ ids: [id] }),
      text: () => bulk({ ids: id }),
      query: () => bulk({ query: { record: 'customer:c3' }, expect: 1 }),
    };
    const ended = (): Promise<void> =>
      until('all are done', async () =>
        (await agent.get('/bulk')).body.bulks.every(
          ({ status }: { status: string }) => status !== 'running' && status !== 'queued',
        ),
      );
    for (const [first, one] of Object.entries(ways))
      for (const [second, other] of Object.entries(ways)) {
        words = `${first} and ${second}`;
        expect((await one()).status, words).to.be.within(200, 202);
        const early = await other();
        expect([early.status, early.body.code], `${words}, at once`).to.deep.equal([409, 'conflict']);
        await ended();
        words = `  ${words} `.replace('and', 'and\n\u200b');
        const late = await other();
        expect([late.status, late.body.code], `${words}, later`).to.deep.equal([409, 'conflict']);
      }
    expect((await greet({ record_: 'c1', words })).status, 'another record').to.equal(200);
    expect((await bulk({ refs: ['customer:c2'] })).status, 'of a bulk too').to.equal(200);
    await ended();
    const refund = (): Promise<ToolReply> => callTool(agent, 'action_refund', { record: 'c3' });
    expect((await bulk({ refs: ['customer:c3'] }, 'refund', {})).body.pending).to.equal(true);
    expect((await refund()).body.code, 'while the bulk waits for a person').to.equal('conflict');
  });

  it('is done where no run of an earlier bulk did it, and then refused for a bulk', async () => {
    const bulk = (words: string): Promise<ToolReply> =>
      callTool(agent, 'bulk_items', {
        refs: ['customer:c4', 'customer:c3'],
        operation: { type: 'action', action: 'greet', input: { words } },
      });
    const end = async (done: ToolReply): Promise<void> => {
      const id = String((done.body as { bulk: { id: string } }).bulk.id);
      await until('it has ended', async () => (await agent.get(`/bulk/${id}`)).body.bulk.finishedAt !== null);
    };
    refuses = true;
    await end(await bulk('refused'));
    refuses = false;
    expect((await greet({ record_: 'c3', words: 'refused' })).status).to.equal(200);
    const repeated = await bulk('refused');
    expect([repeated.status, repeated.body.code], 'as the single one did it').to.deep.equal([409, 'conflict']);
  });

  it('is refused where only white space or signs that nobody sees are other', async () => {
    const id = await make();
    for (const [name, given, member] of [
      ['reply_to_item', { id, subject: 'Hello', text: 'It is\non its way.' }, 'text'],
      ['add_note', { id, text: 'Called them.' }, 'text'],
      ['create_item', { inbox: 'mail', title: 'Call them' }, 'title'],
      ['action_greet', { record_: 'c1', words: 'Good day' }, 'words'],
    ] as const) {
      expect((await callTool(agent, name, given)).status, name).to.equal(200);
      const text = String((given as Readonly<Record<string, unknown>>)[member]);
      for (const other of [`${text} `, `\n${text}`, text.replace(' ', '  \n'), `${text}\u200b\u00a0`]) {
        const repeated = await callTool(agent, name, { ...given, [member]: other });
        expect([repeated.status, repeated.body.code], JSON.stringify([name, other])).to.deep.equal([409, 'conflict']);
      }
      expect((await callTool(agent, name, { ...given, [member]: `${text} Or not.` })).status, name).to.equal(200);
    }
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

  it('is refused where it writes a note again, by whichever tool, until ten minutes have passed', async () => {
    const id = await make();
    const note = (given: object, client = agent): Promise<ToolReply> =>
      callTool(client, 'add_note', { id, text: 'Called back.', ...given });
    const first = await note({});
    expect(first.status, JSON.stringify(first.body)).to.equal(200);
    for (const repeated of [
      await note({ reason: 'as asked' }),
      await callTool(agent, 'update_item', { id, note: 'Called back.', tags: { add: ['called'] } }),
    ]) {
      expect([repeated.status, repeated.body.code]).to.deep.equal([409, 'conflict']);
      expect(repeated.body.error)
        .to.include('You wrote this item the same note')
        .and.include('idempotencyKey')
        .and.match(/ent_/);
    }
    for (const done of [
      await note({ text: 'Called back again.' }),
      await note({ id: await make() }),
      await note({}, other),
      await note({ idempotencyKey: 'the same note' }),
      await callTool(agent, 'update_item', { id, note: 'Called back.', dryRun: true }),
      await callTool(agent, 'update_item', { id, note: 'By the other tool.' }),
    ])
      expect(done.status, JSON.stringify(done.body)).to.equal(200);
    expect((await note({ text: 'By the other tool.' })).status).to.equal(409);
    expect((await agent.post(`/items/${id}/notes`, { text: 'Called back.' })).status, 'over HTTP').to.equal(201);
    await world.settled();
    world.clock.advance(600_001);
    expect((await note({})).status).to.equal(200);
  });

  it('is refused where it makes an item again, until ten minutes have passed', async () => {
    const asked = { inbox: 'mail', title: 'Call Ada back', data: { email: 'ada@example.com' }, record: 'customer:c1' };
    const create = (given: object = {}, client = agent): Promise<ToolReply> =>
      callTool(client, 'create_item', { ...asked, ...given });
    const first = await create();
    expect(first.status, JSON.stringify(first.body)).to.equal(200);
    const id = String(first.body.item.id);
    await agent.post(`/items/${id}/state`, { state: 'closed' });
    for (const repeated of [
      await create({ tags: ['again'], reason: 'as asked' }),
      await create({ record: { resource: 'customer', id: 'c1' }, data: JSON.stringify(asked.data) }),
    ]) {
      expect([repeated.status, repeated.body.code], JSON.stringify(repeated.body)).to.deep.equal([409, 'conflict']);
      expect(repeated.body.error).to.include('You made the same item').and.include(id).and.include('idempotencyKey');
    }
    for (const given of [
      { title: 'Call Bo back' },
      { record: 'customer:c2' },
      { data: { email: 'bo@example.com' } },
      { inbox: 'bugs', data: {} },
      { key: 'ada' },
      { key: 'ada' },
      { idempotencyKey: 'once more, please' },
    ])
      expect((await create(given)).status, JSON.stringify(given)).to.equal(200);
    expect((await create({}, other)).status, 'by another').to.equal(200);
    const twice = await Promise.all([create({ title: 'At once' }), create({ title: 'At once' })]);
    expect(twice.map(({ status }) => status)).to.have.members([200, 409]);
    await world.settled();
    world.clock.advance(600_001);
    expect((await create()).status).to.equal(200);
  });
});
