/**
 * Invisible means absent: an admin puts one word into everything that a clerk can't see, and the clerk calls whatever
 * there is to call, listens and makes mistakes. The word never comes back, and where the clerk says it itself, the
 * answer is the one that a word that nobody used gets.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { readDocuments, type Documents } from '../support/documented.ts';
import type { CallOptions, Client, Reply } from '../support/http.ts';
import { openLive, type Recorder } from '../support/live.ts';
import { newWorld, type World } from '../support/world.ts';

const word = 'canaryword';
/** Of the same length and form, and used nowhere. */
const unused = 'sparrowman';

const manifest = {
  resources: [
    { name: 'customer', source: 'stored', fields: [{ name: 'email', search: true }] },
    { name: `${word}Thing`, label: word, source: 'stored', fields: [{ name: `${word}Field` }] },
  ],
  inboxes: [
    {
      name: 'mail',
      responseTime: 3_600_000,
      reply: { via: 'app' },
      blocks: [{ type: 'text', title: 'Record', text: 'About {{record.title}} {{record.id}} {{record.fields.secret}} {{item.record.title}}' }],
      suggest: [
        { action: `${word}Action`, input: { a: word }, reason: word },
        { when: { field: 'record.title', op: 'startsWith', value: word }, action: 'open', reason: `because of ${word}` },
      ],
    },
    { name: 'bugs' },
    {
      name: `${word}Inbox`, label: word, states: [{ name: `${word}State`, kind: 'open' }, { name: 'closed', kind: 'closed' }],
      fields: { type: 'object', properties: { [word]: { type: 'string' } } }, reply: { via: 'app' },
    },
  ],
  views: [{ name: 'all' }, { name: `${word}View`, label: word, inbox: `${word}Inbox`, tags: word, search: word }],
  actions: [
    { name: `${word}Action`, label: word },
    { name: `${word}OnThing`, label: word, resource: `${word}Thing`, danger: 'high' },
    { name: 'open', label: 'Open', resource: `${word}Thing` },
  ],
  pages: [
    {
      name: 'mixed',
      params: [{ name: 'q' }],
      blocks: [
        { type: 'items', title: word, source: 'items', query: { inbox: `${word}Inbox` } },
        { type: 'items', title: word, source: 'items', query: { view: `${word}View` } },
        { type: 'stat', title: word, source: 'counts', query: { inbox: `${word}Inbox`, count: 'total' } },
        { type: 'table', title: word, source: 'records', query: { resource: `${word}Thing` } },
        { type: 'record', title: word, source: 'records', query: { resource: `${word}Thing`, id: `${word}-1` } },
        { type: 'items', title: 'All', source: 'items', query: { search: '{{params.q}}' } },
        { type: 'table', title: 'Counts', source: 'counts' },
        { type: 'table', title: 'Flags', source: 'flags' },
        { type: 'actions', title: 'Actions', actions: [{ action: `${word}Action` }, { action: 'open', record: `${word}-1` }] },
        { type: 'chart', title: 'App', source: 'app' },
      ],
    },
    { name: `${word}Page`, label: word, params: [{ name: word }], blocks: [{ type: 'text', text: word }] },
  ],
  flags: [{ key: `${word}Flag`, kind: 'string', default: word, description: word }],
};

const grants = [
  { on: 'inbox:mail', can: ['*'] },
  { on: 'inbox:bugs', can: ['see'] },
  { on: 'resource:customer', can: ['see'] },
  { on: 'action:open', can: ['run'] },
  { on: 'page:mixed', can: ['see'] },
];

