/** What a principal can find out: itself, inboxes, views and people, each as far as its role reaches. */
import { expect } from 'chai';
import { readDocuments } from '../support/documented.ts';
import type { Client, Reply } from '../support/http.ts';
import { clerkGrants } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

describe('discovery over HTTP', () => {
  let world: World;
  let admin: Client;
  let clerk: Client;
  let viewer: Client;
  let nobody: Client;

  before(async () => {
    world = await newWorld({ workers: false });
    const documents = await readDocuments(world.base);
    await world.role('clerk', clerkGrants);
    await world.role('nothing', []);
    admin = documents.of(await world.agent('admin'));
    clerk = documents.of(await world.agent('clerk'));
    viewer = documents.of(await world.agent('viewer'));
    nobody = documents.of(await world.agent('nothing'));
  });
  after(() => world.close());

  const names = (list: { name: string }[]): string[] => list.map(({ name }) => name);
  const refused = (reply: Reply, status: number, code: string): void => {
    expect([reply.status, reply.body.code], reply.text).to.deep.equal([status, code]);
  };

  describe('GET /me', () => {
    it('says who an agent is and what its role grants', async () => {
      const { body } = await clerk.get('/me');
      expect(body.principal).to.deep.equal({ type: 'agent', id: clerk.id, name: 'clerk agent', mode: 'normal' });
      expect(body.role.id).to.match(/^rol_/);
      expect(body.role).to.deep.include({ name: 'clerk', grants: clerkGrants });
      expect({ environment: body.environment, fresh: body.fresh }).to.deep.equal({ environment: 'demo', fresh: false });
    });

    it('says the mode of an agent', async () => {
      for (const mode of ['readonly', 'supervised'] as const)
        expect((await (await world.agent('clerk', { mode })).get('/me')).body.principal.mode).to.equal(mode);
    });

    it('says of a person whether the sign-in is fresh', async () => {
      const ana = await world.person('operator', 'Ana Lind');
      expect((await ana.get('/me')).body).to.deep.include({
        principal: { type: 'person', id: ana.id, name: 'Ana Lind', mode: 'normal' },
        fresh: false,
      });
      await world.sql('update tokens set fresh_until = $2 where principal = $1', [ana.id, Date.now() + 60_000]);
      await world.role('unrelated', []);
      expect((await ana.get('/me')).body.fresh).to.equal(true);
    });
  });

  describe('GET /inboxes', () => {
    it('lists those that the role sees, with everything that a client needs to work them', async () => {
      const { inboxes, cursor } = (await clerk.get('/inboxes')).body;
      expect(cursor).to.equal(null);
      expect(names(inboxes)).to.deep.equal(['bugs', 'mail', 'refunds']);
      expect(inboxes[2]).to.deep.equal({
        name: 'refunds',
        label: 'refunds',
        description: null,
        states: [
          { name: 'requested', description: null, kind: 'open' },
          { name: 'approved', description: null, kind: 'waiting' },
          { name: 'paid', description: null, kind: 'closed' },
          { name: 'declined', description: null, kind: 'closed' },
        ],
        initial: 'requested',
        transitions: { requested: ['approved', 'declined'], approved: ['paid'], declined: ['requested'], paid: [] },
        priorities: ['urgent', 'high', 'normal', 'low'],
        responseTime: null,
        fields: { type: 'object' },
        reasonRequired: false,
        claims: 'advise',
        unseen: 'warn',
        reply: { via: 'smtp' },
        can: ['see', 'create', 'state', 'assign', 'tags', 'snooze', 'note', 'reply', 'triage', 'edit', 'claim'],
      });
      expect(inboxes[0]).to.deep.include({
        can: ['see'],
        reply: null,
        transitions: null,
        states: [
          { name: 'open', description: null, kind: 'open' },
          { name: 'waiting', description: null, kind: 'waiting' },
          { name: 'closed', description: null, kind: 'closed' },
        ],
      });
      expect(inboxes[1]).to.deep.include({ label: 'Mail', responseTime: 3_600_000, reply: { via: 'app' } });
    });

    it('says exactly what may be done: every verb in can works, and no other', async () => {
      await world.role('tagger', [{ on: 'inbox:mail', can: ['tags', 'create'] }]);
      const tagger = await world.agent('tagger');
      expect((await tagger.get('/inboxes')).body.inboxes[0].can).to.deep.equal(['see', 'create', 'tags']);
      const { item } = (await tagger.post('/items', { inbox: 'mail', title: 'x' })).body;
      expect((await tagger.post(`/items/${String(item.id)}/tags`, { add: ['a'] })).status).to.equal(200);
      expect((await tagger.post(`/items/${String(item.id)}/notes`, { text: 'a' })).status).to.equal(403);
    });

    it('is empty for a role without grants, as are its items', async () => {
      expect((await nobody.get('/inboxes')).body).to.deep.equal({ inboxes: [], cursor: null });
      expect((await nobody.get('/items')).body).to.deep.equal({ items: [], cursor: null });
      expect((await nobody.get('/items?view=open&count=1')).body).to.deep.equal({ items: [], cursor: null, total: 0 });
    });
  });

  describe('GET /views', () => {
    it('lists views with their filters, null where a view has none, without those of inboxes that the role can’t see', async () => {
      const none = {
        description: null,
        inbox: null,
        state: null,
        tags: null,
        assignee: null,
        record: null,
        createdAfter: null,
        createdBefore: null,
        seenAfter: null,
        seenBefore: null,
        q: null,
        fields: null,
        search: null,
        priority: null,
        overdue: null,
        triaged: null,
        snoozed: null,
        sort: null,
      };
      expect((await clerk.get('/views')).body).to.deep.equal({
        views: [{ ...none, name: 'open', label: 'Open', state: 'open,requested', snoozed: '0' }],
        cursor: null,
      });
      expect((await nobody.get('/views')).body.views).to.deep.equal([
        { ...none, name: 'open', label: 'Open', state: '', snoozed: '0' },
      ]);
      expect((await admin.get('/views')).body.views[1]).to.deep.equal({
        ...none,
        name: 'secrets',
        label: 'secrets',
        inbox: 'secret',
      });
    });
  });

  describe('GET /people', () => {
    before(async () => {
      await world.role('secretive', [{ on: 'inbox:secret', can: ['see'] }]);
      for (const name of ['Zoë Öhm', 'Ada Byron', 'ada lovelace', 'Élodie Noël']) await world.person('clerk', name);
      await world.person('secretive', 'Hidden Person');
      const gone = await world.person('clerk', 'Gone Person');
      await world.sql('update people set removed_at = 1 where id = $1', [gone.id]);
      await world.revoke(gone);
      const away = await world.person('clerk', 'Away Person');
      await world.sql(`update people set environments = '{staging}' where id = $1`, [away.id]);
      await world.role('unrelated2', []);
    });

    it('lists those who can see the inbox, with their role, those who can work there first', async () => {
      const { people } = (await clerk.get('/people?inbox=mail')).body;
      expect(names(people))
        .to.include.members(['Ada Byron', 'Zoë Öhm', 'ada lovelace', 'Élodie Noël'])
        .and.not.include.members(['Hidden Person']);
      for (const name of ['Hidden Person', 'Gone Person', 'Away Person']) expect(names(people)).not.to.include(name);
      for (const person of people) expect(person).to.have.all.keys('id', 'name', 'role', 'canWork', 'openItems');
      await world.person('viewer', 'Aaron Looks On');
      const list = (await clerk.get('/people?inbox=mail')).body.people as {
        name: string;
        canWork: boolean;
        role: string;
      }[];
      expect(list.find(({ name }) => name === 'Ada Byron')).to.include({ canWork: true, role: 'clerk' });
      expect(list.find(({ name }) => name === 'Aaron Looks On')).to.include({ canWork: false, role: 'viewer' });
      const works = list.map(({ canWork }) => canWork);
      expect(works, 'those who can work come first').to.deep.equal(works.toSorted((a, b) => Number(b) - Number(a)));
      const paged: string[] = [];
      let cursor: string | null = null;
      do {
        const { body }: Reply = await clerk.get(
          `/people?inbox=mail&limit=2${cursor === null ? '' : `&cursor=${cursor}`}`,
        );
        paged.push(...names(body.people));
        cursor = body.cursor as string | null;
      } while (cursor !== null);
      expect(paged).to.deep.equal(names(list));
    });

    it('counts the open items of each, in the inboxes that the caller sees, and what it names can be assigned', async () => {
      const ana = await world.person('admin', 'Ana Busy');
      const open = async (who: Client): Promise<number> =>
        (await who.get('/people?inbox=mail&q=busy')).body.people[0].openItems as number;
      expect(await open(clerk)).to.equal(0);
      for (const [inbox, state] of [
        ['mail', 'open'],
        ['mail', 'waiting'],
        ['mail', 'closed'],
        ['refunds', 'requested'],
        ['secret', 'open'],
      ]) {
        const { item } = (await admin.post('/items', { inbox, title: 'Work' })).body;
        const assigned = await admin.post(`/items/${item.id as string}/assign`, { assignee: ana.id });
        expect(assigned.status, assigned.text).to.equal(200);
        if (state !== item.state) await admin.post(`/items/${item.id as string}/state`, { state });
      }
      expect([await open(clerk), await open(admin)]).to.deep.equal([2, 3]);
      const onlooker = (await clerk.get('/people?inbox=mail&q=aaron')).body.people[0];
      const { item } = (await clerk.post('/items', { inbox: 'mail', title: 'For whom it took' })).body;
      const taken = await clerk.post(`/items/${item.id as string}/assign`, { assignee: onlooker.id });
      expect(taken.body.item.assignee, 'who only sees the inbox').to.equal(onlooker.id);
    });

    it('searches the beginnings of the parts of a name, whatever their case', async () => {
      const found = async (q: string) =>
        names((await clerk.get(`/people?inbox=mail&q=${encodeURIComponent(q)}`)).body.people);
      expect(await found('ada')).to.deep.equal(['Ada Byron', 'ada lovelace']);
      expect(await found('LOVE')).to.deep.equal(['ada lovelace']);
      expect(await found('ada b')).to.deep.equal(['Ada Byron']);
      expect(await found('E\u0301lodie')).to.deep.equal(['Élodie Noël']);
      expect(await found('da')).to.deep.equal([]);
      expect(await found('%')).to.deep.equal([]);
    });

    it('takes up to 10 words, as every search does', async () => {
      expect((await clerk.get(`/people?q=${'a+'.repeat(9)}a`)).status).to.equal(200);
      refused(await clerk.get(`/people?q=${'a+'.repeat(10)}a`), 400, 'invalid');
    });

    it('is for roles that may assign there: 403 otherwise, 404 for an inbox that is not seen', async () => {
      refused(await clerk.get('/people?inbox=bugs'), 403, 'forbidden');
      refused(await viewer.get('/people'), 403, 'forbidden');
      refused(await nobody.get('/people'), 403, 'forbidden');
      refused(await clerk.get('/people?inbox=secret'), 404, 'not_found');
      expect((await clerk.get('/people?inbox=secret')).text).to.equal((await clerk.get('/people?inbox=nosuch')).text);
    });

    it('without an inbox lists whoever could be assigned anywhere where the caller may assign', async () => {
      expect(names((await clerk.get('/people')).body.people)).not.to.include('Hidden Person');
      expect(names((await admin.get('/people')).body.people)).to.include('Hidden Person');
    });
  });

  it('pages every short list by name, each once', async () => {
    for (const [path, plural] of [
      ['/inboxes', 'inboxes'],
      ['/people', 'people'],
      ['/views', 'views'],
    ] as const) {
      const whole = names((await admin.get(path)).body[plural]);
      const paged: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const reply: Reply = await admin.get(`${path}?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`);
        paged.push(...names(reply.body[plural]));
        cursor = reply.body.cursor;
      }
      expect(paged, path).to.deep.equal(whole);
      expect(paged).to.deep.equal([...paged].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    }
  });

  it('refuses a cursor of another list or other parameters', async () => {
    const { cursor } = (await admin.get('/inboxes?limit=1')).body;
    refused(await admin.get(`/views?cursor=${String(cursor)}`), 400, 'bad_cursor');
    const people = (await admin.get('/people?limit=1&inbox=mail')).body.cursor;
    refused(await admin.get(`/people?inbox=bugs&cursor=${String(people)}`), 400, 'bad_cursor');
    refused(await admin.get(`/people?inbox=mail&q=a&cursor=${String(people)}`), 400, 'bad_cursor');
  });

  it('follows a changed role within a second', async () => {
    const id = await world.role('changing', [{ on: 'inbox:mail', can: ['*'] }]);
    const agent = await world.agent('changing');
    expect(names((await agent.get('/inboxes')).body.inboxes)).to.deep.equal(['mail']);
    // As another process would: the row and the revision, and no word to this one.
    await world.sql(`update roles set grants = '[{"on":"inbox:bugs","can":["see"]}]' where id = $1`, [id]);
    await world.sql('update revisions set n = n + 1');
    await until(
      'the role has changed here',
      async () => names((await agent.get('/inboxes')).body.inboxes)[0] === 'bugs',
      1000,
    );
  });
});
