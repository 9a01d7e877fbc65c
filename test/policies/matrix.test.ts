/**
 * Who may do what: every endpoint called by every kind of principal on every kind of object. The statuses stand in a
 * table that was written by hand from the contract, not computed from the code's own permissions. A new endpoint
 * without rows fails.
 */
import { expect } from 'chai';
import { readDocuments, type Documents } from '../support/documented.ts';
import type { Client, Reply } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

/**
 * The columns. `clerk` may do everything in `own`, only see `readOnly` and sees nothing of `hidden`; `none` has a role
 * without grants; `read` is a readonly clerk, `sup` a supervised one; `app` an app key; `pers` a person who is
 * operator; `gone` an agent whose token was revoked; `away` an admin's agent of another environment.
 */
const personas = ['admin', 'oper', 'view', 'clerk', 'none', 'read', 'sup', 'app', 'pers', 'gone', 'away'] as const;
type Persona = (typeof personas)[number];

/** Which inbox, or item of which inbox, or bulk of whom. `else`: of another environment; `no`: that doesn't exist. */
type Thing = 'own' | 'readOnly' | 'hidden' | 'else' | 'no' | 'clerks' | 'admins' | '';

/** A supervised agent's changes are refused until there are approvals for them. */
const rows: readonly [string, Thing, string][] = [
  //                                        admin oper view clerk none read sup  app  pers gone away
  ['GET /me', '',                          '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /inboxes', '',                     '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /views', '',                       '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /people', '',                      '200  200  403  200  403  200  200  403  200  401  404'],
  ['GET /people?inbox', 'own',             '200  200  403  200  404  200  200  403  200  401  404'],
  ['GET /people?inbox', 'readOnly',        '200  200  403  403  404  403  403  403  200  401  404'],
  ['GET /people?inbox', 'hidden',          '200  200  403  404  404  404  404  403  200  401  404'],
  ['GET /people?inbox', 'else',            '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /people?inbox', 'no',              '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /audit', '',                       '200  403  403  403  403  403  403  403  403  401  404'],
  ['GET /changes', '',                     '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /live', '',                        '426  426  426  426  426  426  426  403  426  401  404'],
  ['GET /app', '',                         '403  403  403  403  403  403  403  426  403  401  404'],
  ['POST /live/tickets', '',               '201  201  201  201  201  201  201  403  201  401  404'],

  ['GET /items', '',                       '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /items?inbox', 'own',              '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /items?inbox', 'readOnly',         '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /items?inbox', 'hidden',           '200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /items?inbox', 'else',             '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /items?inbox', 'no',               '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /items?view', 'own',               '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /items?view', 'hidden',            '200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /items?view', 'else',              '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /items?view', 'no',                '404  404  404  404  404  404  404  403  404  401  404'],

  ['GET /items/{id}', 'own',               '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /items/{id}', 'readOnly',          '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /items/{id}', 'hidden',            '200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /items/{id}', 'else',              '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /items/{id}', 'no',                '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /items/{id}/timeline', 'own',      '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /items/{id}/timeline', 'readOnly', '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /items/{id}/timeline', 'hidden',   '200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /items/{id}/timeline', 'else',     '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /items/{id}/timeline', 'no',       '404  404  404  404  404  404  404  403  404  401  404'],

  ['POST /items', 'own',                   '201  201  403  201  404  403  403  201  201  401  404'],
  ['POST /items', 'readOnly',              '201  201  403  403  404  403  403  201  201  401  404'],
  ['POST /items', 'hidden',                '201  201  403  404  404  404  404  201  201  401  404'],
  ['POST /items', 'else',                  '404  404  404  404  404  404  404  404  404  401  404'],
  ['POST /items', 'no',                    '404  404  404  404  404  404  404  404  404  401  404'],

  ['POST /items/{id}/state', 'own',        '200  200  403  200  404  403  403  403  200  401  404'],
  ['POST /items/{id}/state', 'readOnly',   '200  200  403  403  404  403  403  403  200  401  404'],
  ['POST /items/{id}/state', 'hidden',     '200  200  403  404  404  404  404  403  200  401  404'],
  ['POST /items/{id}/state', 'else',       '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /items/{id}/state', 'no',         '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /items/{id}/assign', 'own',       '200  200  403  200  404  403  403  403  200  401  404'],
  ['POST /items/{id}/assign', 'readOnly',  '200  200  403  403  404  403  403  403  200  401  404'],
  ['POST /items/{id}/assign', 'hidden',    '200  200  403  404  404  404  404  403  200  401  404'],
  ['POST /items/{id}/assign', 'else',      '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /items/{id}/assign', 'no',        '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /items/{id}/tags', 'own',         '200  200  403  200  404  403  403  403  200  401  404'],
  ['POST /items/{id}/tags', 'readOnly',    '200  200  403  403  404  403  403  403  200  401  404'],
  ['POST /items/{id}/tags', 'hidden',      '200  200  403  404  404  404  404  403  200  401  404'],
  ['POST /items/{id}/tags', 'else',        '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /items/{id}/tags', 'no',          '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /items/{id}/snooze', 'own',       '200  200  403  200  404  403  403  403  200  401  404'],
  ['POST /items/{id}/snooze', 'readOnly',  '200  200  403  403  404  403  403  403  200  401  404'],
  ['POST /items/{id}/snooze', 'hidden',    '200  200  403  404  404  404  404  403  200  401  404'],
  ['POST /items/{id}/snooze', 'else',      '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /items/{id}/snooze', 'no',        '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /items/{id}/notes', 'own',        '201  201  403  201  404  403  403  403  201  401  404'],
  ['POST /items/{id}/notes', 'readOnly',   '201  201  403  403  404  403  403  403  201  401  404'],
  ['POST /items/{id}/notes', 'hidden',     '201  201  403  404  404  404  404  403  201  401  404'],
  ['POST /items/{id}/notes', 'else',       '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /items/{id}/notes', 'no',         '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /items/{id}/reply', 'own',        '202  202  403  202  404  403  403  403  202  401  404'],
  ['POST /items/{id}/reply', 'readOnly',   '202  202  403  403  404  403  403  403  202  401  404'],
  ['POST /items/{id}/reply', 'hidden',     '202  202  403  404  404  404  404  403  202  401  404'],
  ['POST /items/{id}/reply', 'else',       '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /items/{id}/reply', 'no',         '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /items/{id}/triage', 'own',       '200  403  403  200  404  403  403  200  403  401  404'],
  ['POST /items/{id}/triage', 'readOnly',  '200  403  403  403  404  403  403  200  403  401  404'],
  ['POST /items/{id}/triage', 'hidden',    '200  403  403  404  404  404  404  200  403  401  404'],
  ['POST /items/{id}/triage', 'else',      '404  404  404  404  404  404  404  404  404  401  404'],
  ['POST /items/{id}/triage', 'no',        '404  404  404  404  404  404  404  404  404  401  404'],

  // Rights of a bulk are checked item by item when it runs; readonly and supervised agents change nothing at all.
  ['POST /bulk', 'own',                    '202  202  202  202  202  403  403  403  202  401  404'],
  ['POST /bulk', 'readOnly',               '202  202  202  202  202  403  403  403  202  401  404'],
  ['POST /bulk', 'hidden',                 '202  202  202  202  202  403  403  403  202  401  404'],
  ['POST /bulk', 'else',                   '202  202  202  202  202  403  403  403  202  401  404'],
  ['POST /bulk', 'no',                     '202  202  202  202  202  403  403  403  202  401  404'],
  ['POST /bulk dryRun', 'own',             '200  200  200  200  200  200  200  403  200  401  404'],
  ['POST /bulk dryRun', 'hidden',          '200  200  200  200  200  200  200  403  200  401  404'],
  ['POST /bulk dryRun', 'no',              '200  200  200  200  200  200  200  403  200  401  404'],
  // Visible to who asked for it and to those who see the audit log; both bulks are finished.
  ['GET /bulk/{id}', 'clerks',             '200  404  404  200  404  404  404  403  404  401  404'],
  ['GET /bulk/{id}', 'admins',             '200  404  404  404  404  404  404  403  404  401  404'],
  ['GET /bulk/{id}', 'else',               '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /bulk/{id}', 'no',                 '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /bulk/{id}/results', 'clerks',     '200  404  404  200  404  404  404  403  404  401  404'],
  ['GET /bulk/{id}/results', 'admins',     '200  404  404  404  404  404  404  403  404  401  404'],
  ['GET /bulk/{id}/results', 'else',       '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /bulk/{id}/results', 'no',         '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /bulk/{id}/cancel', 'clerks',     '403  404  404  409  404  404  404  403  404  401  404'],
  ['POST /bulk/{id}/cancel', 'admins',     '409  404  404  404  404  404  404  403  404  401  404'],
  ['POST /bulk/{id}/cancel', 'else',       '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /bulk/{id}/cancel', 'no',         '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /bulk/{id}/undo', 'clerks',       '202  404  404  202  404  404  404  403  404  401  404'],
  ['POST /bulk/{id}/undo', 'admins',       '202  404  404  404  404  404  404  403  404  401  404'],
  ['POST /bulk/{id}/undo', 'else',         '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /bulk/{id}/undo', 'no',           '404  404  404  404  404  404  404  403  404  401  404'],

  // Records are stored by app keys alone.
  ['GET /resources', '',                   '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /resources/{resource}', 'own',     '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /resources/{resource}', 'hidden',  '200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /resources/{resource}', 'else',    '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /resources/{resource}', 'no',      '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /resources/{resource}/list', 'own','200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /resources/{resource}/list', 'hidden','200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /resources/{resource}/list', 'else','404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /resources/{resource}/list', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /resources/{resource}/{id}', 'own','200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /resources/{resource}/{id}', 'hidden','200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /resources/{resource}/{id}', 'else','404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /resources/{resource}/{id}', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /resources/{resource}/{id}/related/{relation}', 'own','200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /resources/{resource}/{id}/related/{relation}', 'hidden','200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /resources/{resource}/{id}/related/{relation}', 'else','404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /resources/{resource}/{id}/related/{relation}', 'no','404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /resources/{resource}/records', 'own','403  403  403  403  404  403  403  200  403  401  404'],
  ['POST /resources/{resource}/records', 'hidden','403  403  403  404  404  404  404  200  403  401  404'],
  ['POST /resources/{resource}/records', 'else','404  404  404  404  404  404  404  404  404  401  404'],
  ['POST /resources/{resource}/records', 'no','404  404  404  404  404  404  404  404  404  401  404'],

  ['GET /pages', '',                       '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /pages/{page}', 'own',             '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /pages/{page}', 'hidden',          '200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /pages/{page}', 'else',            '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /pages/{page}', 'no',              '404  404  404  404  404  404  404  403  404  401  404'],
];

