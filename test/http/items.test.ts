/** Items one by one over HTTP: creating, changing and reading one. */
import { expect } from 'chai';
import { readDocuments } from '../support/documented.ts';
import type { Client, Reply } from '../support/http.ts';
import { clerkGrants, testManifest } from '../support/manifest.ts';
import { patience } from '../support/patience.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const hour = 3_600_000;

const manifest = {
  ...testManifest,
  inboxes: [
    ...testManifest.inboxes,
    {
      name: 'desk',
      reply: { via: 'app' },
      responseTime: hour,
      fields: {
        type: 'object',
        required: ['email'],
        properties: { email: { type: 'string' }, seats: { type: 'integer' } },
        additionalProperties: false,
      },
      blocks: [
        { type: 'text', title: 'From', text: 'From {{item.fields.email}} about {{record.title}}' },
        { type: 'stat', title: 'Seats', value: '{{item.fields.seats}}' },
      ],
      suggest: [
        {
          when: { field: 'record.fields.plan', op: 'eq', value: 'team' },
          action: 'refund',
          input: { to: '{{record.fields.email}}' },
          reason: 'On the team plan.',
        },
        { action: 'unlock', reason: 'Of a resource that clerks do not see.' },
        { action: 'upgrade', reason: 'Not allowed to clerks.' },
        { when: { field: 'item.fields.seats', op: 'gt', value: 100 }, action: 'review' },
      ],
    },
    {
      name: 'oneWay',
      states: [
        { name: 'new', kind: 'open' },
        { name: 'old', kind: 'waiting' },
      ],
      initial: 'new',
      reply: null,
    },
  ],
  actions: [
    { name: 'upgrade', label: 'Upgrade', input: { type: 'object' } },
    { name: 'refund', label: 'Refund', resource: 'customer' },
    { name: 'unlock', label: 'Unlock', resource: 'vault' },
    { name: 'review', label: 'Review' },
  ],
};

const grants = [
  ...clerkGrants,
  { on: 'inbox:desk', can: ['*'] },
  { on: 'inbox:oneWay', can: ['*'] },
  { on: 'action:refund', can: ['run'] },
  { on: 'action:unlock', can: ['run'] },
  { on: 'action:review', can: ['run'] },
];

interface Entry {
  readonly id: string;
  readonly type: string;
  readonly at: number;
  readonly actor: { readonly type: string; readonly id: string | null; readonly name: string };
  readonly data: Readonly<Record<string, unknown>>;
}

