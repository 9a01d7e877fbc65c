/** The audit log: what was done, what was refused and what is not written down, under whose name and who may read it. */
import { expect } from 'chai';
import { readDocuments } from '../support/documented.ts';
import type { Client, Reply } from '../support/http.ts';
import { clerkGrants, testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

interface Entry {
  readonly id: string;
  readonly at: number;
  readonly actor: {
    readonly type: string;
    readonly id: string | null;
    readonly name: string;
    readonly role: string | null;
  };
  readonly verb: string;
  readonly target: { readonly type: string; readonly id: string | null };
  readonly outcome: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  readonly requestId: string | null;
  readonly address: string | null;
}

const openVault = { name: 'open_vault', label: 'Open', resource: 'vault', input: { type: 'object' } };
const manifest = { ...testManifest, actions: [...testManifest.actions, openVault] };

describe('the audit log over HTTP', () => {
  let world: World;
  let admin: Client;
  let clerk: Client;
  let auditor: Client;

  before(async () => {
    world = await newWorld({ manifest });
    const documents = await readDocuments(world.base);
    await world.role('clerk', clerkGrants);
    await world.role('auditor', [
      { on: 'audit', can: ['see'] },
      { on: 'inbox:mail', can: ['see'] },
    ]);
    admin = documents.of(await world.agent('admin'));
    clerk = documents.of(await world.agent('clerk'));
    auditor = documents.of(await world.agent('auditor'));
    await world.records('vault', [{ id: 'v1', title: 'Gold' }]);
    await world.records('customer', [{ id: 'c1', title: 'Ada' }]);
  });
  after(() => world.close());

  const make = async (more: object = {}, client = clerk): Promise<{ id: string }> =>
    (await client.post('/items', { inbox: 'mail', title: 'audited', ...more })).body.item;
  const log = async (query: string, client = admin): Promise<Entry[]> =>
    (await client.get(`/audit?limit=200&${query}`)).body.entries;
  const told = (entries: Entry[]): string[] =>
    entries.map(({ verb, outcome, actor }) => `${verb} ${outcome} by ${actor.name}`);

  it('has an entry for each change, with what it changed, who asked, from where and by which request', async () => {
    const { id } = await make();
    const reply = await clerk.post(`/items/${id}/state`, { state: 'closed' });
    const [entry] = await log(`target=${id}`);
    expect(entry?.id).to.match(/^aud_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    expect({ ...entry, id: '', at: 0 }).to.deep.equal({
      id: '',
      at: 0,
      actor: { type: 'agent', id: clerk.id, name: 'clerk agent', role: 'clerk' },
      verb: 'item.state',
      target: { type: 'item', id },
      outcome: 'ok',
      count: 1,
      before: { state: 'open', dueAt: reply.body.item.createdAt + 3_600_000 },
      after: { state: 'closed', dueAt: null },
      reason: null,
      requestId: reply.headers.get('x-request-id'),
      address: '127.0.0.1',
    });
  });

  it('names every kind of change', async () => {
    const { id } = await make({ key: 'kinds' });
    const bodies = {
      state: { state: 'waiting' },
      assign: { assignee: null },
      tags: { add: ['x'] },
      snooze: {},
      notes: { text: 'x' },
      reply: { subject: 'x', text: 'y' },
      triage: { answers: { a: 1 } },
    };
    for (const [verb, body] of Object.entries(bodies))
      await clerk.post(`/items/${id}/${verb}`, verb === 'snooze' ? { until: Date.now() + 1_000 } : body);
    await make({ key: 'kinds' });
    await until('it woke', async () => (await log(`target=${id}&verb=item.wake`)).length === 1);
    const verbs = (await log(`target=${id}`)).map(({ verb }) => verb);
    expect(verbs).to.have.members([
      'item.create',
      'item.state',
      'item.tags',
      'item.snooze',
      'item.note',
      'item.reply',
      'item.triage',
      'item.occur',
      'item.wake',
    ]);
    const [woken] = await log(`target=${id}&verb=item.wake`);
    expect(woken?.actor.type).to.equal('system');
  });

  it('writes each effect of a bulk under the principal who asked', async () => {
    const items = [await make(), await make()];
    const { bulk } = (
      await clerk.post('/bulk', { ids: items.map(({ id }) => id), operation: { type: 'state', state: 'waiting' } })
    ).body;
    await world.settled();
    for (const { id } of items)
      expect(told(await log(`target=${id}&verb=item.state`))).to.deep.equal(['item.state ok by clerk agent']);
    expect(told(await log(`target=${String(bulk.id)}`))).to.deep.equal(['bulk.create ok by clerk agent']);
  });

  it('writes what was denied, 403 and 404, and what failed, 409, 412 and 422', async () => {
    const { id } = await make({ inbox: 'refunds' });
    const { id: hidden } = await make({ inbox: 'secret' }, admin);
    const { id: bug } = await make({ inbox: 'bugs' }, admin);
    await clerk.post(`/items/${bug}/notes`, { text: 'x' });
    await clerk.post(`/items/${hidden}/notes`, { text: 'x' });
    await clerk.post(`/items/${id}/state`, { state: 'paid' });
    await clerk.post(`/items/${id}/notes`, { text: 'x' }, { headers: { 'if-match': '"9"' } });
    await clerk.post(`/items/${id}/reply`, { subject: 'x', text: 'x' });
    await clerk.post(`/items/${id}/state`, { state: 'declined' });
    await clerk.post(`/items/${id}/snooze`, { until: Date.now() + 1_000_000 });
    const keyed = { headers: { 'idempotency-key': 'audited-mismatch' } };
    await clerk.post(`/items/${id}/tags`, { add: ['a'] }, keyed);
    await clerk.post(`/items/${id}/tags`, { add: ['b'] }, keyed);
    expect(told(await log(`target=${bug}&actor=${clerk.id}`))).to.deep.equal(['item.note denied by clerk agent']);
    expect(told(await log(`target=${hidden}&actor=${clerk.id}`))).to.deep.equal(['item.note denied by clerk agent']);
    const entries = await log(`target=${id}`);
    expect(entries.map(({ verb, outcome, after }) => [verb, outcome, after?.['code']])).to.deep.equal([
      ['item.tags', 'failed', 'idempotency_mismatch'],
      ['item.tags', 'ok', undefined],
      ['item.snooze', 'failed', 'conflict'],
      ['item.state', 'ok', undefined],
      ['item.reply', 'failed', 'action_failed'],
      ['item.note', 'failed', 'version_conflict'],
      ['item.state', 'failed', 'invalid_transition'],
      ['item.create', 'ok', undefined],
    ]);
  });

  it('writes what a readonly agent and an app key were refused', async () => {
    const { id } = await make();
    const reader = await world.agent('admin', { mode: 'readonly', name: 'reader' });
    const app = await world.appKey();
    await reader.post(`/items/${id}/state`, { state: 'closed' });
    await app.post(`/items/${id}/state`, { state: 'closed' });
    expect(told(await log(`target=${id}`)).slice(0, 2)).to.deep.equal([
      'item.state denied by app',
      'item.state denied by reader',
    ]);
  });

  it('writes an id that is none as it was given, shortened', async () => {
    await clerk.post(`/items/${'x'.repeat(1000)}/notes`, { text: 'x' });
    await clerk.post('/items/a%00b/notes', { text: 'x' });
    const [odd, long] = await log(`actor=${clerk.id}&verb=item.note`);
    expect([odd?.target.id, long?.target.id]).to.deep.equal(['ab', 'x'.repeat(200)]);
  });

  it('does not write 400, 401, 413, 415, replays and what changed nothing', async () => {
    const { id } = await make();
    const options = { headers: { 'idempotency-key': 'audited-once' } };
    await clerk.post(`/items/${id}/tags`, { add: ['a'] }, options);
    const before = (await world.sql('select id from events')).length;
    await clerk.post(`/items/${id}/tags`, { add: ['a'] }, options);
    await clerk.post(`/items/${id}/tags`, { add: ['a'] });
    await clerk.post(`/items/${id}/state`, { state: 'nosuch' });
    await clerk.post(`/items/${id}/state`, { state: 1 });
    await clerk.post(`/items/${id}/notes`, undefined, { raw: `{"text":"${'x'.repeat(1024 * 1024)}"}` });
    await clerk.post(`/items/${id}/notes`, { text: 'x' }, { headers: { 'content-type': 'text/plain' } });
    await world.nobody().post(`/items/${id}/notes`, { text: 'x' });
    await clerk.call('DELETE', `/items/${id}`);
    await clerk.get('/items/itm_01jd0000000000000000000000');
    await clerk.post('/bulk', { ids: [id], operation: { type: 'state', state: 'closed' }, dryRun: true });
    expect((await world.sql('select id from events')).length).to.equal(before);
  });

  it('filters by actor, verb, target and time, which begins where it says and ends before', async () => {
    const { id } = await make();
    await clerk.post(`/items/${id}/notes`, { text: 'x' });
    await admin.post(`/items/${id}/tags`, { add: ['x'] });
    const all = await log(`target=${id}`);
    expect(told(all)).to.deep.equal([
      'item.tags ok by admin agent',
      'item.note ok by clerk agent',
      'item.create ok by clerk agent',
    ]);
    expect(told(await log(`target=${id}&actor=${admin.id}`))).to.deep.equal(['item.tags ok by admin agent']);
    expect(told(await log(`target=${id}&verb=item.note`))).to.deep.equal(['item.note ok by clerk agent']);
    const at = all[1]?.at ?? 0;
    const within = async (from: number, to: number): Promise<number> =>
      (await log(`target=${id}&verb=item.note&from=${String(from)}&to=${String(to)}`)).length;
    expect([await within(at, at + 1), await within(at + 1, at + 2), await within(at - 1, at)]).to.deep.equal([1, 0, 0]);
    expect(await log('actor=agt_01jd0000000000000000000000')).to.deep.equal([]);
  });

  it('filters by the kind of who did it, those without an id too, few entries and many', async () => {
    const item = (await make()).id;
    await (await world.person('operator', 'Ana Lind')).post(`/items/${item}/notes`, { text: 'By a person.' });
    await world.nobody().post('/sign-in', { email: 'nobody@example.com', password: 'a wrong one' });
    await (await world.appKey()).post('/items', { inbox: 'mail', title: 'By the app' });
    await clerk.post(`/items/${item}/snooze`, { until: Date.now() + 1_000 });
    await until('it woke', async () => (await log(`target=${item}&verb=item.wake`)).length === 1);
    const kinds = ['agent', 'person', 'app', 'system'];
    const read = async (query: string): Promise<readonly (readonly [string, string])[]> => {
      const found: (readonly [string, string])[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const reply: Reply = await admin.get(`/audit?${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
        found.push(...reply.body.entries.map(({ id, actor }: Entry) => [id, actor.type] as const));
        cursor = reply.body.cursor;
      }
      return found;
    };
    const all = await read('limit=200');
    for (const kind of kinds) {
      const own = all.filter(([, type]) => type === kind);
      expect(own, kind).not.to.have.length(0);
      expect(await read(`actorKind=${kind}&limit=7`), kind).to.have.deep.members(own);
    }
    expect(told(await log('actorKind=person&verb=person.signIn'))[0]).to.match(/^person.signIn denied by /);
    expect(told(await log(`actorKind=person&target=${item}`))).to.deep.equal(['item.note ok by Ana Lind']);
    const later = Date.now() + 1_000;
    await world.sql(
      `insert into events (env, at, actor_type, actor, actor_name, verb, target_type, target)
       select id, $1::bigint + n % 2000, 'agent', 'agt_' || lpad((n % 3)::text, 26, '0'), 'Many', 'item.note', 'item', 'many'
       from environments, generate_series(1, 5100) n where name = 'demo'`,
      [later],
    );
    const many = await read('actorKind=agent&limit=200');
    expect(new Set(many.map(([id]) => id)).size).to.equal(many.length);
    expect(many.length).to.equal(5_100 + all.filter(([, type]) => type === 'agent').length);
    const times = (await log('actorKind=agent')).map(({ at }) => at);
    expect(times).to.deep.equal(times.toSorted((a, b) => b - a));
    expect(await read('actorKind=app')).to.have.deep.members(all.filter(([, type]) => type === 'app'));
    const refused = await admin.get('/audit?actorKind=robot');
    expect([refused.status, refused.body.details[0].path]).to.deep.equal([400, 'actorKind']);
  });

  it('finds what was done to a record: its runs, and who approved them, page by page', async () => {
    const own = await newWorld({
      manifest: {
        ...testManifest,
        actions: [
          ...testManifest.actions,
          { name: 'credit', label: 'Credit', resource: 'customer', approval: true },
          { name: 'greet', label: 'Greet', resource: 'customer' },
        ],
      },
    });
    const people = await readDocuments(own.base);
    const ana = people.of(await own.person('admin', 'Ana Lind'));
    const bot = people.of(await own.agent('operator'));
    await own.role('mailer', [
      { on: 'audit', can: ['see'] },
      { on: 'inbox:mail', can: ['see'] },
    ]);
    const mailer = people.of(await own.agent('mailer'));
    await own.records('customer', [
      { id: 'c:1', title: 'Ada' },
      { id: 'c2', title: 'Ben' },
    ]);
    const asked = await bot.post('/actions', { action: 'credit', record: 'c:1', input: {} });
    expect(asked.status, asked.text).to.equal(202);
    await ana.post(`/approvals/${String(asked.body.approval)}/reject`, {});
    await bot.post('/actions', { action: 'greet', record: 'c:1', input: {} });
    await bot.post('/actions', { action: 'greet', record: 'c2', input: {} });
    const read = async (query: string): Promise<Entry[]> => {
      const found: Entry[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const { body }: Reply = await ana.get(`/audit?${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
        found.push(...body.entries);
        cursor = body.cursor;
      }
      return found;
    };
    const all = await read('record=customer:c:1');
    const ofRequest = all.filter(({ target: { id } }) => id === asked.body.run || id === asked.body.approval);
    expect(ofRequest.map(({ verb }) => verb)).to.include.members(['action.run', 'approval.request', 'approval.reject']);
    expect(new Set(all.map(({ target }) => target.id)).size).to.equal(3);
    expect(await read('record=customer:c:1&limit=1')).to.deep.equal(all);
    expect((await read('record=customer:c:1&verb=approval.reject')).map(({ actor }) => actor.name)).to.deep.equal([
      'Ana Lind',
    ]);
    expect((await read('record=customer:c2')).map(({ verb }) => verb)).to.include('action.run');
    expect(await read('record=customer:nobody')).to.deep.equal([]);
    for (const query of ['record=customer:c2', 'record=nothing:c2']) {
      const unseen = await mailer.get(`/audit?${query}`);
      expect([unseen.status, unseen.body.details[0].path], query).to.deep.equal([404, 'record']);
    }
    expect((await ana.get('/audit?record=c2')).status).to.equal(400);
    await own.close();
  });

  it('pages newest first, each entry once, while more come', async () => {
    const { id } = await make();
    for (let i = 0; i < 20; i++) await clerk.post(`/items/${id}/notes`, { text: String(i) });
    const whole = (await log(`target=${id}`)).map((entry) => entry.id);
    expect(whole).to.have.length(21);
    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const reply: Reply = await admin.get(`/audit?target=${id}&limit=4${cursor === '' ? '' : `&cursor=${cursor}`}`);
      paged.push(...reply.body.entries.map((entry: Entry) => entry.id));
      cursor = reply.body.cursor;
      await clerk.post(`/items/${id}/notes`, { text: 'more' });
    }
    expect(paged).to.deep.equal(whole);
    const { cursor } = (await admin.get(`/audit?target=${id}&limit=1`)).body;
    for (const query of [`cursor=${String(cursor)}`, `target=${id}&verb=item.note&cursor=${String(cursor)}`])
      expect((await admin.get(`/audit?${query}`)).body.code).to.equal('bad_cursor');
    expect((await auditor.get(`/audit?target=${id}&limit=1&cursor=${String(cursor)}`)).body.code).to.equal(
      'bad_cursor',
    );
  });

  it('is for roles that may see it', async () => {
    for (const client of [clerk, await world.agent('operator'), await world.agent('viewer')]) {
      const reply = await client.get('/audit');
      expect([reply.status, reply.body.code]).to.deep.equal([403, 'forbidden']);
    }
    expect((await auditor.get('/audit')).status).to.equal(200);
  });

  it('leaves out what belongs to inboxes that its reader can’t see, refusals too', async () => {
    const { id: secret } = await make({ inbox: 'secret', title: 'hush' }, admin);
    const { id: mail } = await make({}, admin);
    await admin.post(`/items/${secret}/notes`, { text: 'x' });
    await admin.post(`/items/${secret}/state`, { state: 'closed' }, { headers: { 'if-match': '"9"' } });
    await clerk.post(`/items/${secret}/notes`, { text: 'x' });
    await clerk.post('/items', { inbox: 'secret', title: 'x' });
    const viewer = await world.agent('viewer');
    await viewer.post('/items', { inbox: 'secret', title: 'x' });
    expect(await log(`target=${secret}`, auditor)).to.deep.equal([]);
    expect(await log('target=secret', auditor)).to.deep.equal([]);
    expect(await log(`target=${secret}`)).to.have.length(4);
    expect(await log('target=secret')).to.have.length(2);
    expect(await log(`target=${mail}`, auditor)).to.have.length(1);
    expect(JSON.stringify(await log('', auditor))).not.to.match(/secret|hush/);
  });

  it('leaves out records of resources that its reader can’t see', async () => {
    const { id } = await make({ record: { resource: 'vault', id: 'v1' } }, admin);
    const [entry] = await log(`target=${id}`);
    expect(entry?.after?.['record']).to.deep.equal({ resource: 'vault', id: 'v1', title: 'Gold' });
    const [seen] = await log(`target=${id}`, auditor);
    expect(seen?.after?.['record']).to.equal(null);
  });

  it('leaves out refused calls of others of what its reader can’t see, and of what never existed alike', async () => {
    const asked = [
      await clerk.post('/actions', { action: 'open_vault', record: 'vault:v1', input: {} }),
      await clerk.post('/actions', { action: 'no_such_action', input: {} }),
    ];
    expect(asked.map(({ status }) => status)).to.deep.equal([404, 404]);
    const refused = async (client: Client): Promise<unknown[]> =>
      (await log(`actor=${clerk.id}&verb=action.run`, client)).map(({ target }) => target.id);
    expect(await refused(admin)).to.deep.equal(['no_such_action', 'open_vault']);
    expect(await refused(auditor)).to.deep.equal([]);
  });

  it('can’t be changed or emptied by the role that API and workers use', async () => {
    const app = world.config.databaseUrl;
    const [name] = [new URL(app).username];
    if (name === new URL(world.config.migrateDatabaseUrl).username) return;
    for (const right of ['update', 'delete', 'truncate'])
      expect(
        await world.sql('select has_table_privilege($1, $2, $3) as may', [name, 'events', right]),
        right,
      ).to.deep.equal([{ may: false }]);
    await make({}, admin);
    let refusal = '';
    await world.sql(`update events set actor_name = 'x'`).catch((error: unknown) => {
      refusal = String(error);
    });
    expect(refusal).to.include('append-only');
  });
});