const inboxOf: Readonly<Partial<Record<Thing, string>>> = { own: 'own', readOnly: 'readOnly', hidden: 'hidden', else: 'elsewhere', no: 'nosuch' };
const responder = { via: 'app' } as const;

const resourceOf = (name: string): object => ({ name, source: 'stored', relations: [{ name: 'same', resource: name, field: 'same' }] });
const record = { id: 'rec', title: 'A record' };

const manifest = {
  resources: ['own', 'hidden'].map(resourceOf),
  inboxes: ['own', 'readOnly', 'hidden'].map((name) => ({ name, reply: responder })),
  views: ['own', 'hidden'].map((inbox) => ({ name: inbox, inbox })),
  pages: ['own', 'hidden'].map((name) => ({ name, blocks: [{ type: 'items', source: 'items', query: { inbox: name } }] })),
};
const otherManifest = { resources: [resourceOf('elsewhere')], inboxes: ['own', 'elsewhere'].map((name) => ({ name, reply: responder })), views: [{ name: 'elsewhere', inbox: 'elsewhere' }], pages: [{ name: 'elsewhere', blocks: [] }] };

const bodies: Readonly<Record<string, object>> = {
  state: { state: 'waiting' }, assign: { assignee: null }, tags: { add: ['x'] }, snooze: { until: 4_102_444_800_000 }, notes: { text: 'x' },
  reply: { subject: 'x', text: 'y' }, triage: { answers: { spam: 'no' } }, cancel: {}, undo: {}, tickets: {},
};