describe('items over HTTP', () => {
  let world: World;
  let admin: Client;
  let clerk: Client;
  let viewer: Client;
  let app: Client;
  let ana: Client;
  let hidden: Client;

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', grants);
    await world.role('stranger', [{ on: 'inbox:secret', can: ['see'] }]);
    const documents = await readDocuments(world.base);
    const documented = async (client: Promise<Client>): Promise<Client> => documents.of(await client);
    admin = await documented(world.agent('admin'));
    clerk = await documented(world.agent('clerk'));
    viewer = await documented(world.agent('viewer'));
    app = await documented(world.appKey());
    ana = await documented(world.person('clerk', 'Ana Lind'));
    hidden = await world.person('stranger', 'Hidden Person');
    await world.records('customer', [
      { id: 'c 1/ä', title: 'Ada', fields: { email: 'ada@example.com', plan: 'team' } },
      { id: 'c2', title: 'Bo' },
    ]);
    await world.records('vault', [{ id: 'v1', title: 'Gold' }]);
  });
  after(() => world.close());

  let made = 0;
  const make = async (more: object = {}, client = clerk): Promise<Reply['body']> => {
    made += 1;
    const reply = await client.post('/items', { inbox: 'mail', title: `Item ${String(made)}`, ...more });
    expect(reply.status, reply.text).to.be.oneOf([200, 201]);
    return reply.body.item;
  };
  const change = (item: { id: string }, verb: string, body: object, client = clerk): Promise<Reply> =>
    client.post(`/items/${item.id}/${verb}`, body);
  const done = async (item: { id: string }, verb: string, body: object, client = clerk): Promise<Reply['body']> => {
    const reply = await change(item, verb, body, client);
    expect(reply.status, reply.text).to.be.oneOf([200, 201, 202]);
    return reply.body.item;
  };
  const detail = async (item: { id: string }, client = clerk): Promise<Reply['body']> =>
    (await client.get(`/items/${item.id}`)).body;
  const timeline = async (item: { id: string }): Promise<Entry[]> => (await detail(item, admin)).timeline as Entry[];
  const typesOf = async (item: { id: string }): Promise<string[]> => (await timeline(item)).map((entry) => entry.type);
  const refused = (reply: Reply, status: number, code: string, ...paths: string[]): void => {
    expect([reply.status, reply.body.code], reply.text).to.deep.equal([status, code]);
    if (paths.length > 0)
      expect(reply.body.details.map((place: { path: string }) => place.path)).to.include.members(paths);
  };

  describe('creating', () => {
    it('answers 201 with every member of an item, null where there is nothing', async () => {
      const reply = await clerk.post('/items', { inbox: 'bugs', title: 'Nothing else' }, {});
      refused(reply, 403, 'forbidden');
      const created = await clerk.post('/items', { inbox: 'oneWay', title: '  Kept as written  ' });
      expect(created.status).to.equal(201);
      const { item } = created.body;
      expect(item.id).to.match(/^itm_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
      expect(item).to.deep.equal({
        id: item.id,
        inbox: 'oneWay',
        title: '  Kept as written  ',
        state: 'new',
        record: null,
        tags: [],
        assignee: null,
        occurrences: 1,
        users: 0,
        firstSeen: item.createdAt,
        lastSeen: item.createdAt,
        dueAt: null,
        fields: {},
        snoozedUntil: null,
        triaged: false,
        createdAt: item.createdAt,
        updatedAt: item.createdAt,
        version: 1,
      });
      expect((await detail(item)).item).to.deep.equal(item);
    });

    it('takes record, links, tags, key and user', async () => {
      const item = await make({
        inbox: 'desk',
        data: { email: 'a@example.com', seats: 3 },
        record: { resource: 'customer', id: 'c 1/ä' },
        links: [{ resource: 'customer', id: 'c2' }],
        tags: ['zeta', 'alpha', 'zeta'],
        key: 'takes-all',
        user: 'u1',
      });
      expect(item.record).to.deep.equal({ resource: 'customer', id: 'c 1/ä', title: 'Ada' });
      expect(item.tags).to.deep.equal(['alpha', 'zeta']);
      expect(item.users).to.equal(1);
      expect(item.fields).to.deep.equal({ email: 'a@example.com', seats: 3 });
      expect((await timeline(item)).map(({ type, data, actor }) => ({ type, data, actor }))).to.deep.equal([
        { type: 'created', data: {}, actor: { type: 'agent', id: clerk.id, name: 'clerk agent' } },
      ]);
    });

    it('sets the deadline to creation plus the inbox’s response time', async () => {
      const item = await make();
      expect(item.dueAt).to.equal(item.createdAt + hour);
    });

    it('validates data against the fields of the inbox and names each offending path', async () => {
      const reply = await clerk.post('/items', { inbox: 'desk', title: 'x', data: { seats: 'three', colour: 'red' } });
      refused(reply, 400, 'invalid', 'data.email', 'data.seats', 'data.colour');
      refused(await clerk.post('/items', { inbox: 'desk', title: 'x' }), 400, 'invalid', 'data.email');
    });

    it('refuses a record or link of a resource that is unknown and one that the role can’t see in the same way', async () => {
      const of = (resource: string) =>
        clerk.post('/items', {
          inbox: 'mail',
          title: 'x',
          record: { resource, id: 'v1' },
          links: [{ resource, id: 'v1' }],
        });
      const [unseen, unknown] = [await of('vault'), await of('nosuch')];
      refused(unseen, 400, 'invalid', 'record.resource', 'links.0.resource');
      expect(unseen.text).to.equal(unknown.text);
    });

    it('holds its limits: title, tags, links, key and record ids', async () => {
      const wrong: [object, string][] = [
        [{ title: 'x'.repeat(501) }, 'title'],
        [{ title: ' \n\t ' }, 'title'],
        [{ tags: ['a,b'] }, 'tags.0'],
        [{ tags: ['t'.repeat(101)] }, 'tags.0'],
        [{ tags: Array.from({ length: 51 }, (_, i) => `t${String(i)}`) }, 'tags'],
        [{ links: Array.from({ length: 21 }, () => ({ resource: 'customer', id: 'c2' })) }, 'links'],
        [{ record: { resource: 'customer', id: '..' } }, 'record.id'],
        [{ record: { resource: 'customer', id: 'list' } }, 'record.id'],
        [{ record: { resource: 'customer', id: 'a\u0001b' } }, 'record.id'],
        [{ record: { resource: 'customer', id: 'x'.repeat(201) } }, 'record.id'],
        [{ record: { resource: 'customer', id: 'c2', more: 1 } }, 'record.more'],
        [{ key: '' }, 'key'],
        [{ inbox: '1nbox' }, 'inbox'],
      ];
      for (const [more, path] of wrong)
        refused(await clerk.post('/items', { inbox: 'mail', title: 'x', ...more }), 400, 'invalid', path);
      await make({ title: '😀'.repeat(500), tags: ['t'.repeat(100)], data: { text: 'x'.repeat(32_000) } });
    });

    it('needs the verb create there', async () => {
      refused(await viewer.post('/items', { inbox: 'mail', title: 'x' }), 403, 'forbidden');
      refused(await clerk.post('/items', { inbox: 'secret', title: 'x' }), 404, 'not_found');
    });

    it('names every missing and unknown member at once', async () => {
      refused(
        await clerk.post('/items', { titel: 'x', state: 'open' }),
        400,
        'invalid',
        'inbox',
        'title',
        'titel',
        'state',
      );
    });
  });

  describe('occurrences', () => {
    it('adds an occurrence to the item with the same key and answers 200 with it', async () => {
      const first = await make({ inbox: 'mail', key: 'k1', data: { plan: 'team' } });
      const again = await clerk.post('/items', {
        inbox: 'mail',
        title: 'Another title',
        key: 'k1',
        tags: ['new'],
        data: { plan: 'solo' },
      });
      expect(again.status).to.equal(200);
      expect(again.body.item).to.include({ id: first.id, title: first.title, occurrences: 2, version: 2 });
      expect(again.body.item.fields).to.deep.equal({ plan: 'team' });
      expect(again.body.item.tags).to.deep.equal([]);
      expect(again.headers.get('etag')).to.equal('"2"');
    });

    it('keeps keys of different inboxes apart', async () => {
      const one = await make({ key: 'apart' });
      const other = await make({ inbox: 'oneWay', key: 'apart' });
      expect(other.id).not.to.equal(one.id);
    });

    it('counts distinct users', async () => {
      const report = (user?: string) => make({ key: 'k-users', ...(user === undefined ? {} : { user }) });
      const counts = [];
      for (const user of ['u1', 'u1', 'u2', undefined, 'u3', 'u2']) counts.push((await report(user)).users);
      expect(counts).to.deep.equal([1, 1, 2, 2, 3, 3]);
    });

    it('counts each of many at the same time', async () => {
      const all = await Promise.all(
        Array.from({ length: 25 }, (_, i) => make({ key: 'k-many', user: `u${String(i % 7)}` })),
      );
      expect(new Set(all.map((item) => item.id)).size).to.equal(1);
      const { item } = await detail(all[0]);
      expect(item).to.include({ occurrences: 25, users: 7, version: 25 });
    });

    it('moves lastSeen forwards and leaves firstSeen', async () => {
      const first = await make({ key: 'k-seen' });
      await until('the clock moves on', () => Date.now() > first.lastSeen);
      const noted = await done(first, 'notes', { text: 'no activity' });
      expect(noted.lastSeen).to.equal(first.lastSeen);
      expect(noted.updatedAt).to.be.above(first.updatedAt);
      const again = await make({ key: 'k-seen' });
      expect(again.lastSeen).to.be.above(first.lastSeen);
      expect(again.firstSeen).to.equal(first.firstSeen);
    });

    it('moves a closed or waiting item to the initial state', async () => {
      for (const state of ['closed', 'waiting']) {
        const item = await make({ key: `k-${state}` });
        await done(item, 'state', { state });
        const again = await make({ key: `k-${state}` });
        expect(again.state).to.equal('open');
        expect((await typesOf(item)).slice(0, 2).sort()).to.deep.equal(['occurred', 'state']);
      }
    });

    it('reopens only the kinds that the inbox names, and wakes where it says so', async () => {
      const waiting = await make({ inbox: 'bugs', key: 'b1' }, admin);
      await done(waiting, 'state', { state: 'waiting' }, admin);
      await done(waiting, 'snooze', { until: Date.now() + hour }, admin);
      const again = await make({ inbox: 'bugs', key: 'b1' }, admin);
      expect(again).to.include({ state: 'waiting', snoozedUntil: null });
      expect(await typesOf(waiting)).to.include('woken');
    });

    it('leaves an item snoozed where the inbox does not wake', async () => {
      const item = await make({ key: 'k-asleep' });
      const until = Date.now() + hour;
      await done(item, 'snooze', { until });
      expect((await make({ key: 'k-asleep' })).snoozedUntil).to.equal(until);
    });

    it('leaves closed what triage closed', async () => {
      const item = await make({ key: 'k-triaged' });
      await done(item, 'triage', { answers: { spam: 'yes' }, close: true });
      const again = await make({ key: 'k-triaged' });
      expect(again).to.include({ state: 'closed', triaged: true, occurrences: 2, dueAt: null });
    });

    it('writes at most one occurred entry in ten minutes, the next one from where it left off', async () => {
      const again = () => make({ inbox: 'bugs', key: 'k-entries' }, admin);
      const item = await again();
      for (let i = 0; i < 4; i++) await again();
      const occurred = async () =>
        (await timeline(item)).filter((entry) => entry.type === 'occurred').map((entry) => entry.data['occurrences']);
      expect(await occurred()).to.deep.equal([{ from: 1, to: 5 }]);
      await world.sql(
        `update items set occurred_entry = jsonb_set(occurred_entry, '{at}', to_jsonb((occurred_entry ->> 'at')::bigint - 600000)) where id = $1`,
        [item.id],
      );
      await again();
      expect(await occurred()).to.deep.equal([
        { from: 5, to: 6 },
        { from: 1, to: 5 },
      ]);
    });
  });

  describe('deadlines', () => {
    it('are cleared by closing and set anew by opening again', async () => {
      const item = await make();
      const closed = await done(item, 'state', { state: 'closed' });
      expect(closed.dueAt).to.equal(null);
      const opened = await done(item, 'state', { state: 'waiting' });
      expect(opened.dueAt).to.equal(opened.updatedAt + hour);
    });

    it('stay as they are between states that are not closed', async () => {
      const item = await make();
      expect((await done(item, 'state', { state: 'waiting' })).dueAt).to.equal(item.dueAt);
    });

    it('are cleared by a reply, and set anew by the next occurrence', async () => {
      const item = await make({ key: 'k-due' });
      expect((await done(item, 'reply', { subject: 'Hello', text: 'World' })).dueAt).to.equal(null);
      const again = await make({ key: 'k-due' });
      expect(again.dueAt).to.equal(again.lastSeen + hour);
    });

    it('are not moved by an occurrence while there is one', async () => {
      const item = await make({ key: 'k-kept' });
      expect((await make({ key: 'k-kept' })).dueAt).to.equal(item.dueAt);
    });
  });

  describe('states', () => {
    it('are entered from any state where the inbox declares no transitions', async () => {
      const item = await make();
      for (const state of ['closed', 'waiting', 'open', 'closed', 'open'])
        expect((await done(item, 'state', { state })).state).to.equal(state);
      expect((await timeline(item)).filter((entry) => entry.type === 'state').map((entry) => entry.data)).to.deep.equal(
        [
          { from: 'closed', to: 'open' },
          { from: 'open', to: 'closed' },
          { from: 'waiting', to: 'open' },
          { from: 'closed', to: 'waiting' },
          { from: 'open', to: 'closed' },
        ],
      );
    });

    it('begin with the initial one, and answer 422 with those that can be reached', async () => {
      const item = await make({ inbox: 'refunds' });
      expect(item.state).to.equal('requested');
      const reply = await change(item, 'state', { state: 'paid' });
      refused(reply, 422, 'invalid_transition');
      expect(reply.body.details.map((place: { message: string }) => place.message)).to.deep.equal([
        'approved',
        'declined',
      ]);
      await done(item, 'state', { state: 'approved' });
      await done(item, 'state', { state: 'paid' });
      const end = await change(item, 'state', { state: 'requested' });
      refused(end, 422, 'invalid_transition');
      expect(end.body.details).to.deep.equal([]);
    });

    it('that are not the inbox’s answer 400 and name those that are', async () => {
      const item = await make({ inbox: 'refunds' });
      const reply = await change(item, 'state', { state: 'open' });
      refused(reply, 400, 'invalid', 'state');
      for (const state of ['requested', 'approved', 'paid', 'declined']) expect(reply.text).to.include(state);
    });

    it('set again change nothing: no version, no entry', async () => {
      const item = await make();
      const reply = await change(item, 'state', { state: 'open' });
      expect([reply.status, reply.body.changed]).to.deep.equal([200, false]);
      expect(reply.body.item).to.deep.equal(item);
      expect(await typesOf(item)).to.deep.equal(['created']);
    });

    it('raise the version by one per change, also under contention', async () => {
      const item = await make();
      const replies = await Promise.all(
        Array.from({ length: 30 }, (_, i) => change(item, 'tags', { add: [`t${String(i)}`] })),
      );
      expect(new Set(replies.map((reply) => reply.body.item.version)).size).to.equal(30);
      expect((await detail(item)).item).to.include({ version: 31 });
      expect((await detail(item)).item.tags).to.have.length(30);
    });
  });

  describe('assigning', () => {
    it('sets and unsets a person and says from whom to whom', async () => {
      const item = await make();
      expect((await done(item, 'assign', { assignee: ana.id })).assignee).to.equal(ana.id);
      expect((await change(item, 'assign', { assignee: ana.id })).body.changed).to.equal(false);
      expect((await done(item, 'assign', { assignee: null })).assignee).to.equal(null);
      expect((await change(item, 'assign', { assignee: null })).body.changed).to.equal(false);
      expect((await timeline(item)).slice(0, 2).map((entry) => entry.data)).to.deep.equal([
        { from: ana.id, to: null },
        { from: null, to: ana.id },
      ]);
    });

    it('answers the same 400 for nobody, an agent, a removed person and one who can’t see the inbox', async () => {
      const gone = await world.person('clerk', 'Gone');
      await world.sql('update people set removed_at = 1 where id = $1', [gone.id]);
      await world.revoke(gone);
      const item = await make();
      const texts = new Set<string>();
      for (const assignee of ['per_01jd0000000000000000000000', 'me', clerk.id, gone.id, hidden.id]) {
        const reply = await change(item, 'assign', { assignee });
        refused(reply, 400, 'invalid', 'assignee');
        texts.add(reply.text);
      }
      expect(texts.size).to.equal(1);
    });
  });

  describe('tags', () => {
    it('are added and removed together, sorted and once each; the entry says what really changed', async () => {
      const item = await make({ tags: ['old', 'kept'] });
      const tagged = await done(item, 'tags', { add: ['new', 'kept', 'new'], remove: ['old', 'never'] });
      expect(tagged.tags).to.deep.equal(['kept', 'new']);
      expect((await timeline(item))[0]?.data).to.deep.equal({ add: ['new'], remove: ['old'] });
    });

    it('that change nothing answer changed false', async () => {
      const item = await make({ tags: ['a'] });
      const reply = await change(item, 'tags', { add: ['a'], remove: ['b'] });
      expect(reply.body).to.deep.equal({ item, changed: false });
    });

    it('are at most 50 on an item', async () => {
      const item = await make({ tags: Array.from({ length: 49 }, (_, i) => `t${String(i)}`) });
      refused(await change(item, 'tags', { add: ['x', 'y'] }), 400, 'invalid', 'add');
      expect((await done(item, 'tags', { add: ['x', 'y'], remove: ['t0'] })).tags).to.have.length(50);
    });

    it('need something to add or remove, and no tag in both', async () => {
      const item = await make();
      refused(await change(item, 'tags', {}), 400, 'invalid');
      refused(await change(item, 'tags', { add: [], remove: [] }), 400, 'invalid');
      refused(await change(item, 'tags', { add: ['a', 'b'], remove: ['b'] }), 400, 'invalid', 'add.1');
    });
  });

  describe('snoozing', () => {
    it('sets the time, and null wakes', async () => {
      const item = await make();
      const time = Date.now() + hour;
      expect((await done(item, 'snooze', { until: time })).snoozedUntil).to.equal(time);
      expect((await change(item, 'snooze', { until: time })).body.changed).to.equal(false);
      expect((await done(item, 'snooze', { until: null })).snoozedUntil).to.equal(null);
      expect((await timeline(item)).map(({ type, data }) => ({ type, data })).slice(0, 2)).to.deep.equal([
        { type: 'woken', data: { from: time } },
        { type: 'snoozed', data: { from: null, to: time } },
      ]);
    });

    it('ends by itself within two seconds of its time', async () => {
      const item = await make();
      const time = Date.now() + 300;
      await done(item, 'snooze', { until: time });
      const woken = await until('it wakes', async () => (await timeline(item)).find((entry) => entry.type === 'woken'));
      expect(woken.actor.type).to.equal('system');
      expect(woken.data).to.deep.equal({ from: time });
      expect(woken.at - time).to.be.within(0, 2_000 * patience);
      expect((await detail(item)).item).to.include({ snoozedUntil: null, version: 3 });
    });

    it('ends with closing, and a closed item can’t be snoozed', async () => {
      const item = await make();
      await done(item, 'snooze', { until: Date.now() + hour });
      expect((await done(item, 'state', { state: 'closed' })).snoozedUntil).to.equal(null);
      refused(await change(item, 'snooze', { until: Date.now() + hour }), 409, 'conflict');
      expect((await change(item, 'snooze', { until: null })).body.changed).to.equal(false);
    });
  });

  describe('notes', () => {
    it('answer 201 with the item and the entry', async () => {
      const item = await make();
      const reply = await change(item, 'notes', { text: ' two\nlines <script>alert(1)</script> ' });
      expect(reply.status).to.equal(201);
      expect(reply.body.item.version).to.equal(2);
      const [entry] = await timeline(item);
      expect(reply.body.entry).to.deep.equal(entry);
      expect(entry).to.deep.include({ type: 'note', data: { text: ' two\nlines <script>alert(1)</script> ' } });
      expect(entry?.actor).to.deep.equal({ type: 'agent', id: clerk.id, name: 'clerk agent' });
    });

    it('are never nothing to do: the same text twice is two notes', async () => {
      const item = await make();
      await done(item, 'notes', { text: 'again' });
      await done(item, 'notes', { text: 'again' });
      expect(await typesOf(item)).to.deep.equal(['note', 'note', 'created']);
    });
  });

  describe('replies', () => {
    it('answer 202 with an entry that is sending, and stage their delivery with the change', async () => {
      const item = await make();
      const reply = await change(item, 'reply', { subject: 'Your invoice', text: 'Corrected.' });
      expect(reply.status).to.equal(202);
      expect(reply.body.entry).to.deep.include({
        type: 'reply',
        data: { subject: 'Your invoice', text: 'Corrected.', status: 'sending', error: null },
      });
      expect((await timeline(item))[0]).to.deep.equal(reply.body.entry);
      const jobs = await world.sql('select name, payload from staged_jobs where subject = $1', [item.id]);
      expect(jobs).to.deep.equal([
        { name: 'replySend', payload: { item: item.id, entry: reply.body.entry.id, dueAt: item.dueAt } },
      ]);
    });

    it('answer 409 where the inbox sends none', async () => {
      refused(await change(await make({ inbox: 'oneWay' }), 'reply', { subject: 'a', text: 'b' }), 409, 'conflict');
    });

    it('answer 422 where the item has no address', async () => {
      for (const data of [{}, { email: 'nobody' }, { email: 7 }]) {
        refused(
          await change(await make({ inbox: 'refunds', data }), 'reply', { subject: 'a', text: 'b' }),
          422,
          'action_failed',
        );
      }
      expect(
        (
          await change(await make({ inbox: 'refunds', data: { email: 'ada@example.com' } }), 'reply', {
            subject: 'a',
            text: 'b',
          })
        ).status,
      ).to.equal(202);
    });

    it('keep their 422 under an idempotency key, as an action that failed', async () => {
      const item = await make({ inbox: 'refunds' });
      const send = () =>
        clerk.post(
          `/items/${item.id}/reply`,
          { subject: 'a', text: 'b' },
          { headers: { 'idempotency-key': 'no-address' } },
        );
      const [first, second] = [await send(), await send()];
      expect([first.status, second.status, second.headers.get('idempotent-replayed')]).to.deep.equal([
        422,
        422,
        'true',
      ]);
      expect(second.text).to.equal(first.text);
    });
  });

  describe('triage', () => {
    it('keeps answers with who gave them; a later one to the same question replaces the earlier', async () => {
      const item = await make();
      await done(item, 'triage', { answers: { spam: 'no', topic: 'billing' }, reason: 'By its words.' });
      await done(item, 'triage', { answers: { topic: 'refund' } }, admin);
      const { triage } = await detail(item);
      expect(triage.closed).to.equal(false);
      expect(
        triage.answers.map(({ question, answer, by }: { question: string; answer: unknown; by: { id: string } }) => [
          question,
          answer,
          by.id,
        ]),
      ).to.deep.equal([
        ['spam', 'no', clerk.id],
        ['topic', 'refund', admin.id],
      ]);
      expect(
        (await timeline(item)).filter((entry) => entry.type === 'triage').map((entry) => entry.data),
      ).to.deep.equal([
        { answers: { topic: 'refund' }, closed: false, reason: null },
        { answers: { spam: 'no', topic: 'billing' }, closed: false, reason: 'By its words.' },
      ]);
    });

    it('takes answers of any kind, and the same ones again change nothing, in whatever order their members are', async () => {
      const item = await make();
      await done(item, 'triage', { answers: { who: { name: 'Ada', id: 1 }, sure: 0.75, tags: ['a'], none: null } });
      const again = await change(item, 'triage', { answers: { none: null, who: { id: 1, name: 'Ada' } } });
      expect(again.body).to.deep.include({ changed: false });
    });

    it('closes with close: the inbox’s first closed state, marked as triaged', async () => {
      const item = await make({ inbox: 'refunds' });
      refused(await change(item, 'triage', { answers: {}, close: true }), 422, 'invalid_transition');
      const mail = await done(await make(), 'triage', { answers: { spam: 'yes' }, close: true });
      expect(mail).to.include({ state: 'closed', triaged: true, dueAt: null });
      expect((await detail(mail)).triage.closed).to.equal(true);
      expect((await timeline(mail)).map(({ type, data }) => [type, data])).to.have.deep.members([
        ['created', {}],
        ['state', { from: 'open', to: 'closed' }],
        ['triage', { answers: { spam: 'yes' }, closed: true, reason: null }],
      ]);
    });

    it('closes with a closed state too', async () => {
      const item = await done(await make({ inbox: 'refunds' }), 'triage', { answers: {}, state: 'declined' });
      expect(item).to.include({ state: 'declined', triaged: true });
    });

    it('sets state, tags and assignee along with the answers, in one version', async () => {
      const item = await make();
      const reply = await done(item, 'triage', {
        answers: { topic: 'x' },
        state: 'waiting',
        tags: ['b', 'a'],
        assignee: ana.id,
      });
      expect(reply).to.deep.include({
        state: 'waiting',
        tags: ['a', 'b'],
        assignee: ana.id,
        version: 2,
        triaged: false,
      });
      expect((await typesOf(item)).slice(0, 4).sort()).to.deep.equal(['assigned', 'state', 'tags', 'triage']);
      expect((await done(item, 'triage', { answers: {}, assignee: null })).assignee).to.equal(null);
    });

    it('refuses close together with state, and an assignee who can’t see the inbox', async () => {
      const item = await make();
      refused(await change(item, 'triage', { answers: {}, close: true, state: 'closed' }), 400, 'invalid', 'state');
      refused(await change(item, 'triage', { answers: {}, assignee: hidden.id }), 400, 'invalid', 'assignee');
      refused(await change(item, 'triage', { answers: {}, state: 'nosuch' }), 400, 'invalid', 'state');
      refused(await change(item, 'triage', { answers: { ['q'.repeat(201)]: 1 } }), 400, 'invalid');
      refused(await change(item, 'triage', { answers: { '': 1 } }), 400, 'invalid');
      refused(await change(item, 'triage', { answers: { big: 'x'.repeat(33_000) } }), 400, 'invalid', 'answers');
      expect((await detail(item)).item.version).to.equal(1);
    });

    it('holds a bounded amount of answers on one item', async () => {
      const item = await make();
      await done(item, 'triage', { answers: { a: 'x'.repeat(20_000) } });
      refused(await change(item, 'triage', { answers: { b: 'x'.repeat(20_000) } }), 400, 'invalid', 'answers');
      await done(item, 'triage', { answers: { a: 'y'.repeat(20_000) } });
    });

    it('ends being triaged when anyone opens the item', async () => {
      const item = await make();
      await done(item, 'triage', { answers: {}, close: true });
      const opened = await done(item, 'state', { state: 'open' });
      expect(opened).to.include({ triaged: false, dueAt: opened.updatedAt + hour });
      expect((await detail(item)).triage.closed).to.equal(false);
      await done(item, 'state', { state: 'closed' });
      expect((await detail(item)).item.triaged).to.equal(false);
    });

    it('of an item that a person closed leaves its state, and marks it as triaged', async () => {
      const item = await make();
      await done(item, 'state', { state: 'closed' });
      expect(await done(item, 'triage', { answers: { late: true }, close: true })).to.include({
        state: 'closed',
        triaged: true,
      });
    });

    it('needs its own verb: an operator lacks it', async () => {
      refused(await change(await make(), 'triage', { answers: {} }, await world.agent('operator')), 403, 'forbidden');
    });
  });

  describe('the detail', () => {
    it('fills the inbox’s blocks, and carries linked records in their order', async () => {
      const item = await make({
        inbox: 'desk',
        data: { email: 'ada@example.com', seats: 3 },
        record: { resource: 'customer', id: 'c 1/ä' },
        links: [
          { resource: 'customer', id: 'c2' },
          { resource: 'customer', id: 'c 1/ä' },
          { resource: 'customer', id: 'nobody' },
        ],
      });
      const { blocks, linked, appOffline, triage, timelineCursor } = await detail(item);
      expect(blocks).to.deep.equal([
        { type: 'text', title: 'From', text: 'From ada@example.com about Ada' },
        { type: 'stat', title: 'Seats', value: 3, unit: null, change: null },
      ]);
      expect(linked.map((record: { id: string; title: string }) => [record.id, record.title])).to.deep.equal([
        ['c 1/ä', 'Ada'],
        ['c2', 'Bo'],
        ['nobody', 'nobody'],
      ]);
      expect(linked[0]).to.have.all.keys('resource', 'id', 'title', 'subtitle', 'fields', 'updatedAt');
      expect({ appOffline, triage, timelineCursor }).to.deep.equal({
        appOffline: true,
        triage: null,
        timelineCursor: null,
      });
    });

    it('suggests only actions that hold, that the role may run and whose record it sees', async () => {
      const item = await make({
        inbox: 'desk',
        data: { email: 'ada@example.com', seats: 101 },
        record: { resource: 'customer', id: 'c 1/ä' },
      });
      expect((await detail(item)).suggestedActions).to.deep.equal([
        {
          action: 'refund',
          label: 'Refund',
          record: 'c 1/ä',
          input: { to: 'ada@example.com' },
          reason: 'On the team plan.',
        },
        { action: 'review', label: 'Review', record: null, input: {}, reason: null },
      ]);
      expect((await detail(item, viewer)).suggestedActions).to.deep.equal([]);
      const vault = await make(
        { inbox: 'desk', data: { email: 'a@b' }, record: { resource: 'vault', id: 'v1' } },
        admin,
      );
      expect((await detail(vault)).suggestedActions).to.deep.equal([]);
      expect(
        (await detail(vault, admin)).suggestedActions.map(({ action }: { action: string }) => action),
      ).to.deep.equal(['unlock', 'upgrade']);
    });

    it('reads a record of an unseen resource as null everywhere', async () => {
      const item = await make(
        {
          inbox: 'desk',
          data: { email: 'a@b' },
          record: { resource: 'vault', id: 'v1' },
          links: [
            { resource: 'vault', id: 'v1' },
            { resource: 'customer', id: 'c2' },
          ],
        },
        admin,
      );
      expect(item.record).to.deep.equal({ resource: 'vault', id: 'v1', title: 'Gold' });
      const seen = await detail(item);
      expect(seen.item.record).to.equal(null);
      expect(seen.linked.map((record: { id: string }) => record.id)).to.deep.equal(['c2']);
      expect(seen.blocks[0].text).to.equal('From a@b about ');
      expect((await done(item, 'notes', { text: 'x' })).record).to.equal(null);
      expect(
        (await clerk.get('/items?inbox=desk')).body.items.find((other: { id: string }) => other.id === item.id).record,
      ).to.equal(null);
      const stale = await clerk.post(`/items/${item.id}/notes`, { text: 'x' }, { headers: { 'if-match': '"1"' } });
      expect([stale.status, stale.body.current.record]).to.deep.equal([412, null]);
    });

    it('pages the timeline newest first without a hole', async () => {
      const item = await make();
      for (let i = 0; i < 120; i++) await done(item, 'notes', { text: `note ${String(i)}` });
      const { timeline: first, timelineCursor } = await detail(item);
      expect(first).to.have.length(100);
      const rest: Entry[] = [];
      for (let cursor: string | null = timelineCursor; cursor !== null;) {
        const page = await clerk.get(`/items/${item.id}/timeline?limit=7&cursor=${cursor}`);
        expect(page.status, page.text).to.equal(200);
        rest.push(...page.body.entries);
        cursor = page.body.cursor;
      }
      const all = [...first, ...rest];
      expect(all.map((entry: Entry) => entry.data['text'] ?? entry.type)).to.deep.equal([
        ...Array.from({ length: 120 }, (_, i) => `note ${String(119 - i)}`),
        'created',
      ]);
      const whole = await clerk.get(`/items/${item.id}/timeline?limit=200`);
      expect(whole.body).to.deep.equal({ entries: all, cursor: null });
    });

    it('refuses a timeline cursor of another item', async () => {
      const [one, other] = [await make(), await make()];
      for (let i = 0; i < 2; i++) await done(one, 'notes', { text: 'x' });
      const {
        body: { cursor },
      } = await clerk.get(`/items/${one.id}/timeline?limit=1`);
      refused(await clerk.get(`/items/${other.id}/timeline?cursor=${String(cursor)}`), 400, 'bad_cursor');
    });
  });

  describe('who may what', () => {
    it('lets an app key create and triage, and nothing else', async () => {
      const item = await make({ inbox: 'secret', title: 'From the app', key: 'from-app' }, app);
      expect((await change(item, 'triage', { answers: { spam: 'no' } }, app)).status).to.equal(200);
      const [entry] = await timeline(item);
      expect(entry?.actor).to.deep.equal({ type: 'app', id: app.id, name: 'app' });
      for (const path of [
        '/items',
        `/items/${item.id}`,
        `/items/${item.id}/timeline`,
        '/me',
        '/inboxes',
        '/audit',
        '/changes',
        '/people',
      ])
        refused(await app.get(path), 403, 'forbidden');
      for (const verb of ['state', 'assign', 'tags', 'snooze', 'notes', 'reply'])
        refused(await change(item, verb, {}, app), 403, 'forbidden');
      refused(
        await app.post('/bulk', { ids: [item.id], operation: { type: 'state', state: 'closed' } }),
        403,
        'forbidden',
      );
      refused(await app.get('/items/itm_01jd0000000000000000000000'), 403, 'forbidden');
    });

    it('lets a readonly agent read everything of its role and change nothing', async () => {
      const reader = await world.agent('admin', { mode: 'readonly' });
      const item = await make();
      expect((await reader.get(`/items/${item.id}`)).status).to.equal(200);
      refused(await reader.post('/items', { inbox: 'mail', title: 'x' }), 403, 'forbidden');
      for (const [verb, body] of Object.entries({
        state: { state: 'closed' },
        assign: { assignee: null },
        tags: { add: ['x'] },
        snooze: { until: null },
        notes: { text: 'x' },
        reply: { subject: 'x', text: 'x' },
        triage: { answers: {} },
      })) {
        refused(await change(item, verb, body, reader), 403, 'forbidden');
      }
      expect((await detail(item)).item).to.deep.equal(item);
    });

    it('checks each verb by itself', async () => {
      await world.role('noter', [{ on: 'inbox:mail', can: ['note'] }]);
      const noter = await world.agent('noter');
      const item = await make();
      expect((await change(item, 'notes', { text: 'x' }, noter)).status).to.equal(201);
      for (const [verb, body] of Object.entries({
        state: { state: 'closed' },
        assign: { assignee: null },
        tags: { add: ['x'] },
        snooze: { until: null },
        reply: { subject: 'x', text: 'x' },
        triage: { answers: {} },
      })) {
        refused(await change(item, verb, body, noter), 403, 'forbidden');
      }
    });

    it('records under the name of who did it', async () => {
      const item = await make();
      await done(item, 'notes', { text: 'x' }, ana);
      expect((await timeline(item))[0]?.actor).to.deep.equal({ type: 'person', id: ana.id, name: 'Ana Lind' });
    });

    it('offers no deleting', async () => {
      const item = await make();
      const reply = await admin.call('DELETE', `/items/${item.id}`);
      refused(reply, 405, 'method_not_allowed');
      expect(reply.headers.get('allow')?.split(', ').sort()).to.deep.equal(['GET', 'HEAD', 'PATCH']);
    });
  });
});
