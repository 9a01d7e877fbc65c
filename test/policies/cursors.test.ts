/** Cursors: one of any list is worth something only to the role that it was made under, and for the query that made it. */
import { expect } from 'chai';
import { endpoints } from '../../api/endpoints.ts';
import { connectApp } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

const two = ['one', 'two'];
const manifest = {
  resources: [
    {
      name: 'customer',
      source: 'stored',
      fields: [{ name: 'parent', filter: true }],
      relations: [{ name: 'children', resource: 'customer', field: 'parent' }],
    },
    { name: 'order', source: 'stored' },
  ],
  inboxes: two.map((name) => ({ name })),
  views: two.map((name) => ({ name })),
  pages: two.map((name) => ({ name, blocks: [] })),
  flags: two.map((key) => ({ key, kind: 'boolean', default: false })),
  actions: [
    { name: 'ping', resource: 'customer' },
    { name: 'asked', approval: true, input: { type: 'object' } },
  ],
};

/** Lists that have no second page: a search answers the best at once. */
const withoutPages = ['/resources/:resource', '/search'];

interface List {
  readonly path: string;
  /** Other filters, under which the cursor belongs to nothing; absent: the list has none. */
  readonly other?: string;
  /** The names of the parameter and of the member of the answer; `cursor` when absent. */
  readonly names?: readonly [parameter: string, member: string];
}