describe('the permission matrix', () => {
  let world: World;
  let documents: Documents;
  const clients = new Map<Persona, Client>();
  const items = new Map<Thing, string>([['no', 'itm_01jd0000000000000000000000']]);
  const bulks = new Map<Thing, string>([['no', 'blk_01jd0000000000000000000000']]);

  /** Makes a finished bulk that changed something, so that cancelling it is refused and undoing it isn't. */
  const finishedBulk = async (client: Client, item: string, tag: string): Promise<string> => {
    const { body } = await client.post('/bulk', { ids: [item], operation: { type: 'tags', add: [tag], remove: [] } });
    await world.settled();
    return body.bulk.id as string;
  };

  const send = async (endpoint: string, thing: Thing, client: Client): Promise<Reply> => {
    const [method = '', path = '', variant = ''] = endpoint.split(/[ ]/);
    const [plain = '', parameter] = path.split('?');
    const ids = plain.startsWith('/bulk') ? bulks : items;
    const query = parameter === undefined ? '' : `?${parameter}=${inboxOf[thing] ?? ''}`;
    const id = plain.startsWith('/resources') ? record.id : (ids.get(thing) ?? '');
    const target = `${plain.replace(/\{resource\}|\{page\}/, inboxOf[thing] ?? '').replace('{relation}', 'same').replace('{id}', id)}${query}`;
    if (method === 'GET') return client.get(target);
    if (plain === '/items') return client.post(target, { inbox: inboxOf[thing], title: 'x' });
    if (plain === '/bulk') return client.post(target, { ids: [items.get(thing)], operation: { type: 'snooze', until: 4_102_444_800_000 }, ...(variant === 'dryRun' ? { dryRun: true } : {}) });
    return client.post(target, bodies[plain.split('/').at(-1) ?? ''] ?? {});
  };

  before(async () => {
    world = await newWorld({ manifest });
    await world.environment('staging', otherManifest);
    documents = await readDocuments(world.base);
    const grants = [{ on: 'resource:own', can: ['see'] }, { on: 'page:own', can: ['see'] }, { on: 'inbox:own', can: ['*'] }, { on: 'inbox:readOnly', can: ['see'] }];
    await world.role('clerk', grants);
    await world.role('nothing', []);
    const made: Readonly<Record<Persona, Client>> = {
      admin: await world.agent('admin'),
      oper: await world.agent('operator'),
      view: await world.agent('viewer'),
      clerk: await world.agent('clerk'),
      none: await world.agent('nothing'),
      read: await world.agent('clerk', { mode: 'readonly' }),
      sup: await world.agent('clerk', { mode: 'supervised' }),
      app: await world.appKey(),
      pers: await world.person('operator'),
      gone: await world.agent('admin'),
      away: await world.agent('admin', { environments: ['staging'] }),
    };
    for (const persona of personas) clients.set(persona, documents.of(made[persona]));
    const { admin, clerk, away } = made;
    for (const inbox of ['own', 'readOnly', 'hidden'] as const) items.set(inbox, (await admin.post('/items', { inbox, title: inbox })).body.item.id);
    const there = world.elsewhere(away, 'staging');
    items.set('else', (await there.post('/items', { inbox: 'elsewhere', title: 'x' })).body.item.id);
    for (const resource of ['own', 'hidden']) await world.records(resource, [record]);
    await world.records('elsewhere', [record], 'staging');
    bulks.set('clerks', await finishedBulk(clerk, items.get('own') ?? '', 'clerks'));
    bulks.set('admins', await finishedBulk(admin, items.get('own') ?? '', 'admins'));
    bulks.set('else', await finishedBulk(there, items.get('else') ?? '', 'else'));
    await world.revoke(made.gone);
  });
  after(() => world.close());

  it('has rows for every endpoint, and at least 690 cells', () => {
    const named = new Set(rows.map(([endpoint]) => endpoint.replace(/\?.*| dryRun/, '')));
    // Those of settings and sign-in stand in settingsMatrix.test.ts.
    const endpoints = documents.operations.filter(({ path }) => !/^\/(?:settings|sign-)/.test(path)).map(({ method, path }) => `${method} ${path}`);
    expect(endpoints.filter((endpoint) => !named.has(endpoint)), 'add rows for the new endpoint to this table').to.deep.equal([]);
    expect([...named].filter((endpoint) => !endpoints.includes(endpoint)), 'these rows have no endpoint any more').to.deep.equal([]);
    for (const [endpoint, , statuses] of rows) expect(statuses.split(/ +/), endpoint).to.have.length(personas.length);
    expect(rows.length * personas.length).to.be.at.least(690);
  });

  for (const [endpoint, thing, statuses] of rows) {
    it(`${endpoint} ${thing}: ${statuses.replace(/ +/g, ' ')}`, async () => {
      const wanted = statuses.split(/ +/);
      const got: string[] = [];
      for (const persona of personas) got.push(String((await send(endpoint, thing, clients.get(persona) ?? world.nobody())).status));
      const cells = (list: readonly string[]): string[] => personas.map((persona, i) => `${persona} ${list[i] ?? ''}`);
      expect(cells(got)).to.deep.equal(cells(wanted));
    });
  }

  it('answers what is hidden and what doesn’t exist with the same bytes, headers included', async () => {
    const own = new Set(['x-request-id', 'date', 'ratelimit']);
    const shown = ({ status, text, headers }: Reply): object => ({ status, text, headers: [...headers].filter(([name]) => !own.has(name)) });
    let compared = 0;
    for (const [endpoint, thing, statuses] of rows) {
      if (thing === 'no' || endpoint.startsWith('POST /bulk ') || endpoint === 'POST /bulk') continue;
      for (const [i, status] of statuses.split(/ +/).entries()) {
        const persona = personas[i];
        const client = persona === undefined ? undefined : clients.get(persona);
        if (status !== '404' || client === undefined || persona === 'away') continue;
        const [hidden, none] = [await send(endpoint, thing, client), await send(endpoint, 'no', client)];
        expect(shown(hidden), `${endpoint} ${thing} ${String(persona)}`).to.deep.equal(shown(none));
        compared += 1;
      }
    }
    expect(compared).to.be.above(100);
  });

  it('changes nothing that was refused', async () => {
    const { admin, clerk } = Object.fromEntries(clients) as Record<Persona, Client>;
    const hidden = (await admin.get(`/items/${items.get('hidden') ?? ''}`)).body.timeline as { actor: { id: string } }[];
    const allowed = new Set([...clients].filter(([persona]) => ['admin', 'oper', 'app', 'pers'].includes(persona)).map(([, client]) => client.id));
    expect(hidden.filter(({ actor }) => !allowed.has(actor.id))).to.deep.equal([]);
    const readOnly = (await admin.get(`/items/${items.get('readOnly') ?? ''}`)).body.timeline as { actor: { id: string } }[];
    expect(readOnly.filter(({ actor }) => !allowed.has(actor.id))).to.deep.equal([]);
    const ownOnes = (await admin.get(`/items/${items.get('own') ?? ''}`)).body.timeline as { actor: { id: string } }[];
    expect(ownOnes.filter(({ actor }) => !allowed.has(actor.id) && actor.id !== clerk.id)).to.deep.equal([]);
  });
});