describe('the canary', function () {
  this.timeout(60_000);
  let world: World;
  let documents: Documents;
  let admin: Client;
  let clerk: Client;
  let auditor: Client;
  let live: Recorder;
  let start = '';
  let hidden: string[] = [];
  let linked: string[] = [];
  let hiddenBulk = '';
  let ownBulk = '';
  let hiddenPerson = '';
  let calls = 0;

  /** What a client gets to see of an answer. */
  const shown = (reply: Reply): string => `${String(reply.status)} ${JSON.stringify([...reply.headers])} ${reply.text}`;
  const silent = (reply: Reply, what: string): Reply => {
    calls += 1;
    expect(shown(reply).toLowerCase().includes(word), `${what} answered ${shown(reply).slice(0, 1000)}`).to.equal(false);
    return reply;
  };
  const call = async (client: Client, method: string, path: string, body?: unknown, options?: CallOptions): Promise<Reply> =>
    silent(await client.call(method, path, body, options), `${method} ${path} ${JSON.stringify(body) ?? ''}`);

  before(async () => {
    world = await newWorld({ manifest });
    await world.environment(`${word}Environment`);
    documents = await readDocuments(world.base);
    await world.role('clerk', grants);
    await world.role(`${word}Role`, [{ on: `inbox:${word}Inbox`, can: ['*'] }]);
    await world.role('auditor', [...grants, { on: 'audit', can: ['see'] }]);
    admin = await world.agent('admin', { environments: ['*'] });
    clerk = documents.of(await world.agent('clerk'));
    auditor = documents.of(await world.agent('auditor'));
    const insider = await world.agent(`${word}Role`, { name: `${word} agent` });
    hiddenPerson = (await world.person(`${word}Role`, `${word} person`)).id;
    await world.records(`${word}Thing`, [{ id: `${word}-1`, title: `${word} thing`, fields: { secret: word, [`${word}Field`]: word } }]);
    await world.records('customer', [{ id: 'c1', title: 'Ada' }]);

    live = await openLive(clerk);
    start = (await clerk.get('/items')).headers.get('x-live-offset') ?? '';

    const inbox = `${word}Inbox`;
    const thing = { resource: `${word}Thing`, id: `${word}-1` };
    const make = async (body: object, client = admin): Promise<string> => (await client.post('/items', body)).body.item.id as string;
    hidden = [
      await make({ inbox, title: `${word} title`, tags: [word], data: { [word]: word }, record: thing, links: [thing], key: word, user: word }),
      await make({ inbox, title: `${word} title`, tags: [word], data: { [word]: word }, record: thing, links: [thing], key: word, user: `${word}2` }),
      await make({ inbox, title: 'by an insider' }, insider),
    ];
    linked = [
      await make({ inbox: 'mail', title: 'Of a hidden record', record: thing, links: [thing, { resource: 'customer', id: 'c1' }] }),
      await make({ inbox: 'bugs', title: 'Of a hidden record', record: thing }),
    ];
    for (const id of hidden) {
      await admin.post(`/items/${id}/notes`, { text: word });
      await admin.post(`/items/${id}/reply`, { subject: word, text: word });
      await admin.post(`/items/${id}/tags`, { add: [`${word}-tag`] });
      await admin.post(`/items/${id}/assign`, { assignee: hiddenPerson });
      await insider.post(`/items/${id}/triage`, { answers: { [word]: word }, reason: word });
      await admin.post(`/items/${id}/state`, { state: 'closed' });
      await admin.post(`/items/${id}/state`, { state: `${word}State` });
    }
    hiddenBulk = (await admin.post('/bulk', { ids: hidden, operation: { type: 'tags', add: [`${word}-bulk`], remove: [] } })).body.bulk.id;
    ownBulk = (await clerk.post('/bulk', { ids: [...hidden, linked[0], linked[1]], operation: { type: 'state', state: 'waiting' } })).body.bulk.id;
    const there = world.elsewhere(admin, `${word}Environment`);
    await there.post('/items', { inbox: 'mail', title: word, tags: [word] });
    await world.settled();
  });
  after(async () => {
    await live.close();
    await world.close();
  });

  it('is there for those who may see it', async () => {
    const { body } = await admin.get(`/items/${hidden[0] ?? ''}`);
    expect(JSON.stringify(body).split(word).length).to.be.above(10);
    expect((await admin.get(`/items?search=${word}`)).body.items).to.have.length(1);
    expect((await admin.get(`/items/${linked[0] ?? ''}`)).body.item.record.title).to.equal(`${word} thing`);
  });

  it('is in no answer of any GET, with whatever parameters', async () => {
    const ids = [...hidden, ...linked];
    const queries: Readonly<Record<string, readonly string[]>> = {
      '/items': [
        '', '?count=1', '?limit=1', '?limit=200&count=1', '?inbox=mail', '?inbox=bugs&count=1', '?view=all&count=1', '?assignee=none', `?assignee=${hiddenPerson}&count=1`,
        ...['0', '1'].flatMap((value) => ['overdue', 'triaged', 'snoozed'].map((name) => `?${name}=${value}&count=1`)),
        ...['lastSeen', 'firstSeen', 'occurrences', 'users', 'title', 'due'].flatMap((sort) => [`?sort=${sort}&limit=1`, `?sort=-${sort}&limit=200`]),
        ...['c', 'ca', 'canary', 'of a', 'title'].map((search) => `?search=${encodeURIComponent(search)}&count=1`),
        '?state=nosuch', '?state=open,closed', '?sort=x', '?limit=0', '?inbox=nosuch', '?view=nosuch', '?cursor=x', '?a=b',
      ],
      '/inboxes': ['', '?limit=1', '?limit=200'],
      '/views': ['', '?limit=1', '?limit=200'],
      '/people': ['', '?inbox=mail', '?q=c', '?q=canary', '?inbox=bugs', '?limit=1'],
      '/changes': ['', `?after=${start}`, `?after=${start}&limit=1`, `?after=${start}&limit=200`, '?after=x'],
      '/live': ['', '?ticket=x'],
      '/me': [''],
      '/actions': ['', '?limit=1', '?limit=200'],
      '/runs': ['', '?limit=1', '?action=open', '?status=failed'],
      '/resources': ['', '?limit=1', '?limit=200'],
      '/resources/customer': ['', '?q=c', '?q=canary'],
      '/resources/customer/list': ['', '?limit=1', '?q=canary', '?sort=title', '?filters={}'],
      '/approvals': ['', '?limit=1', '?status=approved'],
      '/pages': ['', '?limit=1', '?limit=200'],
      '/pages/mixed': ['', '?params={}', `?params=${encodeURIComponent('{"q":"c"}')}`, '?params={"x":"y"}'],
      '/audit': ['', '?limit=1', '?limit=200', `?target=${hidden[0] ?? ''}`, `?actor=${admin.id}&limit=200`, '?verb=item.create', '?verb=item.triage', '?verb=bulk.create'],
    };
    for (const { method, path } of documents.operations) {
      if (method !== 'GET') continue;
      const plain = path.replace('{page}', 'mixed').replace('{resource}', 'customer').replace('{relation}', 'nosuch');
      const targets = !path.includes('{id}') ? [plain] : (path.startsWith('/bulk') ? [hiddenBulk, ownBulk] : path.startsWith('/resources') ? ['c1', 'c2'] : ids).map((id) => plain.replace('{id}', id));
      for (const target of targets) {
        const variants = path.includes('{id}') ? ['', ...(path.endsWith('/timeline') || path.endsWith('/results') ? ['?limit=1', '?limit=200', '?cursor=x'] : ['?x=1'])] : queries[plain];
        expect(variants, `say with which parameters the canary asks ${path}`).to.be.an('array');
        for (const query of variants ?? []) await call(clerk, 'GET', target + query);
      }
    }
  });

  it('is in no answer to parameters thrown together', async () => {
    const pools: Readonly<Record<string, readonly string[]>> = {
      inbox: ['mail', 'bugs', 'nosuch'], view: ['all', 'nosuch'], state: ['open', 'waiting', 'closed', 'open,closed', 'nosuch'], tags: ['a', 'a,b', 'canary'], assignee: ['none', 'me', hiddenPerson],
      search: ['c', 'canary', 'of', 'hidden record'], overdue: ['0', '1', 'x'], triaged: ['0', '1'], snoozed: ['0', '1'], sort: ['-lastSeen', 'title', 'due', '-users', 'x'], limit: ['1', '3', '200', '0'], count: ['1'],
      cursor: ['x', start],
    };
    const query = fc.tuple(...Object.entries(pools).map(([name, values]) => fc.option(fc.constantFrom(...values).map((value) => `${name}=${encodeURIComponent(value)}`), { freq: 1, nil: '' })));
    await fc.assert(fc.asyncProperty(query, async (parts) => {
      const given = parts.filter((part) => part !== '').join('&');
      await call(clerk, 'GET', `/items?${given}`);
    }), { numRuns: 400 });
  });

  it('is on no page of a list, and in no cursor', async () => {
    for (const path of ['/items?limit=1', '/items?limit=1&sort=title', '/items?limit=1&sort=-due', '/people?limit=1', '/inboxes?limit=1', `/bulk/${ownBulk}/results?limit=1`]) {
      for (let cursor: string | null = ''; cursor !== null;) {
        const { body } = await call(clerk, 'GET', `${path}${cursor === '' ? '' : `&cursor=${cursor}`}`);
        cursor = body.cursor as string | null;
        if (cursor !== null) expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.to.include(word);
      }
    }
  });

  it('is in no answer to a change, allowed or refused', async () => {
    const bodies: Readonly<Record<string, readonly object[]>> = {
      state: [{ state: 'open' }, { state: 'nosuch' }, { state: 1 }], assign: [{ assignee: null }, { assignee: hiddenPerson }, { assignee: 'x' }], tags: [{ add: ['a'] }, { add: 'a' }],
      snooze: [{ until: null }, { until: 1 }, { until: 4_102_444_800_000 }], notes: [{ text: 'x' }, {}], reply: [{ subject: 'a', text: 'b' }, {}], triage: [{ answers: {} }, { answers: {}, close: true }],
    };
    for (const id of [...hidden, ...linked]) {
      for (const [verb, list] of Object.entries(bodies)) {
        for (const body of list) {
          await call(clerk, 'POST', `/items/${id}/${verb}`, body);
          await call(clerk, 'POST', `/items/${id}/${verb}`, body, { headers: { 'if-match': '"1"' } });
        }
      }
    }
    for (const body of [{ inbox: 'nosuch', title: 'x' }, { inbox: 'mail' }, { inbox: 'mail', title: 'x', record: { resource: 'nosuch', id: 'x' } }, { inbox: 'mail', title: 'x', key: 'mine' }]) await call(clerk, 'POST', '/items', body);
    const ids = [...hidden, ...linked];
    for (const operation of [{ type: 'state', state: 'open' }, { type: 'tags', add: ['x'] }, { type: 'assign', assignee: hiddenPerson }, { type: 'snooze', until: null }, { type: 'action', action: 'open' }, { type: 'nosuch' }]) {
      await call(clerk, 'POST', '/bulk', { ids, operation, dryRun: true });
      const { body } = await call(clerk, 'POST', '/bulk', { ids, operation });
      await world.settled();
      if (body.bulk !== undefined) await call(clerk, 'GET', `/bulk/${String(body.bulk.id)}/results`);
    }
    for (const verb of ['cancel', 'undo']) for (const bulk of [hiddenBulk, ownBulk]) await call(clerk, 'POST', `/bulk/${bulk}/${verb}`);
    await call(clerk, 'POST', '/live/tickets');
    await world.settled();
  });

  it('is in no message of the stream, nor in what a resumed or narrowed one says', async () => {
    const resumed = await openLive(clerk, `?after=${start}`);
    const narrowed = await openLive(clerk, '?inboxes=mail,bugs&types=item,timeline,counts,bulk');
    await admin.post(`/items/${hidden[0] ?? ''}/notes`, { text: word });
    const { body: { item } } = await admin.post('/items', { inbox: 'mail', title: 'the last one' });
    for (const recorder of [live, resumed, narrowed]) await recorder.next('the last item', (message) => message.item?.id === item.id);
    for (const recorder of [live, resumed, narrowed]) {
      expect(recorder.messages.length).to.be.above(1);
      expect(JSON.stringify(recorder.messages)).not.to.include(word);
      for (const id of hidden) expect(JSON.stringify(recorder.messages.filter((message) => message.type !== 'bulk'))).not.to.include(id);
    }
    expect(Object.keys(live.messages[0].counts).sort()).to.deep.equal(['bugs', 'mail']);
    await resumed.close();
    await narrowed.close();
  });

  it('answers the clerk’s own use of the word like that of a word that nobody knows', async () => {
    const probes: readonly ((probe: string) => [string, string, unknown?])[] = [
      (probe) => ['GET', `/items?inbox=${probe}Inbox`],
      (probe) => ['GET', `/items?view=${probe}View`],
      (probe) => ['GET', `/items?view=${probe}View&inbox=mail`],
      (probe) => ['GET', `/items?state=${probe}State`],
      (probe) => ['GET', `/items?tags=${probe}&count=1`],
      (probe) => ['GET', `/items?search=${probe}&count=1`],
      (probe) => ['GET', `/people?inbox=${probe}Inbox`],
      (probe) => ['GET', `/people?q=${probe}`],
      (probe) => ['GET', `/live?inboxes=${probe}Inbox`],
      (probe) => ['POST', '/items', { inbox: `${probe}Inbox`, title: 'x' }],
      (probe) => ['POST', '/items', { inbox: 'mail', title: 'x', record: { resource: `${probe}Thing`, id: `${probe}-1` } }],
      (probe) => ['POST', '/items', { inbox: 'mail', title: 'x', links: [{ resource: `${probe}Thing`, id: `${probe}-1` }] }],
      (probe) => ['POST', `/items/${linked[0] ?? ''}/state`, { state: `${probe}State` }],
      (probe) => ['POST', '/bulk', { ids: [linked[0]], operation: { type: 'action', action: `${probe}Action` } }],
      (probe) => ['POST', '/bulk', { ids: [linked[0]], operation: { type: 'action', action: `${probe}OnThing`, confirmed: true } }],
      (probe) => ['POST', '/bulk', { ids: [linked[0]], operation: { type: 'state', state: `${probe}State` }, dryRun: true }],
    ];
    for (const probe of probes) {
      const [known, unknown] = [await clerk.call(...probe(word)), await clerk.call(...probe(unused))];
      expect(known.text.replaceAll(word, unused), probe(word).join(' ')).to.equal(unknown.text);
      expect(known.status).to.equal(unknown.status);
    }
    const [there, nowhere] = [await world.elsewhere(clerk, `${word}Environment`).get('/items'), await world.elsewhere(clerk, `${unused}Environment`).get('/items')];
    expect([there.status, there.text]).to.deep.equal([nowhere.status, nowhere.text]);
    const twin = async (path: string) => (await clerk.get(path)).text;
    expect(await twin(`/items?assignee=${hiddenPerson}&count=1`)).to.equal(await twin('/items?assignee=per_01jd0000000000000000000000&count=1'));
  });

  it('is in nothing that an auditor of the same inboxes reads, but for bulks, whose operation the audit log tells', async () => {
    for (const query of ['?limit=200', `?actor=${admin.id}&limit=200`, ...hidden.map((id) => `?target=${id}`), `?target=${word}Inbox`, '?verb=item.create&limit=200', '?verb=item.triage&limit=200']) {
      const { body } = await auditor.get(`/audit${query}`);
      const entries = (body.entries as { target: { type: string } }[]).filter(({ target }) => target.type !== 'bulk');
      expect(JSON.stringify(entries).includes(word), query).to.equal(false);
    }
    expect((await auditor.get(`/bulk/${hiddenBulk}/results`)).body.results).to.deep.equal([]);
    await call(auditor, 'GET', `/bulk/${ownBulk}/results`);
  });

  it('was looked for in some hundred answers', () => {
    expect(calls).to.be.above(700);
  });
});
