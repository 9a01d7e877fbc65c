/** Saved views: filters of item lists that people keep under a name, for themselves or shared with who sees their inbox. */
import { expect } from 'chai';
import type { Client, Reply } from '../support/http.ts';
import { openLive } from '../support/live.ts';
import { clerkGrants, testManifest } from '../support/manifest.ts';
import { newWorld, type World } from '../support/world.ts';

const refused = (reply: Reply, status: number, code: string, path?: string): void => {
  expect([reply.status, reply.body?.code], reply.text).to.deep.equal([status, code]);
  if (path !== undefined) expect(reply.body.details.map((place: { path: string }) => place.path)).to.include(path);
};

const sealedStates = [
  { name: 'open', kind: 'open' },
  { name: 'sealed', kind: 'closed' },
];
const manifest = {
  ...testManifest,
  inboxes: testManifest.inboxes.map((one) => (one.name === 'secret' ? { ...one, states: sealedStates } : one)),
};

interface View {
  readonly id: string;
  readonly name: string;
}

describe('saved views', () => {
  let world: World;
  let ana: Client;
  let ben: Client;
  let clerk: Client;
  let count = 0;

  before(async () => {
    world = await newWorld({ manifest, workers: false });
    await world.environment('staging', testManifest);
    await world.role('clerk', clerkGrants);
    ana = await world.person('admin', 'Ana Lind');
    ben = await world.person('operator', 'Ben Okoro');
    clerk = await world.person('clerk', 'Cleo Park');
  });
  after(() => world.close());

  const save = (client: Client, body: object): Promise<Reply> => {
    count += 1;
    return client.post('/me/views', { name: `View ${String(count)}`, query: {}, ...body });
  };
  const saved = async (client: Client, body: object): Promise<string> => {
    const reply = await save(client, body);
    expect(reply.status, reply.text).to.equal(201);
    return reply.body.view.id as string;
  };
  const views = async (client: Client): Promise<View[]> => (await client.get('/me/views')).body.views;
  const idsOf = async (client: Client): Promise<string[]> => (await views(client)).map(({ id }) => id);
  const item = async (inbox: string, title: string, tags: readonly string[] = []): Promise<string> => {
    const { body } = await ana.post('/items', { inbox, title });
    if (tags.length > 0) await ana.post(`/items/${String(body.item.id)}/tags`, { add: tags });
    return body.item.id as string;
  };
  const found = async (client: Client, query: string): Promise<string[]> => {
    const reply = await client.get(`/items?${query}`);
    expect(reply.status, reply.text).to.equal(200);
    return (reply.body.items as { id: string }[]).map(({ id }) => id);
  };

  it('are saved, listed by name, changed and deleted by their owner', async () => {
    const owner = await world.person('operator', 'Olu Ade');
    const query = { state: ['open'], tags: ['vip'], assignee: ['me', 'none'], overdue: false };
    const { status, body } = await save(owner, { name: 'Mine', inbox: 'mail', query, sort: 'due' });
    expect(status).to.equal(201);
    const { createdAt, ...view } = body.view;
    expect(view).to.deep.equal({
      id: view.id,
      name: 'Mine',
      inbox: 'mail',
      query,
      sort: 'due',
      shared: false,
      owner: { type: 'person', id: owner.id, name: 'Olu Ade' },
      updatedAt: createdAt,
    });
    expect(view.id).to.match(/^viw_[0-9a-z]{26}$/);
    await saved(owner, { name: 'Again' });
    expect((await views(owner)).map(({ name }) => name)).to.deep.equal(['Again', 'Mine']);
    const path = `/me/views/${String(view.id)}`;
    const changed = await owner.call('PATCH', path, { name: 'Ours', query: {}, sort: null, inbox: null });
    expect(changed.status, changed.text).to.equal(200);
    expect([
      changed.body.view.name,
      changed.body.view.query,
      changed.body.view.sort,
      changed.body.view.inbox,
    ]).to.deep.equal(['Ours', {}, null, null]);
    expect((await owner.call('DELETE', path)).status).to.equal(204);
    refused(await owner.call('DELETE', path), 404, 'not_found');
    expect((await views(owner)).map(({ name }) => name)).to.deep.equal(['Again']);
  });

  it('are refused with the place of what is wrong', async () => {
    const tries: readonly (readonly [object, string])[] = [
      [{ name: '' }, 'name'],
      [{ name: 'x'.repeat(81) }, 'name'],
      [{ name: 'two\nlines' }, 'name'],
      [{ query: { stat: ['open'] } }, 'query.stat'],
      [{ query: { state: 'open' } }, 'query.state'],
      [{ query: { state: ['nosuch'] } }, 'query.state'],
      [{ query: { inbox: 'mail' } }, 'query.inbox'],
      [{ query: { view: 'viw_01jd0000000000000000000000' } }, 'query.view'],
      [{ query: { fields: { nosuch: 1 } } }, 'query.fields.nosuch'],
      [{ query: { q: 'a b c d e f g h i j k' } }, 'query.q'],
      [{ query: { tags: Array.from({ length: 50 }, (_, n) => `${String(n)}${'x'.repeat(90)}`) } }, 'query'],
      [{ query: { cursor: 'x' } }, 'query.cursor'],
      [{ sort: 'newest' }, 'sort'],
      [{ shared: 'yes' }, 'shared'],
      [{ owner: ben.id }, 'owner'],
      [{ inbox: 'bugs', query: { state: ['requested'] } }, 'query.state'],
      [{ inbox: 'bugs', query: { fields: { email: 'x' } } }, 'query.fields.email'],
    ];
    for (const [body, path] of tries) refused(await save(ben, body), 400, 'invalid', path);
    const [, ...unseen] = [
      await save(clerk, { inbox: 'nosuch' }),
      await save(clerk, { inbox: 'secret' }),
      await save(clerk, { query: { view: 'secrets' } }),
      await save(clerk, { query: { record: 'vault:v1' } }),
    ];
    for (const reply of unseen) refused(reply, 404, 'not_found');
    const agent = await world.agent('admin');
    refused(await agent.get('/me/views'), 403, 'person_required');
    refused(await save(agent, {}), 403, 'person_required');
  });

  it('have names of their own for each person and environment, and bounds', async () => {
    const owner = await world.person('operator', 'Bound');
    await saved(owner, { name: 'Same' });
    refused(await save(owner, { name: 'Same' }), 409, 'conflict');
    await saved(ben, { name: 'Same' });
    const there = world.elsewhere(owner, 'staging');
    await saved(there, { name: 'Same' });
    expect(await views(there)).to.have.length(1);
    const other = await saved(owner, { name: 'Other' });
    refused(await owner.call('PATCH', `/me/views/${other}`, { name: 'Same' }), 409, 'conflict');
    refused(await there.call('PATCH', `/me/views/${other}`, { name: 'New' }), 404, 'not_found');
    await world.sql(
      `insert into saved_views (id, env, owner, name, query, shared, created_at, updated_at)
       select 'viw_full' || n, v.env, v.owner, 'Full ' || n, '{}', false, 0, 0 from saved_views v, generate_series(1, 197) n where v.id = $1`,
      [other],
    );
    const replies = await Promise.all([1, 2, 3].map((n) => save(owner, { name: `Last ${String(n)}` })));
    expect(replies.map(({ status }) => status)).to.have.members([201, 409, 409]);
  });

  it('give a list, its count, a summary and a bulk their filters and order by their id', async () => {
    const owner = await world.person('operator', 'Lister');
    const [first, second] = [await item('mail', 'Saved B', ['sv']), await item('mail', 'Saved A', ['sv'])];
    await item('mail', 'Saved C');
    const id = await saved(owner, { inbox: 'mail', query: { tags: ['sv'] }, sort: 'title' });
    expect(await found(owner, `view=${id}`)).to.deep.equal([second, first]);
    expect(await found(owner, `view=${id}&sort=-title&q=b`)).to.deep.equal([first]);
    expect((await owner.get(`/items?view=${id}&count=1&limit=1`)).body.total).to.equal(2);
    expect((await owner.get(`/items/summary?view=${id}&by=inbox`)).body.total).to.equal(2);
    const page = (await owner.get(`/items?view=${id}&limit=1`)).body.cursor as string;
    expect(await found(owner, `view=${id}&limit=1&cursor=${page}`)).to.deep.equal([first]);
    const bulk = { query: { view: id }, operation: { type: 'state', state: 'waiting' }, dryRun: true };
    expect((await owner.post('/bulk', bulk)).body.matched).to.equal(2);
    const onView = await saved(owner, { query: { view: 'open', tags: ['sv'] } });
    expect(await found(owner, `view=${onView}`)).to.have.members([first, second]);
    await ana.post(`/items/${first}/state`, { state: 'closed' });
    expect(await found(owner, `view=${onView}`)).to.deep.equal([second]);
  });

  it('mean the reader by me, and show nobody more than their role sees', async () => {
    const [mail, secret] = [await item('mail', 'Shared one', ['sh']), await item('secret', 'Shared two', ['sh'])];
    const id = await saved(ana, { inbox: 'mail', query: { tags: ['sh'], assignee: ['me'] }, shared: true });
    await ana.post(`/items/${mail}/assign`, { assignee: ben.id });
    await ana.post(`/items/${secret}/assign`, { assignee: ana.id });
    expect(await found(ben, `view=${id}`)).to.deep.equal([mail]);
    expect(await found(clerk, `view=${id}`)).to.deep.equal([]);
    const agent = await world.agent('clerk');
    const shared = await saved(ana, { inbox: 'mail', query: { tags: ['sh'] }, shared: true });
    expect(await found(agent, `view=${shared}`)).to.deep.equal([mail]);
  });

  it('are seen by others when shared, where they see all of what the view is about', async () => {
    const shown = [
      await saved(ana, { inbox: 'mail', shared: true }),
      await saved(ana, { query: { view: 'open' }, inbox: 'bugs', shared: true }),
      await saved(ana, { inbox: 'mail', query: { record: 'customer:c1' }, shared: true }),
      await saved(ana, { query: { q: 'words' }, shared: true }),
    ];
    const hidden = [
      await saved(ana, { inbox: 'secret', shared: true }),
      await saved(ana, { query: { view: 'secrets' }, inbox: 'mail', shared: true }),
      await saved(ana, { inbox: 'mail', query: { record: 'vault:v1' }, shared: true }),
      await saved(ana, { query: { state: ['sealed'] }, shared: true }),
    ];
    const own = await saved(ana, { inbox: 'mail' });
    const seen = await idsOf(clerk);
    expect(seen)
      .to.include.members(shown)
      .and.not.include.members([...hidden, own]);
    expect(await idsOf(ben))
      .to.include.members([...shown, ...hidden])
      .and.not.include(own);
    const nobodys = 'viw_01jd0000000000000000000000';
    for (const id of [...hidden, own])
      for (const probe of [
        (one: string) => clerk.get(`/items?view=${one}`),
        (one: string) => clerk.get(`/items/summary?by=inbox&view=${one}`),
        (one: string) => clerk.post('/bulk', { query: { view: one }, operation: { type: 'state', state: 'open' } }),
        (one: string) => clerk.call('PATCH', `/me/views/${one}`, { name: 'Mine' }),
        (one: string) => clerk.call('DELETE', `/me/views/${one}`),
      ]) {
        const [there, nowhere] = [await probe(id), await probe(nobodys)];
        refused(there, 404, 'not_found');
        expect(there.text.replaceAll(id, nobodys)).to.equal(nowhere.text);
      }
    const [first = ''] = shown;
    refused(await ben.call('PATCH', `/me/views/${first}`, { name: 'Mine' }), 403, 'forbidden');
    refused(await ben.call('DELETE', `/me/views/${first}`), 403, 'forbidden');
    await ana.call('PATCH', `/me/views/${first}`, { shared: false });
    expect(await idsOf(clerk)).not.to.include(first);
    refused(await clerk.get(`/items?view=${first}`), 404, 'not_found');
  });

  it('are deleted by people who manage settings when shared; private ones go with their owner', async () => {
    const owner = await world.person('operator', 'Leaver');
    const [own, shared] = [await saved(owner, {}), await saved(owner, { inbox: 'mail', shared: true })];
    refused(await ana.call('DELETE', `/me/views/${own}`), 404, 'not_found');
    const boss = await world.person('admin', 'Boss', { fresh: true });
    expect((await boss.call('DELETE', `/settings/people/${owner.id}`)).status).to.equal(200);
    expect(
      (await world.sql('select id from saved_views where owner = $1', [owner.id])).map(({ id }) => id),
    ).to.deep.equal([shared]);
    expect(await found(clerk, `view=${shared}`)).to.be.an('array');
    expect((await ana.call('DELETE', `/me/views/${shared}`)).status).to.equal(204);
  });

  it('are audited without the words of private ones', async () => {
    const owner = await world.person('operator', 'Audited');
    const [own, shared] = [
      await saved(owner, { name: 'Quiet words', query: { q: 'quiet' } }),
      await saved(owner, { name: 'Loud words', inbox: 'mail', query: { q: 'loud' }, shared: true, reason: 'For all.' }),
    ];
    await owner.call('PATCH', `/me/views/${shared}`, { name: 'Louder words' });
    await owner.call('PATCH', `/me/views/${shared}`, { name: 'Louder words' });
    await owner.call('DELETE', `/me/views/${own}`);
    const { body } = await ana.get(`/audit?actor=${owner.id}`);
    const entries = (body.entries as { verb: string; target: { id: string } }[]).filter(({ verb }) =>
      verb.startsWith('view.'),
    );
    expect(entries.map(({ verb, target }) => [verb, target.id]).reverse()).to.deep.equal([
      ['view.create', own],
      ['view.create', shared],
      ['view.update', shared],
      ['view.delete', own],
    ]);
    const text = JSON.stringify(entries);
    expect(text).not.to.include('uiet');
    for (const said of ['loud', 'Louder', 'For all.']) expect(text).to.include(said);
  });

  it('are one effect under an idempotency key', async () => {
    const options = { headers: { 'idempotency-key': 'save-once' } };
    const body = { name: 'Once', query: {} };
    const [first, second] = [
      await ben.call('POST', '/me/views', body, options),
      await ben.call('POST', '/me/views', body, options),
    ];
    expect([first.status, second.status]).to.deep.equal([201, 201]);
    expect(second.body).to.deep.equal(first.body);
  });

  it('tell other tabs and those who see a shared one that it is there, changed or gone, at every process', async () => {
    const further = await world.api();
    const base = further.base();
    const tab = await openLive(ana, '', base);
    const colleague = await openLive(ben, '', base);
    const stranger = await openLive(clerk, '', base);
    const heard = ({ messages }: typeof tab): string[] =>
      messages.flatMap(({ type, view }) => (type === 'view' ? [view.id as string] : []));
    const own = await saved(ana, { inbox: 'mail' });
    const hidden = await saved(ana, { inbox: 'secret', shared: true });
    const shared = await saved(ana, { inbox: 'mail', shared: true });
    await ana.call('PATCH', `/me/views/${shared}`, { name: 'Gone for others', shared: false });
    const last = await saved(ana, { name: 'Last', inbox: 'bugs', shared: true });
    for (const stream of [tab, colleague, stranger])
      await stream.next('the last view', ({ type, view }) => type === 'view' && view.id === last);
    expect(heard(tab)).to.deep.equal([own, hidden, shared, shared, last]);
    expect(heard(colleague)).to.deep.equal([hidden, shared, shared, last]);
    expect(heard(stranger)).to.deep.equal([shared, shared, last]);
    const [message] = stranger.messages.filter(({ type }) => type === 'view');
    expect(Object.keys(message)).to.have.members(['type', 'offset', 'prev', 'at', 'view']);
    expect(message.view).to.deep.equal({ id: shared, owner: { type: 'person', id: ana.id, name: 'Ana Lind' } });
    for (const stream of [tab, colleague, stranger]) await stream.close();
  });
});