describe('cursors of lists', () => {
  let world: World;
  let boss: Client;
  /** As many rights, by another role. */
  let twin: Client;
  let lists: Readonly<Record<string, List>>;

  const ok = async (answer: Promise<Reply>): Promise<void> => {
    const { status, text } = await answer;
    expect(status, text).to.be.below(300);
  };

  before(async () => {
    world = await newWorld({ manifest });
    await world.environment('staging');
    boss = await world.person('admin', 'Boss', { fresh: true });
    const [role] = (await boss.get('/settings/roles')).body.roles.filter(
      ({ name }: { name: string }) => name === 'admin',
    );
    await world.role('twin', role.grants);
    twin = await world.person('twin', 'Twin', { fresh: true });
    const agents = [await world.agent('admin'), await world.agent('admin')];
    await world.appKey();
    await world.records('customer', [
      { id: 'c1', title: 'One' },
      ...two.map((id) => ({ id, title: id, fields: { parent: 'c1' } })),
    ]);
    const app = await world.app({ 'action.run': () => null });
    const record = { resource: 'customer', id: 'c1' };
    const ids: string[] = [];
    for (const key of ['a', 'a', 'b']) {
      const { item } = (await boss.post('/items', { inbox: 'one', title: key, key, record })).body;
      ids.push(item.id);
    }
    const item = ids[0] ?? '';
    // A page of the history of a record has a hundred entries.
    await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        ok(boss.post('/items', { inbox: 'two', title: `Item ${String(n)}`, record })),
      ),
    );
    for (const agent of agents) await agent.post(`/items/${item}/notes`, { text: 'x' });
    await agents[0]?.post(`/items/${item}/notes`, { text: 'y' });
    let bulk = '';
    for (const state of ['waiting', 'open'])
      bulk = (await boss.post('/bulk', { ids: [item, ids[2] ?? ''], operation: { type: 'state', state } })).body.bulk
        .id;
    for (const value of [true, false]) await ok(boss.post('/flags/one', { change: { value } }));
    for (const input of [{ n: 1 }, { n: 2 }]) {
      await ok(boss.post('/actions', { action: 'ping', record: 'c1' }));
      await ok(boss.post('/actions', { action: 'asked', input }));
    }
    for (const id of ['e1', 'e2'])
      await ok(boss.post('/settings/erasures', { record: { resource: 'customer', id }, confirmed: true }));
    await app.close();
    const more = { ...manifest, actions: [...manifest.actions, ...two.map((name) => ({ name: `new_${name}` }))] };
    await connectApp(await world.appKey(), { manifest: more, startedAt: Date.now() }).then((one) => one.close());
    await world.settled();
    for (const id of two)
      await world.sql(
        `insert into staged_jobs (id, env, name, payload, last_error, created_at) values ($1, 1, 'triageItem', '{}', 'x', 0)`,
        [id],
      );
    lists = {
      '/inboxes': { path: '/inboxes' },
      '/views': { path: '/views' },
      '/people': { path: '/people', other: 'inbox=one' },
      '/items': { path: '/items', other: 'inbox=one' },
      '/items/:id/timeline': { path: `/items/${item}/timeline` },
      '/items/:id/occurrences': { path: `/items/${item}/occurrences` },
      '/actions': { path: '/actions' },
      '/runs': { path: '/runs', other: 'action=ping' },
      '/approvals': { path: '/approvals', other: 'status=approved' },
      '/bulk': { path: '/bulk', other: 'status=running' },
      '/bulk/:id/results': { path: `/bulk/${bulk}/results`, other: 'outcome=failed' },
      '/pages': { path: '/pages' },
      '/flags': { path: '/flags' },
      '/flags/:flag/history': { path: '/flags/one/history' },
      '/resources': { path: '/resources' },
      '/resources/:resource/list': { path: '/resources/customer/list', other: 'q=one' },
      '/resources/:resource/:id': { path: '/resources/customer/c1', names: ['historyCursor', 'historyCursor'] },
      '/resources/:resource/:id/related/:relation': { path: '/resources/customer/c1/related/children' },
      '/audit': { path: '/audit', other: 'verb=item.note' },
      '/settings/agents': { path: '/settings/agents' },
      '/settings/agents/:id/activity': { path: `/settings/agents/${agents[0]?.id ?? ''}/activity` },
      '/settings/roles': { path: '/settings/roles' },
      '/settings/people': { path: '/settings/people' },
      '/settings/app-keys': { path: '/settings/app-keys' },
      '/settings/environments': { path: '/settings/environments' },
      '/settings/erasures': { path: '/settings/erasures' },
      '/settings/jobs': { path: '/settings/jobs', other: 'state=failed' },
      '/settings/loosenings': { path: '/settings/loosenings', other: 'status=waiting' },
    };
  });
  after(() => world.close());

  it('stand in the table of this test, each list that there is', () => {
    const paged = endpoints.filter(({ query }) =>
      Object.keys(query?.properties ?? {}).some((name) => /cursor/i.test(name)),
    );
    expect(paged.map(({ path }) => path)).to.have.members([...Object.keys(lists), ...withoutPages]);
  });

  it('are refused under another role, on another list and with other filters, and go on under their own', async () => {
    const urlOf = ({ path, names: [parameter] = ['cursor', ''] }: List, cursor: string, filters?: string): string =>
      `${path}?${[...(parameter === 'cursor' ? ['limit=1'] : []), `${parameter}=${cursor}`, ...(filters === undefined ? [] : [filters])].join('&')}`;
    const taken: string[] = [];
    let before = '';
    for (const [name, list] of Object.entries(lists)) {
      const [parameter, member] = list.names ?? ['cursor', 'cursor'];
      const first = await boss.get(`${list.path}${parameter === 'cursor' ? '?limit=1' : ''}`);
      const cursor: unknown = first.body[member] ?? null;
      expect(cursor, `${name} ${first.text.slice(0, 300)}`).to.be.a('string');
      const codeOf = async (client: Client, url: string): Promise<string> => {
        const { status, body } = await client.get(url);
        return `${String(status)} ${String(body.code)}`;
      };
      const here = urlOf(list, String(cursor));
      if ((await codeOf(boss, here)) !== '200 undefined') taken.push(`${name} refuses its own`);
      if ((await codeOf(twin, here)) !== '400 bad_cursor') taken.push(`${name} takes one of another role`);
      if (before !== '' && (await codeOf(boss, urlOf(list, before))) !== '400 bad_cursor')
        taken.push(`${name} takes one of another list`);
      if (
        list.other !== undefined &&
        (await codeOf(boss, urlOf(list, String(cursor), list.other))) !== '400 bad_cursor'
      )
        taken.push(`${name} takes one of other filters`);
      before = String(cursor);
    }
    expect(taken).to.deep.equal([]);
  });
});
