/** What an agent reads, as whoever watches it hears: passing messages, to people who may see the audit log, of what they see themselves. */
import { expect } from 'chai';
import type { Client } from '../support/http.ts';
import { openLive, type Message, type Recorder } from '../support/live.ts';
import { callTool } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

describe('live stream: what an agent reads', () => {
  let world: World;
  let boss: Client;
  let auditor: Client;
  let bot: Client;
  let other: Client;
  let mail = '';
  let bug = '';
  const open: Recorder[] = [];

  before(async () => {
    world = await newWorld({ workers: false });
    await world.environment('staging');
    await world.role('auditor', [
      { on: 'inbox:mail', can: ['see'] },
      { on: 'audit', can: ['see'] },
    ]);
    await world.role('mail clerk', [{ on: 'inbox:mail', can: ['see'] }]);
    boss = await world.person('admin', 'Boss');
    auditor = await world.person('auditor', 'Auditor');
    bot = await world.agent('operator', { name: 'Reader' });
    other = await world.agent('operator');
    mail = (await boss.post('/items', { inbox: 'mail', title: 'Help' })).body.item.id as string;
    bug = (await boss.post('/items', { inbox: 'bugs', title: 'Broken' })).body.item.id as string;
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
  });
  after(() => world.close());

  const watch = async (client: Client, query = '', base = client.base): Promise<Recorder> => {
    const recorder = await openLive(client, query, base);
    open.push(recorder);
    return recorder;
  };
  const isRead = ({ type }: Message): boolean => type === 'read';
  const readsOf = ({ messages }: Recorder): Message[] => messages.filter(isRead);
  const told = (recorder: Recorder): unknown[] =>
    readsOf(recorder).map(({ verb, via, targets, outcome, code }: Message) => [
      verb,
      via,
      (targets as { type: string; id: string }[]).map(({ type, id }) => `${type} ${id}`).join(),
      outcome,
      code,
    ]);
  /** Reads what everybody sees who watches: what was read before it has been told by then. */
  const finish = async (agent: Client, ...recorders: Recorder[]): Promise<void> => {
    await agent.get('/me');
    for (const recorder of recorders)
      await recorder.next('the last read', ({ type, verb }: Message) => type === 'read' && verb === 'me');
  };

  it('tells of reads by HTTP and by tools, answered and refused, and keeps none', async () => {
    const live = await watch(boss, `?agent=${bot.id}`);
    await bot.get('/items?inbox=mail&q=help&limit=5');
    await bot.get(`/items/${mail}/timeline`);
    await bot.get('/items?nosuch=1');
    await bot.get('/audit');
    await bot.get(`/items/batch?ids=${mail},${bug}`);
    await bot.get('/resources/customer/c9');
    await bot.post('/available', { refs: [{ resource: 'customer', id: 'c9' }] });
    await callTool(bot, 'list_items', { inbox: 'mail', limit: 1 });
    await callTool(bot, 'get_item', { id: bug });
    await bot.post(`/items/${mail}/notes`, { text: 'no read' });
    await watch(bot, '?types=item');
    await other.get('/items');
    await finish(bot, live);
    expect(told(live)).to.deep.equal([
      ['item.list', 'http', '', 'ok', null],
      ['item.timeline', 'http', `item ${mail}`, 'ok', null],
      ['item.list', 'http', '', 'failed', 'invalid'],
      ['audit.list', 'http', '', 'denied', 'forbidden'],
      ['item.batch', 'http', `item ${mail},item ${bug}`, 'ok', null],
      ['record.get', 'http', 'record customer:c9', 'denied', 'not_found'],
      ['action.available', 'http', 'record customer:c9', 'ok', null],
      ['item.list', 'mcp', '', 'ok', null],
      ['item.get', 'mcp', `item ${bug}`, 'ok', null],
      ['live.open', 'http', '', 'ok', null],
      ['me', 'http', '', 'ok', null],
    ]);
    const [first] = readsOf(live);
    expect(first.agent).to.deep.equal({ type: 'agent', id: bot.id, name: 'Reader' });
    expect(first.query).to.deep.equal({ inbox: 'mail', q: 'help', limit: 5 });
    expect(first.offset).to.equal(first.prev);
    const kept = await world.sql(
      `select verb from events where actor = $1 and verb in ('item.list', 'item.get', 'me')`,
      [bot.id],
    );
    expect(kept).to.deep.equal([]);
    const { changes } = (await boss.get(`/changes?after=${live.messages[0].offset as string}`)).body;
    expect((changes as Message[]).filter(isRead)).to.deep.equal([]);
  });

  it('tells of reads at another process, and nothing to those who watch nobody or another one', async () => {
    const there = (await world.api()).base();
    const [live, plain, elsewhere] = [
      await watch(boss, `?agent=${bot.id}`, there),
      await watch(boss),
      await watch(boss, `?agent=${other.id}`),
    ];
    await until('the process of the agent knows', async () => {
      await bot.get('/counts');
      return readsOf(live).length > 0;
    });
    await other.get('/inboxes');
    await finish(other, elsewhere);
    expect(told(elsewhere).map((row) => (row as string[])[0])).to.deep.equal(['inbox.list', 'me']);
    expect(readsOf(live).every(({ agent }) => agent.id === bot.id)).to.equal(true);
    expect(readsOf(plain)).to.deep.equal([]);
  });

  it('hides what the role of who watches does not see', async () => {
    const live = await watch(auditor, `?agent=${bot.id}`);
    await bot.get('/items?inbox=bugs&q=canary');
    await bot.get(`/items/${bug}`);
    await bot.get(`/items/${mail}`);
    await bot.get(`/items/batch?ids=${bug},${mail}`);
    await bot.get('/resources/customer/list');
    await bot.get('/resources/customer/c1');
    await bot.get('/runs/run_01jd0000000000000000000000');
    await finish(bot, live);
    expect(told(live)).to.deep.equal([
      ['item.list', 'http', '', 'ok', null],
      ['item.get', 'http', `item ${mail}`, 'ok', null],
      ['item.batch', 'http', `item ${mail}`, 'ok', null],
      ['me', 'http', '', 'ok', null],
    ]);
    expect(readsOf(live).map(({ query }) => query as unknown)).to.deep.equal([null, null, null, null]);
    const clerk = await world.agent('mail clerk');
    const own = await watch(auditor, `?agent=${clerk.id}`);
    await clerk.get('/items?q=help');
    await clerk.get(`/items/${bug}`);
    await finish(clerk, own);
    expect(told(own)).to.deep.equal([
      ['item.list', 'http', '', 'ok', null],
      // What neither of them sees answers as what does not exist; the agent named it.
      ['item.get', 'http', `item ${bug}`, 'denied', 'not_found'],
      ['me', 'http', '', 'ok', null],
    ]);
    expect(readsOf(own)[0].query).to.deep.equal({ q: 'help' });
  });

  it('follows the role of who watches, and ends with the stream', async () => {
    const live = await watch(auditor, `?agent=${bot.id}&types=read`);
    await finish(bot, live);
    await world.sql(`update roles set grants = '[{"on":"inbox:mail","can":["see"]}]' where name = 'auditor'`);
    await world.sql('update revisions set n = n + 1');
    await live.next('the role is smaller', ({ type }: Message) => type === 'reset');
    const still = await watch(boss, `?agent=${bot.id}`);
    await finish(bot, still);
    expect(readsOf(live)).to.have.length(1);
  });
});
