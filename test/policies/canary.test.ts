/**
 * Invisible means absent: an admin puts one word into everything that a clerk can't see, and the clerk calls whatever
 * there is to call, listens and makes mistakes. The word never comes back, and where the clerk says it itself, the
 * answer is the one that a word that nobody used gets.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { connectApp, rpcError, type FakeApp, type Handler } from '../support/app.ts';
import { readDocuments, type Documents } from '../support/documented.ts';
import type { CallOptions, Client, Reply } from '../support/http.ts';
import { openLive, type Recorder } from '../support/live.ts';
import { listTools, rpc } from '../support/tools.ts';
import { newWorld, type World } from '../support/world.ts';

/** How many calls are thrown together besides those that are written down; `CANARY_CALLS=20000` in a long run. */
const thrown = Number(process.env['CANARY_CALLS'] ?? 1_500);
const word = 'canaryword';
/** Of the same length and form, and used nowhere. */
const unused = 'sparrowman';

const manifest = {
  resources: [
    {
      name: 'customer',
      source: 'stored',
      fields: [{ name: 'email', search: true }],
      relations: [{ name: 'payments', resource: 'payment', field: 'customer' }, { name: `${word}Relation`, resource: `${word}Thing`, field: 'customer' }, { name: 'thing', resource: `${word}Thing`, key: 'thing' }],
      blocks: [{ type: 'actions', title: 'Do', actions: [{ action: `${word}OnThing`, record: `${word}-1`, input: { a: word } }, { action: 'greet' }] }],
    },
    { name: 'payment', source: 'app', relations: [{ name: 'any' }, { name: `${word}Relation`, resource: `${word}Thing` }] },
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
    { name: `${word}Action`, label: word, input: { type: 'object' } },
    { name: `${word}OnThing`, label: word, resource: `${word}Thing`, danger: 'high', input: { type: 'object' } },
    { name: 'open', label: 'Open', resource: `${word}Thing` },
    { name: `${word}Asked`, label: word, resource: `${word}Thing`, approval: true, input: { type: 'object' } },
    { name: 'greet', label: 'Greet', resource: 'customer', input: { type: 'object' } },
    { name: 'look', label: 'Look' },
    { name: 'asked', label: 'Ask', resource: 'customer', approval: true, input: { type: 'object' } },
    { name: 'slow', label: 'Slow', resource: 'customer', background: true, input: { type: 'object' } },
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
  flags: [{ key: `${word}Flag`, kind: 'string', default: word, description: word }, { key: `${word}Asked`, kind: 'boolean', default: false, description: word, approval: true }, { key: 'known', kind: 'boolean', default: false }],
};

const grants = [
  { on: 'inbox:mail', can: ['*'] },
  { on: 'inbox:bugs', can: ['see'] },
  { on: 'resource:customer', can: ['see'] },
  ...['open', 'greet', 'look', 'asked', 'slow'].map((name) => ({ on: `action:${name}`, can: ['run'] })),
  { on: 'resource:payment', can: ['see'] },
  { on: 'flag:known', can: ['*'] },
  { on: 'approvals', can: ['*'] },
  { on: 'page:mixed', can: ['see'] },
];

/** What an app may answer anybody, as it doesn't know who sees what. */
const thing = { resource: `${word}Thing`, id: `${word}-1` };
const ofThing = { ...thing, title: word, subtitle: word, fields: { a: word } };
const told = (items: () => readonly string[]): object[] => [
  { type: 'items', title: 'Items', items: items().map((id) => ({ id })) },
  { type: 'record', title: word, record: ofThing },
  { type: 'actions', title: 'Actions', actions: [{ action: `${word}OnThing`, label: word, record: thing.id, input: { a: word } }, { action: `${word}Action`, label: word, input: { a: word } }, { action: 'open', label: word, record: thing.id, input: { a: word } }, { action: 'greet', record: 'c1' }] },
  { type: 'text', title: 'Fine', text: 'Fine.' },
];
/** Its answers name whatever `items` names; what it says in its own words of a run is about hidden things only where the run is. */
const talkative = (items: () => readonly string[]): Readonly<Record<string, Handler>> => ({
  'action.run': ({ action }: { action: string }) => {
    if (action.startsWith(word)) return { message: `${word} done`, blocks: [{ type: 'text', title: word, text: word }, ...told(items)] };
    if (action === 'look') throw rpcError(-32001, 'Not now.');
    return { message: 'Done.', blocks: told(items) };
  },
  'action.available': ({ refs }: { refs: { resource: string; id: string }[] }) => ({
    available: [...refs, thing].map((ref) => ({ ...ref, actions: [{ action: `${word}OnThing`, defaults: { a: word } }, { action: 'greet', defaults: { a: 1 } }], unavailable: [{ action: `${word}Action`, reason: word }] })),
  }),
  'records.search': () => ({ records: [{ id: 'p1', title: 'Payment 1', fields: { customer: 'c1' } }] }),
  'records.list': () => ({ records: [{ id: 'p1', title: 'Payment 1', fields: { customer: 'c1' } }], cursor: null }),
  'records.get': ({ ids }: { ids: string[] }) => ({ records: ids.filter((id) => id === 'p1').map((id) => ({ id, title: 'Payment 1', fields: {} })) }),
  'records.related': () => ({ records: [ofThing, { resource: 'customer', id: 'c1', title: 'Ada' }], cursor: null }),
  'item.blocks': () => ({ blocks: told(items), suggestedActions: [{ action: `${word}OnThing`, record: thing.id, input: { a: word }, reason: word }, { action: `${word}Action`, reason: word }] }),
  'record.blocks': () => ({ blocks: told(items) }),
  'page.block': () => ({ block: told(items)[1] }),
  'reply.send': () => ({}),
});

describe('the canary', function () {
  this.timeout(60_000 + thrown * 20);
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
  let app: FakeApp;
  /** Runs and approvals of all kinds, seen by the clerk or not. */
  let runs: string[] = [];
  let hiddenRuns: string[] = [];
  let approvals: string[] = [];
  let hiddenApprovals: string[] = [];

  /** What a client gets to see of an answer. */
  const shown = (reply: Reply): string => `${String(reply.status)} ${JSON.stringify([...reply.headers])} ${reply.text}`;
  const silent = (reply: Reply, what: string): Reply => {
    calls += 1;
    expect(shown(reply).toLowerCase().includes(word), `${what} answered ${shown(reply).slice(0, 1000)}`).to.equal(false);
    return reply;
  };
  const call = async (client: Client, method: string, path: string, body?: unknown, options?: CallOptions): Promise<Reply> =>
    silent(await client.call(method, path, body, options), `${method} ${path} ${JSON.stringify(body) ?? ''}`);

  /** Runs and approvals: of hidden things with the word in them, and of seen things that are about hidden ones. */
  const plant = async (): Promise<void> => {
    const [secret = '', [seen = '']] = [hidden[0], linked];
    const supervised = await world.agent('admin', { mode: 'supervised', name: 'Supervised' });
    const boss = await world.person('admin', 'Boss');
    const made = async (client: Client, path: string, body: object, kind: 'run' | 'approval'): Promise<string> => {
      const { body: answer, text } = await client.post(path, body);
      const id = answer?.[kind] as unknown;
      expect(id, `${path} ${text}`).to.be.a('string');
      return String(id);
    };
    const acted = (body: object): Promise<string> => made(admin, '/actions', body, 'run');
    const asked = (client: Client, path: string, body: object): Promise<string> => made(client, path, body, 'approval');
    const note = { note: word };
    hiddenRuns = [
      await acted({ action: `${word}Action`, input: { a: word } }), await acted({ action: `${word}Action`, input: { a: word }, item: seen }),
      await acted({ action: `${word}OnThing`, record: thing.id, input: { a: word }, confirmed: true, item: secret }),
      await acted({ action: `${word}OnThing`, record: thing.id, input: { a: word }, confirmed: true, item: seen }),
      await acted({ action: 'open', record: thing.id, item: seen }),
    ];
    runs = [
      ...hiddenRuns, await acted({ action: 'greet', record: 'c1', item: secret }), await acted({ action: 'greet', record: 'c1', item: seen }), await acted({ action: 'slow', record: 'c1', item: secret }),
      (await clerk.post('/actions', { action: 'greet', record: 'c1', item: seen })).body.run as string,
    ];
    const onThing = { action: `${word}Asked`, record: thing.id };
    const tags = { type: 'tags', add: [word], remove: [] };
    hiddenApprovals = [
      await asked(admin, '/actions', { ...onThing, input: { a: word } }), await asked(admin, '/actions', { ...onThing, input: { b: word }, item: seen }), await asked(admin, '/actions', { ...onThing, input: { c: word }, item: secret }),
      await asked(admin, '/actions', { action: 'asked', record: 'c1', input: { a: 1 }, item: secret }),
      await asked(supervised, '/actions', { action: `${word}Action`, input: { a: word }, item: seen }),
      await asked(supervised, `/items/${secret}/notes`, { text: word }), await asked(supervised, `/items/${secret}/tags`, { add: [`${word}x`] }),
      await asked(supervised, '/items', { inbox: `${word}Inbox`, title: word, data: { [word]: word } }),
      await asked(supervised, '/bulk', { ids: hidden, operation: tags }), await asked(supervised, '/bulk', { ids: [seen, secret], operation: tags }),
      await asked(supervised, '/bulk', { ids: [seen], operation: { type: 'action', action: `${word}OnThing`, input: { a: word }, confirmed: true } }),
      await asked(supervised, `/flags/${word}Flag`, { change: { value: `${word}2` } }), await asked(admin, `/flags/${word}Asked`, { change: { value: true } }),
    ];
    approvals = [
      ...hiddenApprovals,
      // Of what the clerk sees, but for the record.
      await asked(supervised, `/items/${seen}/state`, { state: 'closed' }), await asked(supervised, '/items', { inbox: 'mail', title: 'new', record: thing, links: [thing] }),
      await asked(admin, '/actions', { action: 'asked', record: 'c1' }), await asked(clerk, '/actions', { action: 'asked', record: 'c1', input: { mine: true } }),
    ];
    // Two of each kind stay pending.
    for (const id of [0, 3, 5, 8, 11].map((i) => hiddenApprovals[i] ?? '')) await boss.post(`/approvals/${id}/approve`, note);
    for (const id of [1, 4, 6].map((i) => hiddenApprovals[i] ?? '')) await boss.post(`/approvals/${id}/reject`, note);
    await admin.post(`/flags/${word}Flag`, { change: { value: word, targets: { [word]: word }, rules: [{ when: { field: word, op: 'eq', value: word }, value: word }] } });
    await world.settled();
  };

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
    app = await connectApp(await world.appKey(), { manifest, handlers: talkative(() => [...hidden, ...linked]) });
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
    await plant();
    hiddenBulk = (await admin.post('/bulk', { ids: hidden, operation: { type: 'tags', add: [`${word}-bulk`], remove: [] } })).body.bulk.id;
    ownBulk = (await clerk.post('/bulk', { ids: [...hidden, linked[0], linked[1]], operation: { type: 'state', state: 'waiting' } })).body.bulk.id;
    const there = world.elsewhere(admin, `${word}Environment`);
    await there.post('/items', { inbox: 'mail', title: word, tags: [word] });
    await world.settled();
  });
  after(async () => {
    await app.close();
    await live.close();
    await world.close();
  });

  /** Ids of everything that there is for a path that takes one. */
  const idsOf = (path: string): readonly string[] => {
    if (path.startsWith('/bulk')) return [hiddenBulk, ownBulk];
    if (path.startsWith('/runs')) return runs;
    if (path.startsWith('/approvals')) return approvals;
    return path.startsWith('/items') ? [...hidden, ...linked] : [hiddenPerson, admin.id];
  };
  const recordsOf = (path: string): string[] =>
    [['customer', 'c1'], ['customer', 'c2'], ['payment', 'p1']].flatMap(([resource = '', id = '']) =>
      (path.includes('{relation}') ? ['nosuch', 'payments', 'thing', 'any'] : ['']).map((relation) => path.replace('{resource}', resource).replace('{id}', id).replace('{relation}', relation)));

  it('is there for those who may see it', async () => {
    const { body } = await admin.get(`/items/${hidden[0] ?? ''}`);
    expect(JSON.stringify(body).split(word).length).to.be.above(10);
    expect((await admin.get(`/items?search=${word}`)).body.items).to.have.length(1);
    expect((await admin.get(`/items/${linked[0] ?? ''}`)).body.item.record.title).to.equal(`${word} thing`);
    for (const id of runs) {
      const { text, status } = await admin.get(`/runs/${id}`);
      expect([status, text.includes(word)], text).to.deep.equal([200, true]);
    }
    for (const id of hiddenApprovals) {
      const { text, status } = await admin.get(`/approvals/${id}`);
      expect([status, text.includes(word)], text).to.deep.equal([200, true]);
    }
    expect((await admin.get(`/flags/${word}Flag/history`)).text).to.include(word);
    const listed = (await clerk.get('/runs?limit=200')).body.runs.map(({ id }: { id: string }) => id) as string[];
    expect(listed).to.include.members(runs.filter((id) => !hiddenRuns.includes(id)));
    expect(hiddenRuns.filter((id) => listed.includes(id))).to.deep.equal([]);
    for (const id of hiddenApprovals) expect((await clerk.get(`/approvals/${id}`)).status, id).to.equal(404);
    for (const id of approvals.filter((one) => !hiddenApprovals.includes(one))) expect((await clerk.get(`/approvals/${id}`)).status, id).to.equal(200);
  });

  it('is in no answer of any GET, with whatever parameters', async () => {
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
      '/app': [''],
      '/me': [''],
      '/actions': ['', '?limit=1', '?limit=200'],
      '/runs': ['', '?limit=1', '?limit=200', ...['open', 'greet', 'look', 'asked', 'slow'].map((action) => `?action=${action}`), ...['pending', 'succeeded', 'failed', 'rejected'].flatMap((status) => [`?status=${status}`, `?status=${status}&action=greet`])],
      '/resources': ['', '?limit=1', '?limit=200'],
      '/resources/customer': ['', '?q=c', '?q=canary'],
      '/resources/customer/list': ['', '?limit=1', '?q=canary', '?sort=title', '?filters={}'],
      '/approvals': ['', '?limit=1', ...['pending', 'approved', 'rejected', 'expired', 'cancelled', 'stale'].flatMap((status) => [`?status=${status}`, `?status=${status}&limit=1`])],
      '/resources/payment': ['', '?q=p'],
      '/resources/payment/list': ['', '?limit=1'],
      '/flags': ['', '?limit=1', '?limit=200'],
      '/pages': ['', '?limit=1', '?limit=200'],
      '/pages/mixed': ['', '?params={}', `?params=${encodeURIComponent('{"q":"c"}')}`, '?params={"x":"y"}'],
      '/audit': ['', '?limit=1', '?limit=200', `?target=${hidden[0] ?? ''}`, `?actor=${admin.id}&limit=200`, '?verb=item.create', '?verb=item.triage', '?verb=bulk.create'],
    };
    for (const { method, path } of documents.operations) {
      if (method !== 'GET') continue;
      const plain = path.replace('{page}', 'mixed').replace('{flag}', 'known');
      const targets = path.startsWith('/resources/{resource}') ? recordsOf(path) : path.includes('{id}') ? idsOf(path).map((id) => plain.replace('{id}', id)) : [plain];
      for (const target of targets) {
        const variants = path.includes('{') && queries[target] === undefined ? ['', ...(/\/(timeline|results|history)$/.test(path) ? ['?limit=1', '?limit=200', '?cursor=x'] : ['?x=1'])] : path.startsWith('/settings') ? [''] : queries[target];
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
    }), { numRuns: Math.ceil(thrown / 3) });
    const lists: readonly string[] = [
      '/runs', '/approvals', '/actions', '/flags', '/pages', '/resources', '/inboxes', '/views', '/people', '/changes', '/pages/mixed', ...documents.operations.filter(({ method, path }) => method === 'GET' && path.startsWith('/resources/')).flatMap(({ path }) => recordsOf(path)),
      ...[...runs, ...approvals].flatMap((id) => [`/${id.startsWith('run') ? 'runs' : 'approvals'}/${id}`]), ...[...hidden, ...linked].flatMap((id) => [`/items/${id}`, `/items/${id}/timeline`]),
    ];
    const more: Readonly<Record<string, readonly string[]>> = {
      ...pools, status: ['pending', 'approved', 'rejected', 'succeeded', 'failed', 'x'], action: ['greet', 'open', 'nosuch'], q: ['c', 'canary', 'p', 'ada'], filters: ['{}', '{"email":"x"}', '{"x":1}', '['], params: ['{}', '{"q":"c"}', '{'],
      after: [start, 'x'], historyCursor: ['x', start],
    };
    // Most lists take few of them: a handful at a time, or nothing but refusals would be looked at.
    const some = fc.uniqueArray(fc.constantFrom(...Object.entries(more).flatMap(([name, values]) => values.map((value) => [name, value] as const))), { maxLength: 2, selector: ([name]) => name });
    await fc.assert(fc.asyncProperty(fc.constantFrom(...lists), some, async (path, given) => {
      await call(clerk, 'GET', `${path}?${given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`);
    }), { numRuns: Math.ceil((thrown * 2) / 3) });
  });

  it('is on no page of a list, and in no cursor', async () => {
    for (const path of ['/items?limit=1', '/items?limit=1&sort=title', '/items?limit=1&sort=-due', '/people?limit=1', '/inboxes?limit=1', `/bulk/${ownBulk}/results?limit=1`, '/runs?limit=1', '/approvals?limit=1', '/actions?limit=1', '/flags?limit=1', '/resources?limit=1', '/resources/customer/list?limit=1', `/items/${linked[0] ?? ''}/timeline?limit=1`]) {
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
    for (const verb of ['cancel', 'retry']) for (const run of runs) await call(clerk, 'POST', `/runs/${run}/${verb}`);
    for (const action of ['open', 'greet', 'look', 'asked', 'slow', 'nosuch']) {
      for (const record of ['c1', 'c2', undefined]) for (const item of [...ids, undefined]) await call(clerk, 'POST', '/actions', { action, record, item });
    }
    for (const refs of [[{ resource: 'customer', id: 'c1' }], [{ resource: 'payment', id: 'p1' }, { resource: 'customer', id: 'c2' }], []]) await call(clerk, 'POST', '/available', { refs });
    for (const body of [{ change: { value: true } }, { change: { rules: [] } }, { change: {} }, {}]) await call(clerk, 'POST', '/flags/known', body);
    for (const path of ['flags', 'flags/known']) await call(clerk, 'POST', `/ofrep/v1/evaluate/${path}`, { context: { targetingKey: 'c1' } });
    // Whoever decides is a person with the same rights.
    const decider = documents.of(await world.person('clerk', 'Decider'));
    for (const verb of ['cancel', 'approve', 'reject', 'approve']) {
      for (const id of approvals) for (const client of [clerk, decider]) await call(client, 'POST', `/approvals/${id}/${verb}`, verb === 'cancel' ? {} : { note: 'x' });
    }
    for (const path of ['/approvals?limit=200', '/approvals?status=approved', '/approvals?status=rejected', '/runs?limit=200', ...linked.map((id) => `/items/${id}`), '/resources/customer/c1']) await call(decider, 'GET', path);
    await call(clerk, 'POST', '/live/tickets');
    await world.settled();
  });

  it('is in no tool, and in no answer of one', async () => {
    const ids = [...hidden, ...linked];
    const each = (name: string, list: readonly string[], more: object = {}): [string, object][] => list.map((id) => [name, { id, ...more }]);
    const refs: readonly [string, string][] = [['customer', 'c1'], ['customer', 'c2'], ['payment', 'p1']];
    const calls: Readonly<Record<string, readonly [string, object][]>> = {
      get_item: each('get_item', ids), get_item_timeline: each('get_item_timeline', ids), set_item_state: each('set_item_state', ids, { state: 'nosuch' }), assign_item: each('assign_item', ids, { assignee: hiddenPerson }), tag_item: each('tag_item', ids, { add: ['a'] }),
      snooze_item: each('snooze_item', ids, { until: 1 }), add_note: each('add_note', ids, { text: 'x', version: 1 }), reply_to_item: each('reply_to_item', ids, { subject: 'a' }), triage_item: each('triage_item', ids, { answers: { a: 1 } }),
      get_bulk: each('get_bulk', [hiddenBulk, ownBulk]), get_bulk_results: each('get_bulk_results', [hiddenBulk, ownBulk]), cancel_bulk: each('cancel_bulk', [hiddenBulk]), undo_bulk: each('undo_bulk', [hiddenBulk]),
      get_run: each('get_run', runs), cancel_run: each('cancel_run', runs), retry_run: each('retry_run', runs), get_approval: each('get_approval', approvals), cancel_approval: each('cancel_approval', approvals),
      search_records: [['search_records', { resource: 'customer', q: 'c' }]], list_records: [['list_records', { resource: 'payment' }], ['list_records', { resource: 'customer', filters: { x: 1 } }]], get_record: refs.map(([resource, id]) => ['get_record', { resource, id }]),
      get_related_records: refs.flatMap(([resource, id]) => ['payments', 'thing', 'any', 'nosuch'].map((relation): [string, object] => ['get_related_records', { resource, id, relation }])), get_page: [['get_page', { page: 'mixed' }], ['get_page', { page: 'mixed', params: { q: 'c' } }]],
      get_flag: [['get_flag', { flag: 'known' }]], get_flag_history: [['get_flag_history', { flag: 'known' }]], change_flag: [['change_flag', { flag: 'known', change: {} }]], available_actions: [['available_actions', { refs: refs.map(([resource, id]) => ({ resource, id })) }]],
      create_item: [['create_item', { inbox: 'mail', title: 'by a tool', data: {}, user: 'u' }]], bulk_items: [['bulk_items', { ids, operation: { type: 'action', action: 'open' }, dryRun: true }]], list_people: [['list_people', { inbox: 'mail' }]], list_changes: [['list_changes', { after: start }]],
      list_items: [['list_items', {}], ['list_items', { search: 'canary', count: '1' }], ['list_items', { state: ['nosuch'] }]], list_runs: [['list_runs', { limit: 200 }]], list_approvals: ['pending', 'approved', 'rejected'].map((status): [string, object] => ['list_approvals', { status }]),
    };
    silent(await rpc(clerk, 'tools/list'), 'tools/list');
    silent(await rpc(clerk, 'initialize', { protocolVersion: '2025-11-25' }), 'initialize');
    for (const { name } of await listTools(clerk)) {
      const arguments_ = name.startsWith('action_') ? [{}, { record: 'c1' }, { record: 'c1', item: linked[0] }] : (calls[name]?.map(([, given]) => given) ?? [{}]);
      for (const given of arguments_) {
        const reply = silent(await rpc(clerk, 'tools/call', { name, arguments: given }), `${name} ${JSON.stringify(given)}`);
        expect(reply.body.result, `say with which arguments the canary calls ${name}: ${reply.text}`).to.be.an('object');
        if (calls[name] === undefined && !name.startsWith('action_')) expect(reply.body.result.isError, `say with which arguments the canary calls ${name}: ${reply.text}`).to.equal(false);
      }
    }
  });

  it('is in no message of the stream, nor in what a resumed or narrowed one says', async () => {
    const resumed = await openLive(clerk, `?after=${start}`);
    const narrowed = await openLive(clerk, '?inboxes=mail,bugs&types=item,timeline,counts,bulk,run,approval,flag');
    await admin.post(`/items/${hidden[0] ?? ''}/notes`, { text: word });
    const { body: { item } } = await admin.post('/items', { inbox: 'mail', title: 'the last one' });
    for (const recorder of [live, resumed, narrowed]) await recorder.next('the last item', (message) => message.item?.id === item.id);
    for (const recorder of [live, resumed, narrowed]) {
      expect(recorder.messages.length).to.be.above(1);
      expect(JSON.stringify(recorder.messages)).not.to.include(word);
      for (const id of hidden) expect(JSON.stringify(recorder.messages.filter((message) => message.type !== 'bulk'))).not.to.include(id);
    }
    expect(Object.keys(live.messages[0].counts).sort()).to.deep.equal(['bugs', 'mail']);
    for (const type of ['run', 'approval', 'flag', 'timeline', 'item', 'bulk']) expect(live.messages.some((message) => message.type === type), `the clerk hears of some ${type}`).to.equal(true);
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
      (probe) => ['GET', `/runs?action=${probe}Action`],
      (probe) => ['GET', `/resources/${probe}Thing`],
      (probe) => ['GET', `/resources/${probe}Thing/list`],
      (probe) => ['GET', `/resources/${probe}Thing/${probe}-1`],
      (probe) => ['GET', `/resources/customer/c1/related/${probe}Relation`],
      (probe) => ['GET', `/resources/payment/p1/related/${probe}Relation`],
      (probe) => ['GET', `/resources/customer/list?filters=${encodeURIComponent(JSON.stringify({ [`${probe}Field`]: 'x' }))}`],
      (probe) => ['GET', `/pages/${probe}Page`],
      (probe) => ['GET', `/pages/mixed?params=${encodeURIComponent(JSON.stringify({ q: probe }))}`],
      (probe) => ['GET', `/flags/${probe}Flag`],
      (probe) => ['GET', `/flags/${probe}Flag/history`],
      (probe) => ['POST', `/flags/${probe}Flag`, { change: { value: 'x' } }],
      (probe) => ['POST', `/ofrep/v1/evaluate/flags/${probe}Flag`, { context: { targetingKey: 'x' } }],
      (probe) => ['POST', '/available', { refs: [{ resource: `${probe}Thing`, id: `${probe}-1` }] }],
      (probe) => ['POST', '/actions', { action: `${probe}Action` }],
      (probe) => ['POST', '/actions', { action: `${probe}OnThing`, record: `${probe}-1`, confirmed: true }],
      (probe) => ['POST', '/actions', { action: 'open', record: `${probe}-1` }],
      (probe) => ['POST', '/actions', { action: 'greet', record: `${probe}-1` }],
      (probe) => ['POST', '/items', { inbox: `${probe}Inbox`, title: 'x' }],
      (probe) => ['POST', '/items', { inbox: 'mail', title: 'x', record: { resource: `${probe}Thing`, id: `${probe}-1` } }],
      (probe) => ['POST', '/items', { inbox: 'mail', title: 'x', links: [{ resource: `${probe}Thing`, id: `${probe}-1` }] }],
      (probe) => ['POST', `/items/${linked[0] ?? ''}/state`, { state: `${probe}State` }],
      (probe) => ['POST', '/bulk', { ids: [linked[0]], operation: { type: 'action', action: `${probe}Action` } }],
      (probe) => ['POST', '/bulk', { ids: [linked[0]], operation: { type: 'action', action: `${probe}OnThing`, confirmed: true } }],
      (probe) => ['POST', '/bulk', { ids: [linked[0]], operation: { type: 'state', state: `${probe}State` }, dryRun: true }],
    ];
    const tool = (name: string, given: object): [string, string, unknown] => ['POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }];
    const tools: readonly ((probe: string) => [string, string, unknown])[] = [
      (probe) => tool(`action_${probe}Action`, { a: probe }), (probe) => tool(`action_${probe}OnThing`, { record: `${probe}-1`, confirmed: true }), (probe) => tool(`action_${probe}Asked`, { record: `${probe}-1` }), (probe) => tool('action_open', { record: `${probe}-1` }),
      (probe) => tool('action_greet', { record: `${probe}-1` }), (probe) => tool('list_items', { inbox: `${probe}Inbox` }), (probe) => tool('list_items', { view: `${probe}View` }), (probe) => tool('get_flag', { flag: `${probe}Flag` }), (probe) => tool('get_page', { page: `${probe}Page` }),
      (probe) => tool('get_record', { resource: `${probe}Thing`, id: `${probe}-1` }), (probe) => tool('list_records', { resource: `${probe}Thing` }), (probe) => tool('create_item', { inbox: `${probe}Inbox`, title: 'x' }), (probe) => tool('get_related_records', { resource: 'customer', id: 'c1', relation: `${probe}Relation` }),
      (probe) => tool('list_runs', { action: `${probe}Action` }), (probe) => tool(`${probe}`, {}),
    ];
    for (const probe of [...probes, ...tools]) {
      const [known, unknown] = [await clerk.call(...probe(word)), await clerk.call(...probe(unused))];
      const timeless = (text: string): string => text.replace(/"at":\d+\}$/, '');
      expect(timeless(known.text.replaceAll(word, unused)), probe(word).join(' ')).to.equal(timeless(unknown.text));
      expect(known.status).to.equal(unknown.status);
    }
    const [there, nowhere] = [await world.elsewhere(clerk, `${word}Environment`).get('/items'), await world.elsewhere(clerk, `${unused}Environment`).get('/items')];
    expect([there.status, there.text]).to.deep.equal([nowhere.status, nowhere.text]);
    const twin = async (path: string) => (await clerk.get(path)).text;
    expect(await twin(`/items?assignee=${hiddenPerson}&count=1`)).to.equal(await twin('/items?assignee=per_01jd0000000000000000000000&count=1'));
  });

  it('is in nothing that an auditor of the same inboxes reads, but for bulks, actions without a record, and what was tried in vain', async () => {
    for (const query of ['?limit=200', `?actor=${admin.id}&limit=200`, ...hidden.map((id) => `?target=${id}`), `?target=${word}Inbox`, '?verb=item.create&limit=200', '?verb=item.triage&limit=200']) {
      const { body } = await auditor.get(`/audit${query}`);
      const told = (action: unknown): boolean => action === `${word}Action`;
      // What was refused is told in the words of whoever tried.
      const entries = (body.entries as { outcome: string; target: { type: string }; after: { action?: string; summary?: string } | null }[])
        .filter(({ outcome, target, after }) => outcome === 'ok' && target.type !== 'bulk' && !(after?.summary ?? '').includes(' items') && !told(after?.action));
      expect(entries.filter((entry) => JSON.stringify(entry).includes(word)), query).to.deep.equal([]);
    }
    expect((await auditor.get(`/bulk/${hiddenBulk}/results`)).body.results).to.deep.equal([]);
    await call(auditor, 'GET', `/bulk/${ownBulk}/results`);
  });

  it('was looked for in thousands of answers', () => {
    expect(calls).to.be.above(700 + thrown);
  });
});
