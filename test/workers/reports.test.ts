/** Reports of an app: few versions however many there are, each user and each occurrence counted once, repeats answered as before. */
import { expect } from 'chai';
import type { Caller } from '../../shared/accounts/access/principal.ts';
import { reportItem } from '../../shared/items/reports/report.ts';
import { expiredRows } from '../../workers/sweeps/expiredRows.ts';
import { connectApp } from '../support/app.ts';
import type { Client } from '../support/http.ts';
import { openLive } from '../support/live.ts';
import { startProgram } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

describe('reports', () => {
  let world: World;
  let agent: Client;
  let appKey: Client;
  let caller: Caller;
  const hour = 3_600_000;
  before(async () => {
    world = await newWorld();
    agent = await world.agent('admin');
    appKey = await world.appKey();
    const principal = await world.deps.directory.principal('app', appKey.id);
    const env = world.deps.directory.environment('demo');
    if (principal === null || env === undefined) throw new Error('The world has no app key.');
    caller = { env, principal, requestId: 'req_of_the_app', address: null };
  });
  after(() => world.close());

  const report = (more: Partial<Parameters<typeof reportItem>[2]>) =>
    reportItem(world.deps, caller, { inbox: 'bugs', title: 'TypeError in checkout', ...more });
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const itemOf = async (id: string): Promise<any> => (await agent.get(`/items/${id}`)).body.item;
  /** Every page of a list. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const allOf = async (client: Client, path: string, plural: string): Promise<any[]> => {
    const all = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await client.get(`${path}?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`);
      all.push(...body[plural]);
      cursor = body.cursor as string | null;
    }
    return all;
  };
  const codeOf = (failed: Promise<unknown>): Promise<unknown> =>
    failed.then(
      () => 'nothing',
      (error: { code?: string }) => error.code,
    );

  it('make an item, and occurrences of the one that has the key', async () => {
    const first = await report({ key: 'one', user: 'u1' });
    expect(first.created).to.equal(true);
    const second = await report({ key: 'one', user: 'u2' });
    expect(second).to.deep.equal({ item: first.item, created: false });
    expect(await report({ key: 'one', user: 'u1' })).to.deep.equal(second);
    expect(await itemOf(first.item)).to.include({ occurrences: 3, users: 2, inbox: 'bugs' });
    expect((await report({ title: 'Without a key' })).item).to.not.equal(
      (await report({ title: 'Without a key' })).item,
    );
  });

  it('of one item become few versions and miss none, in any number', async () => {
    const answers = await Promise.all(
      Array.from({ length: 3000 }, (_, n) =>
        report({ key: 'many', user: `u${String(n % 700)}`, delivery: `many-${String(n)}` }),
      ),
    );
    const [{ item: id } = { item: '' }] = answers;
    expect(new Set(answers.map(({ item }) => item)).size).to.equal(1);
    expect(answers.filter(({ created }) => created)).to.have.length(1);
    const item = await itemOf(id);
    expect(item).to.include({ occurrences: 3000, users: 700 });
    expect(item.version).to.be.at.most(4);
    const [audited] = await world.sql<{ n: number }>(
      "select count(*)::int as n from events where item = $1 and verb in ('item.create', 'item.occur')",
      [id],
    );
    expect(audited?.n).to.equal(item.version);
  });

  it('of a conversation keep what each of them said, under few versions, with an entry and a live message each', async () => {
    const live = await openLive(agent, '?inboxes=mail&types=timeline,item');
    const said = Array.from({ length: 700 }, (_, n) => `message ${String(n)}`);
    const answers = await Promise.all(
      said.map((title, n) =>
        report({ inbox: 'mail', key: 'talk', title, data: { plan: title }, delivery: `talk-${String(n)}` }),
      ),
    );
    const [{ item: id } = { item: '' }] = answers;
    await report({ inbox: 'mail', key: 'talk', title: 'again', delivery: 'talk-1' });
    const item = await itemOf(id);
    expect(item).to.include({ occurrences: said.length, title: 'message 0' });
    expect(item.version).to.be.at.most(4);
    const occurrences = await allOf(agent, `/items/${id}/occurrences`, 'occurrences');
    expect(occurrences.map(({ title, data }) => [title, data.plan])).to.deep.equal(
      said.toReversed().map((title) => [title, title]),
    );
    const entries = await allOf(agent, `/items/${id}/timeline`, 'entries');
    expect(entries.map(({ data }) => data.occurrences?.to ?? 1)).to.deep.equal(said.map((_, n) => said.length - n));
    expect(entries.slice(0, -1).map(({ data }) => data.occurrence)).to.deep.equal(occurrences.slice(0, -1));
    const last = await live.next('the last entry', ({ entry }) => entry?.data.occurrences?.to === said.length, 30_000);
    expect(last.entry).to.deep.equal(entries[0]);
    const told = live.messages.filter(({ type }) => type === 'timeline').map(({ entry }) => entry);
    expect(told).to.deep.equal(entries.toReversed());
    expect(live.messages.filter(({ type }) => type === 'item')).to.have.length(item.version);
    await live.close();
  });

  it('of much content become more versions, none of them large', async () => {
    const plan = 'x'.repeat(30_000);
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, n) =>
        report({ inbox: 'mail', key: 'much', title: String(n), data: { plan }, delivery: `much-${String(n)}` }),
      ),
    );
    const id = answers[0]?.item ?? '';
    const { version, occurrences } = await itemOf(id);
    expect(occurrences).to.equal(80);
    expect(version).to.be.within(4, 6);
    expect(
      (await allOf(agent, `/items/${id}/occurrences`, 'occurrences')).map(({ title }) => Number(title)),
    ).to.deep.equal(Array.from({ length: 80 }, (_, n) => 79 - n));
  });

  it('of many items are all made, each with its own answer', async () => {
    const answers = await Promise.all(
      Array.from({ length: 1500 }, (_, n) =>
        report({ key: `each-${String(n)}`, user: 'u', ...(n % 2 === 0 ? { delivery: `each-${String(n)}` } : {}) }),
      ),
    );
    expect(new Set(answers.map(({ item }) => item)).size).to.equal(1500);
    expect(answers.every(({ created }) => created)).to.equal(true);
    const again = await Promise.all(
      Array.from({ length: 1500 }, (_, n) =>
        report({
          key: `each-${String(n)}`,
          user: n % 2 === 0 ? 'u' : 'v',
          ...(n % 2 === 0 ? { delivery: `each-${String(n)}` } : {}),
        }),
      ),
    );
    expect(again.map(({ item }) => item)).to.deep.equal(answers.map(({ item }) => item));
    expect(again.map(({ created }) => created)).to.deep.equal(answers.map((_, n) => n % 2 === 0));
    const [sum] = await world.sql<{ occurrences: number; users: number }>(
      "select sum(occurrences)::int as occurrences, sum(users)::int as users from items where key like 'each-%'",
    );
    expect(sum).to.deep.equal({ occurrences: 1500 + 750, users: 1500 + 750 });
  });

  it('by two processes at once are counted once each', async () => {
    const other = { ...world.deps };
    const answers = await Promise.all(
      Array.from({ length: 400 }, (_, n) =>
        reportItem(n % 2 === 0 ? world.deps : other, caller, {
          inbox: 'bugs',
          title: 'Both',
          key: `both-${String((n % 4) >> 1)}`,
          user: String(n % 10),
          delivery: `both-${String(n % 200)}`,
        }),
      ),
    );
    const ids = [...new Set(answers.map(({ item }) => item))];
    expect(ids).to.have.length(2);
    const items = await Promise.all(ids.map(itemOf));
    expect(items.reduce((sum: number, item) => sum + Number(item.occurrences), 0)).to.equal(200);
  });

  it('answer a repeated delivery as before, also when the inbox takes it no more, and forget it after a day', async () => {
    const first = await report({ key: 'again', delivery: 'd1' });
    expect(await report({ key: 'again', delivery: 'd1' })).to.deep.equal(first);
    expect(await report({ key: 'another', delivery: 'd1' })).to.deep.equal(first);
    expect(await report({ inbox: 'nowhere', delivery: 'd1' })).to.deep.equal(first);
    expect((await itemOf(first.item)).occurrences).to.equal(1);
    await world.sql("update deliveries set created_at = created_at - 86400001 where delivery = 'd1'");
    expect(await report({ key: 'again', delivery: 'd1' })).to.deep.equal({ item: first.item, created: false });
    expect((await itemOf(first.item)).occurrences).to.equal(2);
    await world.sql("update deliveries set created_at = created_at - 86400001 where delivery = 'd1'");
    await expiredRows.run(world.deps);
    expect(await world.sql("select 1 from deliveries where delivery = 'd1'")).to.have.length(0);
  });

  it('tell of the time when it happened, and never move activity backwards', async () => {
    const now = Date.now();
    const { item: id } = await report({ key: 'late', at: now - 2 * hour });
    expect(await itemOf(id)).to.include({ firstSeen: now - 2 * hour, lastSeen: now - 2 * hour });
    await report({ key: 'late', at: now - hour });
    await report({ key: 'late', at: now - 90 * 60_000 });
    expect(await itemOf(id)).to.include({ lastSeen: now - hour, occurrences: 3 });
    await report({ key: 'late', at: Date.now() + 60_000 });
    expect((await itemOf(id)).lastSeen).to.be.within(now, Date.now());
    expect(await codeOf(report({ key: 'late', at: Date.now() + 10 * 60_000 }))).to.equal('invalid');
  });

  it('come over the link in any number, and each is answered', async () => {
    const app = await connectApp(appKey);
    const answers = (await Promise.all(
      Array.from({ length: 2000 }, (_, n) =>
        app.request('items.report', {
          inbox: 'bugs',
          title: 'Over the link',
          key: `link-${String(n % 20)}`,
          user: String(n % 100),
          delivery: `link-${String(n)}`,
        }),
      ),
    )) as { item: string; created: boolean }[];
    const ids = [...new Set(answers.map(({ item }) => item))];
    expect(ids).to.have.length(20);
    expect(answers.filter(({ created }) => created)).to.have.length(20);
    for (const item of await Promise.all(ids.map(itemOf))) {
      expect(item).to.include({ occurrences: 100, users: 5 });
      expect(item.version).to.be.at.most(8);
    }
    await app.close();
  });

  it('are counted once each although the API is killed under them and the app reports them again', async () => {
    const api = await startProgram(world, 'api/main.ts');
    const reports = Array.from({ length: 3000 }, (_, n) => ({
      inbox: 'bugs',
      title: 'Killed',
      key: `killed-${String(n % 300)}`,
      user: String(n % 7),
      delivery: `killed-${String(n)}`,
    }));
    const answered = new Map<string, unknown>();
    const first = await connectApp(appKey, { base: appKey.base.replace(/:\d+/, `:${api.port}`) });
    const sent = Promise.allSettled(
      reports.map(async (params) => {
        answered.set(params.delivery, await first.request('items.report', params));
      }),
    );
    await until('some are answered', () => answered.size > 300);
    await api.end();
    await sent;
    expect(answered.size).to.be.below(reports.length);

    const app = await connectApp(appKey);
    const again = await Promise.all(reports.map((params) => app.request('items.report', params)));
    for (const [n, { delivery }] of reports.entries())
      if (answered.has(delivery)) expect(again[n]).to.deep.equal(answered.get(delivery));
    const [sum] = await world.sql(
      "select sum(occurrences)::int as occurrences, sum(users)::int as users, count(*)::int as items from items where key like 'killed-%'",
    );
    expect(sum).to.deep.equal({ occurrences: 3000, users: 300 * 7, items: 300 });
    await app.close();
  });

  it('that are not valid are refused each by itself', async () => {
    const answers = await Promise.allSettled([
      report({ key: 'mixed' }),
      report({ key: 'mixed', record: { resource: 'nothing', id: '1' } }),
      report({ key: 'mixed', user: 'u' }),
      report({ inbox: 'mail', key: 'mixed', data: { email: 5 } }),
      reportItem(world.deps, caller, { inbox: 'bugs', title: 'x', colour: 'red' } as never),
      report({ inbox: 'nowhere' }),
    ]);
    expect(
      answers.map((answer) => (answer.status === 'fulfilled' ? 'ok' : (answer.reason as { code: string }).code)),
    ).to.deep.equal(['ok', 'invalid', 'ok', 'invalid', 'invalid', 'not_found']);
  });
});
