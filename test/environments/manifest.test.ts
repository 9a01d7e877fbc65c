/** Manifests: every problem at once with its path, and what of a running environment a new one may not change. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { manifestProblems } from '../../shared/environments/readManifest.ts';
import { connectApp, type RpcFailed } from '../support/app.ts';
import type { Client } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { newWorld, type World } from '../support/world.ts';

const paths = (manifest: unknown): string[] => manifestProblems(manifest).map(({ path }) => path);
const whole = (parts: object): object => ({
  resources: [{ name: 'customer', source: 'stored', fields: [{ name: 'email' }] }],
  inboxes: [{ name: 'mail' }],
  actions: [{ name: 'ping' }],
  ...parts,
});

describe('manifests', () => {
  it('of the demo and of the tests hold', () => {
    expect(
      manifestProblems(
        JSON.parse(readFileSync(new URL('../../shared/tools/demo/manifest.json', import.meta.url), 'utf8')),
      ),
    ).to.deep.equal([]);
    expect(manifestProblems(testManifest)).to.deep.equal([]);
    expect(manifestProblems({})).to.deep.equal([]);
  });

  const wrong: Readonly<Record<string, readonly (readonly [object, readonly string[]])[]>> = {
    'names that are there twice': [
      [{ inboxes: [{ name: 'mail' }, { name: 'mail' }] }, ['inboxes.1']],
      [{ actions: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] }, ['actions.2']],
      [
        {
          flags: [
            { key: 'f', kind: 'string', default: '' },
            { key: 'f', kind: 'string', default: '' },
          ],
        },
        ['flags.1'],
      ],
      [
        { resources: [{ name: 'r', source: 'stored', fields: [{ name: 'a' }, { name: 'a' }], relations: [] }] },
        ['resources.0.fields.1'],
      ],
      [
        {
          inboxes: [
            {
              name: 'mail',
              states: [
                { name: 'a', kind: 'open' },
                { name: 'a', kind: 'closed' },
              ],
            },
          ],
        },
        ['inboxes.0.states.1'],
      ],
      [{ pages: [{ name: 'p', params: [{ name: 'a' }, { name: 'a' }], blocks: [] }] }, ['pages.0.params.1.name']],
    ],
    'names of what is not there': [
      [
        { inboxes: [{ name: 'mail', initial: 'new', transitions: { lost: ['open'], open: ['gone'] } }] },
        ['inboxes.0.initial', 'inboxes.0.transitions.lost', 'inboxes.0.transitions.open.0'],
      ],
      [
        {
          inboxes: [
            {
              name: 'mail',
              suggest: [{ action: 'nothing' }],
              triage: { rules: [{ when: { all: [] }, state: 'gone' }] },
            },
          ],
        },
        ['inboxes.0.suggest.0.action', 'inboxes.0.triage.rules.0.state'],
      ],
      [{ actions: [{ name: 'a', resource: 'ghost' }] }, ['actions.0.resource']],
      [{ flags: [{ key: 'f', kind: 'boolean', default: true, resource: 'ghost' }] }, ['flags.0.resource']],
      [
        { resources: [{ name: 'r', source: 'stored', relations: [{ name: 'x', resource: 'ghost', field: 'a' }] }] },
        ['resources.0.relations.0.resource'],
      ],
      [
        {
          views: [
            { name: 'v', inbox: 'ghost' },
            { name: 'w', inbox: 'mail', state: 'open,gone' },
            { name: 'x', state: 'nowhere' },
          ],
        },
        ['views.0.inbox', 'views.1.state', 'views.2.state'],
      ],
      [
        {
          pages: [
            {
              name: 'p',
              blocks: [
                { type: 'items', source: 'items', query: { view: 'ghost' } },
                { type: 'stat', source: 'counts', query: { inbox: 'ghost' } },
                { type: 'table', source: 'records', query: { resource: 'ghost' } },
              ],
            },
          ],
        },
        ['pages.0.blocks.0.query.view', 'pages.0.blocks.1.query.inbox', 'pages.0.blocks.2.query.resource'],
      ],
    ],
    'filters that no list takes': [
      [
        {
          views: [
            { name: 'v', assignee: 'somebody' },
            { name: 'w', tags: 'x'.repeat(200) },
            { name: 'x', state: '' },
          ],
        },
        ['views.0.assignee.0', 'views.1.tags.0', 'views.2.state'],
      ],
    ],
    'relations that can’t be followed': [
      [
        {
          resources: [
            {
              name: 'r',
              source: 'stored',
              relations: [
                { name: 'a', resource: 'r' },
                { name: 'b', resource: 'r', field: 'x', key: 'y' },
                { name: 'c', field: 'x' },
              ],
            },
          ],
        },
        ['resources.0.relations.0', 'resources.0.relations.1.key', 'resources.0.relations.2.resource'],
      ],
    ],
    schemas: [
      [{ inboxes: [{ name: 'mail', fields: { type: 'array' } }] }, ['inboxes.0.fields.type']],
      [
        { actions: [{ name: 'a', input: { properties: { x: { pattern: '(?!x)' }, y: { $ref: 'http://x' } } } }] },
        ['actions.0.input.properties.x.pattern', 'actions.0.input.properties.y.$ref'],
      ],
      [{ actions: [{ name: 'a', input: { enum: [] } }] }, ['actions.0.input']],
    ],
    conditions: [
      [{ actions: [{ name: 'a', when: { any: [{ field: 'record.x', op: 'like' }] } }] }, ['actions.0.when.any.0.op']],
      [
        {
          inboxes: [
            {
              name: 'mail',
              suggest: [{ action: 'ping', when: { field: 'a', op: 'in', value: 1 } }],
              triage: { rules: [{ when: {} }] },
            },
          ],
        },
        ['inboxes.0.suggest.0.when.value', 'inboxes.0.triage.rules.0.when.field', 'inboxes.0.triage.rules.0.when.op'],
      ],
    ],
    'texts in the order of numbers': [
      [
        {
          resources: [
            {
              name: 'order',
              source: 'stored',
              fields: [
                { name: 'total', type: 'money' },
                { name: 'count', type: 'number' },
              ],
            },
          ],
          inboxes: [
            {
              name: 'mail',
              fields: { type: 'object', properties: { amount: { type: 'number' } } },
              suggest: [{ action: 'pay', when: { not: { field: 'item.fields.amount', op: 'gt', value: '50' } } }],
              triage: { rules: [{ when: { field: 'record.fields.total', op: 'lt', value: '50' }, close: true }] },
            },
          ],
          actions: [
            { name: 'pay', resource: 'order', when: { field: 'record.fields.total', op: 'lte', value: '50' } },
            {
              name: 'ship',
              resource: 'order',
              when: { if: { any: [{ field: 'record.fields.count', op: 'gte', value: '9' }] }, otherwise: 'Too few.' },
            },
          ],
        },
        [
          'inboxes.0.suggest.0.when.not.value',
          'inboxes.0.triage.rules.0.when.value',
          'actions.0.when.value',
          'actions.1.when.if.any.0.value',
        ],
      ],
    ],
    'triage rules that contradict themselves': [
      [
        { inboxes: [{ name: 'mail', triage: { rules: [{ when: { all: [] }, close: true, state: 'closed' }] } }] },
        ['inboxes.0.triage.rules.0.state'],
      ],
      [
        {
          inboxes: [
            {
              name: 'mail',
              states: [{ name: 'a', kind: 'open' }],
              triage: { rules: [{ when: { all: [] }, close: true }] },
            },
          ],
        },
        ['inboxes.0.triage.rules.0.close'],
      ],
    ],
    'templates and defaults': [
      [
        { actions: [{ name: 'a', resource: 'customer', input: { type: 'object' }, defaults: { to: '{{item.x}}' } }] },
        ['actions.0.defaults'],
      ],
      [{ actions: [{ name: 'a', defaults: { to: 'x' } }] }, ['actions.0.defaults.to']],
      [
        {
          inboxes: [
            {
              name: 'mail',
              suggest: [{ action: 'ping', input: { a: '{{params.x}}' } }],
              reply: { via: 'smtp', from: 'a@b', to: '{{items.x}}' },
            },
          ],
        },
        ['inboxes.0.suggest.0.input', 'inboxes.0.reply.to'],
      ],
      [
        { inboxes: [{ name: 'mail', reply: { via: 'smtp', from: 'a@b\r\nBcc: c@d', to: 'x' } }] },
        ['inboxes.0.reply.from'],
      ],
      [
        {
          inboxes: [
            {
              name: 'mail',
              blocks: [
                { type: 'text', text: '{{item.title}}'.repeat(101) },
                { type: 'text', text: 'x'.repeat(70_000) },
              ],
            },
          ],
        },
        ['inboxes.0.blocks.0', 'inboxes.0.blocks.1'],
      ],
    ],
    blocks: [
      [
        {
          inboxes: [
            {
              name: 'mail',
              blocks: [
                { type: 'tex' },
                { type: 'text' },
                { type: 'link', url: 'javascript:x' },
                { type: 'text', text: '{{params.a}}' },
              ],
            },
          ],
        },
        ['inboxes.0.blocks.0.type', 'inboxes.0.blocks.1', 'inboxes.0.blocks.2', 'inboxes.0.blocks.3'],
      ],
      [
        { resources: [{ name: 'customer', source: 'stored', blocks: [{ type: 'text', text: '{{item.title}}' }] }] },
        ['resources.0.blocks.0'],
      ],
      [
        {
          pages: [
            {
              name: 'p',
              blocks: [
                { type: 'text', source: 'items' },
                { type: 'stat', source: 'magic' },
                { type: 'table', source: 'flags', query: { a: 1 }, columns: [{}] },
                { type: 'text', text: '{{params.ghost}}' },
              ],
            },
          ],
        },
        [
          'pages.0.blocks.0.source',
          'pages.0.blocks.1.source',
          'pages.0.blocks.2.query.a',
          'pages.0.blocks.2.columns.0.name',
          'pages.0.blocks.3',
        ],
      ],
      [
        {
          pages: [
            {
              name: 'p',
              params: [{ name: 'n' }],
              blocks: [
                { type: 'items', source: 'items', query: { inbox: '{{params.n}}', limit: 500, sort: 'colour' } },
                { type: 'record', source: 'records', query: { resource: 'customer' } },
              ],
            },
          ],
        },
        ['pages.0.blocks.0.query.limit', 'pages.0.blocks.0.query.sort', 'pages.0.blocks.1.query.id'],
      ],
    ],
    'flags whose default is of another kind': [
      [
        {
          flags: [
            { key: 'f', kind: 'boolean', default: 'yes' },
            { key: 'g', kind: 'number', default: '1' },
            { key: 'h', kind: 'json', default: null },
          ],
        },
        ['flags.0.default', 'flags.1.default'],
      ],
    ],
    'times beyond the limits': [
      [
        { actions: [{ name: 'a', timeout: 86_400_001, offlineExpiry: 7 * 86_400_000 + 1 }] },
        ['actions.0.timeout', 'actions.0.offlineExpiry'],
      ],
    ],
  };
  for (const [what, cases] of Object.entries(wrong)) {
    it(`refuse ${what}`, () => {
      for (const [parts, wanted] of cases)
        expect(
          [...new Set(paths(whole(parts)))],
          JSON.stringify(manifestProblems(whole(parts))).slice(0, 1000),
        ).to.include.members([...wanted]);
    });
  }

  it('take numbers in the order of numbers, and texts in that of other fields', () => {
    const when = (field: string, op: string, value: unknown): object => ({
      resources: [
        {
          name: 'order',
          source: 'stored',
          fields: [{ name: 'total', type: 'money' }, { name: 'paidAt', type: 'text' }, { name: 'any' }],
        },
      ],
      actions: [{ name: 'pay', resource: 'order', when: { field: `record.fields.${field}`, op, value } }],
    });
    for (const manifest of [
      when('total', 'lte', 50),
      when('total', 'eq', '50 EUR'),
      when('paidAt', 'lt', '2026-01-01'),
      when('any', 'lt', '2026'),
    ])
      expect(manifestProblems(manifest)).to.deep.equal([]);
    const [problem] = manifestProblems(when('total', 'lte', '50'));
    expect(problem).to.deep.equal({
      path: 'actions.0.when.value',
      message: 'must be a number, as record.fields.total is declared as money',
    });
  });

  it('name every problem at once, of their form and of what they say', () => {
    const found = paths(
      whole({
        resources: [
          { name: 'customer', source: 'elsewhere' },
          {
            name: 'order',
            source: 'stored',
            relations: [
              { name: 'of', resource: 'ghost', field: 'x' },
              { name: 'by', resource: 'customer', field: 'x' },
            ],
          },
        ],
        inboxes: [
          { name: 'mail', states: [{ name: 'new', kind: 'fresh' }] },
          { name: 'desk', initial: 'gone' },
          { name: 'desk' },
          null,
        ],
        views: [
          { name: 'v', inbox: 'mail', state: 'new' },
          { name: 'w', inbox: 'desk', state: 'new' },
          { name: 'x', sort: 'colour' },
        ],
        actions: [
          { name: 'a', danger: 'huge', input: { properties: { x: { $ref: 'http://x' } } } },
          { name: 'b', when: { field: 'record.x', op: 'like' } },
          { label: 'nameless' },
          { name: 'c', resource: 'customer' },
        ],
        pages: [{ name: 'p', blocks: [{ type: 'tex' }] }, { name: 'q' }],
        flags: [
          { key: 'f', kind: 'colour', default: 1 },
          { key: 'g', kind: 'boolean', default: 'yes' },
        ],
        colours: [],
      }),
    );
    expect(found.sort()).to.deep.equal([
      'actions.0.danger',
      'actions.0.input.properties.x.$ref',
      'actions.1.when.op',
      'actions.2.name',
      'colours',
      'flags.0.kind',
      'flags.1.default',
      'inboxes.0.states.0.kind',
      'inboxes.1.initial',
      'inboxes.2',
      'inboxes.3',
      'pages.0.blocks.0.type',
      'pages.1.blocks',
      'resources.0.source',
      'resources.1.relations.0.resource',
      'views.1.state',
      'views.2.sort',
    ]);
    expect(paths({ inboxes: {}, views: [{ name: 'v', inbox: 'mail' }] })).to.deep.equal(['inboxes']);
    expect(
      paths({ actions: Array.from({ length: 150 }, (_, n) => ({ name: `a${String(n)}`, danger: 'huge' })) }),
    ).to.have.length(150);
    expect(
      paths({
        flags: Array.from({ length: 2_000 }, () => null),
        pages: [{ name: 'p', blocks: [null] }],
        actions: [
          { name: 'a', input: { enum: Array.from({ length: 20_000 }, String) } },
          { name: 'b', defaults: 5 },
        ],
      }),
    ).not.to.deep.equal([]);
  });

  it('name every problem of what they say at once', () => {
    const all = Object.values(wrong)
      .filter((_, i) => i !== 0)
      .map((cases) => cases[0]?.[0] ?? {})
      .filter((parts) => 'views' in parts || 'flags' in parts || 'pages' in parts);
    const joined = whole(Object.assign({}, ...all) as object);
    expect(paths(joined).length).to.be.above(3);
    expect(new Set(paths(joined).map((path) => path.split('.')[0])).size).to.be.above(1);
  });
});

describe('a new manifest over an old one', () => {
  let world: World;
  let admin: Client;
  let key: Client;

  const declare = async (states: readonly object[], more: object = {}): Promise<readonly string[]> => {
    const app = await connectApp(key, {
      manifest: { inboxes: [{ name: 'desk', states }], ...more },
      startedAt: Date.now(),
    });
    const { warnings } = app.registered;
    await app.close();
    return warnings;
  };
  const state = (name: string, kind: string): object => ({ name, kind });

  before(async () => {
    world = await newWorld({
      manifest: {
        inboxes: [
          { name: 'desk', states: [state('new', 'open'), state('parked', 'waiting'), state('done', 'closed')] },
        ],
        resources: [{ name: 'customer', source: 'stored' }],
        actions: [{ name: 'ping' }],
        flags: [{ key: 'dark', kind: 'boolean', default: false }],
      },
    });
    admin = await world.agent('admin');
    key = await world.appKey();
    const { item } = (await admin.post('/items', { inbox: 'desk', title: 'x' })).body;
    await admin.post(`/items/${String(item.id)}/state`, { state: 'parked' });
  });
  after(() => world.close());

  it('can’t change the kind of a state that has items, and says what to do instead', async () => {
    const failure = await declare([state('new', 'open'), state('parked', 'closed'), state('done', 'closed')]).then(
      () => null,
      (error: unknown) => error as RpcFailed,
    );
    expect(failure?.data?.problems?.map(({ path }) => path)).to.deep.equal(['inboxes.0.states.1.kind']);
    expect(failure?.data?.problems?.[0]?.message).to.include('another name');
    expect((await admin.get('/inboxes')).body.inboxes[0].states[1]).to.deep.include({
      name: 'parked',
      kind: 'waiting',
    });
  });

  it('can’t do so by way of leaving the state out for a while', async () => {
    const warnings = await declare([state('new', 'open'), state('done', 'closed')], {
      resources: [{ name: 'customer', source: 'stored' }],
      actions: [{ name: 'ping' }],
      flags: [{ key: 'dark', kind: 'boolean', default: false }],
    });
    expect(warnings.join(' ')).to.include('state parked');
    const failure = await declare([state('new', 'open'), state('parked', 'closed')]).then(
      () => null,
      (error: unknown) => error as RpcFailed,
    );
    expect(failure?.data?.problems?.map(({ path }) => path)).to.deep.equal(['inboxes.0.states.1.kind']);
  });

  it('may change the kind of a state that no item is in', async () => {
    expect(
      await declare(
        [state('new', 'open'), state('parked', 'waiting'), state('done', 'waiting'), state('over', 'closed')],
        {
          resources: [{ name: 'customer', source: 'stored' }],
          actions: [{ name: 'ping' }],
          flags: [{ key: 'dark', kind: 'string', default: '' }],
        },
      ),
    ).to.deep.equal([
      'The flag dark was of kind boolean and is of kind string now: it falls back to its default, or to what it was when it was last changed as one.',
    ]);
    const { item } = (await admin.post('/items', { inbox: 'desk', title: 'y' })).body;
    expect((await admin.post(`/items/${String(item.id)}/state`, { state: 'done' })).status).to.equal(200);
  });

  it('tells what goes out of use', async () => {
    const warnings = (await declare([state('new', 'open'), state('parked', 'waiting'), state('done', 'waiting')])).join(
      '\n',
    );
    for (const part of ['state over', 'resource customer is hidden', 'action ping is gone', 'flag dark is hidden'])
      expect(warnings).to.include(part);
  });

  it('leaves an inbox that it does not name readable, without what would bring an item into a state', async () => {
    const { item } = (await admin.post('/items', { inbox: 'desk', title: 'z' })).body;
    const other = await connectApp(key, { manifest: { inboxes: [{ name: 'hall' }] } });
    await other.close();
    const { inboxes } = (await admin.get('/inboxes')).body;
    const canDo = (name: string): string[] =>
      inboxes.find((inbox: { name: string }) => inbox.name === name).can as string[];
    expect(canDo('hall')).to.include.members(['create', 'state']);
    expect(canDo('desk')).to.deep.equal(canDo('hall').filter((verb) => verb !== 'create' && verb !== 'state'));
    expect((await admin.post(`/items/${String(item.id)}/notes`, { text: 'Still here.' })).status).to.equal(201);
    for (const reply of [
      await admin.post('/items', { inbox: 'desk', title: 'x' }),
      await admin.post(`/items/${String(item.id)}/state`, { state: 'done' }),
    ])
      expect([reply.status, reply.body.code]).to.deep.equal([409, 'conflict']);
  });
});
