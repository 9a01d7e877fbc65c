/** Erasures of what stands in less obvious places: reports that are not kept, requests that name the person, bulks; and runs that lost what they were asked with. */
import { expect } from 'chai';
import { never, rpcError, type FakeApp } from '../support/app.ts';
import { moveHalf } from '../support/endedRows.ts';
import type { Client, Reply } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { tablesWith } from '../support/tables.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

/** In every text that somebody writes about the customer; no id has it. */
const canary = 'Zanzibarova';
const record = { resource: 'customer', id: 'c_77' };
const about = (more: string): string => `${canary} ${more}`;

const manifest = {
  ...testManifest,
  inboxes: [
    ...testManifest.inboxes,
    { name: 'brief', onOccurrence: { keep: 1 } },
    { name: 'latest', onOccurrence: { keep: 1, update: true } },
  ],
  actions: [
    ...testManifest.actions,
    { name: 'pay', label: 'Pay', resource: 'customer', input: { type: 'object' } },
    {
      name: 'hold',
      label: 'Hold',
      resource: 'customer',
      input: { type: 'object' },
      background: true,
      repeatable: true,
    },
    { name: 'credit', label: 'Credit', resource: 'customer', input: { type: 'object' }, approval: true },
  ],
};

describe('erasures of lesser traces', () => {
  let world: World;
  let boss: Client;
  let agent: Client;
  let bot: Client;
  let app: FakeApp;
  const given: object[] = [];

  before(async () => {
    world = await newWorld({ manifest });
    boss = await world.person('admin', 'Boss', { fresh: true });
    agent = await world.agent('admin');
    bot = await world.agent('admin', { mode: 'supervised' });
    await world.records(
      'customer',
      [record].map(({ id }) => ({ id, title: about('herself') })),
    );
    app = await world.app(
      {
        'action.run': ({ action, input }: { action: string; input: object }) => {
          given.push(input);
          if (action === 'hold') return never();
          throw rpcError(-32001, about('has no card'));
        },
      },
      { manifest },
    );
  });
  after(() => world.close());

  const accepted = ({ status, text, body }: Reply): Reply['body'] => {
    expect(status, text).to.be.within(200, 202);
    return body;
  };
  const erased = async (more: object = {}): Promise<Reply['body']> => {
    const { id } = accepted(await boss.post('/settings/erasures', { record, confirmed: true, ...more })).erasure;
    const read = async (): Promise<Reply['body']> =>
      (await boss.get('/settings/erasures')).body.erasures.find((one: { id: string }) => one.id === id);
    await until('all is erased', async () => (await read()).status === 'done', 40_000);
    return (await read()).erased;
  };
  const report = async (inbox: string, title: string, user: string): Promise<string> =>
    accepted(await agent.post('/items', { inbox, key: `${inbox} of all`, title, data: { said: title }, user })).item
      .id as string;
  const keptOf = async (item: string): Promise<string[]> =>
    (await world.sql<{ title: string }>('select title from occurrences where item = $1', [item])).map(
      ({ title }) => title,
    );

  it('find what the person has reported where that is not kept', async () => {
    const items: Record<string, string> = {};
    for (const inbox of ['brief', 'latest']) {
      await report(inbox, about(`says first to ${inbox}`), record.id);
      await report(inbox, about(`says then to ${inbox}`), record.id);
      items[inbox] = await report(inbox, 'Somebody else says', 'c_1');
      await until('one is kept', async () => (await keptOf(items[inbox] ?? '')).length === 1);
      expect(await keptOf(items[inbox])).to.deep.equal(['Somebody else says']);
    }
    await world.settled();
    const { found } = accepted(await boss.post('/settings/erasures', { record, dryRun: true }));
    expect(found.occurrences).to.be.above(0);
    await erased();
    expect(await tablesWith(world, canary)).to.deep.equal([]);
    for (const id of Object.values(items)) {
      const { item } = (await agent.get(`/items/${id}`)).body;
      expect(item, 'the content of the one that is kept').to.deep.include({
        title: 'Somebody else says',
        fields: { said: 'Somebody else says' },
        occurrences: 3,
        users: 2,
      });
    }
    expect((await erased()).occurrences, 'what was erased is not found again').to.equal(0);
  });

  it('take requests for items that name the person or, where links count, link to the record; pending ones are waited for', async () => {
    const ask = async (more: object): Promise<string> =>
      accepted(await bot.post('/items', { inbox: 'mail', title: about('asks'), ...more })).approval as string;
    await world.records('customer', [{ id: record.id, title: canary }]);
    const [named, linked, pending] = [
      await ask({ user: record.id }),
      await ask({ links: [record], data: { plan: canary } }),
      await ask({ user: record.id, data: { email: canary } }),
    ];
    for (const id of [named, linked]) accepted(await boss.post(`/approvals/${id}/reject`, { note: about('is known') }));
    const done = erased({ linked: true });
    await until('it waits', async () => {
      const [{ waitsFor }] = (await boss.get('/settings/erasures')).body.erasures;
      return waitsFor?.approvals === 1;
    });
    accepted(await boss.post(`/approvals/${pending}/reject`, {}));
    expect((await done).approvals).to.equal(3);
    expect(await tablesWith(world, canary)).to.deep.equal([]);
  });

  it('take inputs and reasons of bulks of nothing but what is erased', async () => {
    await world.records('customer', [{ id: record.id, title: canary }]);
    const own = accepted(await agent.post('/items', { inbox: 'mail', title: about('calls'), record })).item
      .id as string;
    const other = accepted(await agent.post('/items', { inbox: 'mail', title: 'Another calls' })).item.id as string;
    const pay = { type: 'action', action: 'pay', input: { to: canary } };
    const key = { headers: { 'idempotency-key': 'paid-by-bulk' } };
    const { bulk } = accepted(await agent.post('/bulk', { ids: [own], operation: pay, reason: about('is owed') }, key));
    const tags = { type: 'tags', add: ['vip'] };
    accepted(await agent.post('/bulk', { ids: [own], operation: tags, reason: about('is one') }));
    accepted(await agent.post('/bulk', { ids: [own, other], operation: tags, reason: 'They all are.' }));
    const { approval } = accepted(
      await bot.post('/bulk', { ids: [own], operation: pay, reason: about('asks for it') }),
    );
    accepted(await boss.post(`/approvals/${String(approval)}/reject`, { note: about('is paid') }));
    await world.settled();
    await erased();
    expect(await tablesWith(world, canary)).to.deep.equal([]);
    expect((await agent.get(`/bulk/${String(bulk.id)}`)).body.bulk.operation).to.deep.equal({ ...pay, input: {} });
    const reasons = await world.sql<{ reason: string }>('select reason from bulks where reason is not null');
    expect(
      reasons.map(({ reason }) => reason),
      'that of a bulk of others, too',
    ).to.deep.equal(['They all are.']);
  });

  it('leave no run to be done again without what it was asked with', async () => {
    await world.records('customer', [{ id: record.id, title: 'Anew' }]);
    const pay = await agent.post('/actions', { action: 'pay', record: record.id, input: { amount: 666 } });
    expect(pay.status, pay.text).to.equal(422);
    const { run, approval } = accepted(
      await agent.post('/actions', { action: 'credit', record: record.id, input: { amount: 777 } }),
    );
    accepted(await boss.post(`/approvals/${String(approval)}/approve`));
    await until('it has failed', async () => (await agent.get(`/runs/${String(run)}`)).body.run.status === 'failed');
    const [, failed] = (await agent.get('/runs?status=failed&limit=2')).body.runs as { id: string }[];
    await erased();
    await world.records('customer', [{ id: record.id, title: 'Anew' }]);
    given.length = 0;
    for (const id of [String(run), failed?.id ?? '']) {
      const again = await agent.post(`/runs/${id}/retry`, { confirmed: true });
      expect(`${String(again.status)} ${String(again.body.code)}`).to.equal('409 conflict');
      expect(again.body.error).to.match(/erased.*ask for the action anew/);
    }
    await world.settled();
    expect(given).to.deep.equal([]);
  });

  it('are not undone by an answer that comes later', async () => {
    const asked = { action: 'hold', record: record.id, input: { to: canary } };
    const { run } = accepted(await agent.post('/actions', asked));
    await until('the app has it', () => given.some((input) => JSON.stringify(input).includes(canary)));
    const answer = (what: object): Promise<unknown> => app.request('run.answers', { answers: [{ run, ...what }] });
    await answer({ result: { message: 'a\0b' } });
    const shown = async (): Promise<unknown[]> => {
      const { status, error } = (await agent.get(`/runs/${String(run)}`)).body.run;
      return [status, error];
    };
    expect((await shown())[0]).to.equal('unknown');
    await erased();
    given.length = 0;
    for (const late of [
      { result: { message: about('holds') } },
      { error: { code: -32001, message: about('is busy'), data: { retryable: true } } },
    ])
      expect(await answer(late)).to.deep.equal({ settled: [run] });
    await world.settled();
    expect(await shown()).to.deep.equal(['unknown', 'Erased']);
    expect(given, 'it is not done again without what it was asked with').to.deep.equal([]);
    expect(await tablesWith(world, canary)).to.deep.equal([]);
  });

  it('find bulks of actions by their runs once their results are gone', async () => {
    await world.records('customer', [
      { id: record.id, title: 'Anew' },
      { id: 'c_78', title: 'Another' },
    ]);
    const newItem = async (id: string): Promise<string> =>
      accepted(await agent.post('/items', { inbox: 'mail', title: 'Calls', record: { ...record, id } })).item.id;
    const [own, other] = [await newItem(record.id), await newItem('c_78')];
    const pay = { type: 'action', action: 'pay', input: { to: canary } };
    const bulks: string[] = [];
    for (const ids of [[own], [own, other], [own], [other, own]])
      bulks.push(accepted(await agent.post('/bulk', { ids, operation: pay })).bulk.id as string);
    await world.settled();
    await moveHalf(world);
    await world.sql('delete from bulk_results where bulk = any($1)', [bulks]);
    await world.sql('delete from bulk_chunks where bulk = any($1)', [bulks]);
    for (const table of ['bulks', 'bulks_ended'])
      await world.sql(`update ${table} set results_gone_at = finished_at where id = any($1)`, [bulks]);
    await erased();
    const rows = await world.sql<{ id: string; input: object }>(
      `select id, operation -> 'input' as input from all_bulks where id = any($1) order by id`,
      [bulks],
    );
    expect(rows.map(({ input }) => input)).to.deep.equal([{}, pay.input, {}, pay.input]);
  });
});
