/** What an author's editor knows: checked by the compiler, which checks this file with all others. */
import { expect } from 'chai';
import type { Manifest } from '../../shared/app/manifest/manifest.ts';
import { manifestProblems } from '../../shared/app/manifest/readManifest.ts';
import {
  ActionFailed,
  connect,
  defineApp,
  openFeatureProvider,
  type App,
  type Client,
  type ClientOf,
  type DataOf,
  type Flag,
  type Inbox,
  type InputOf,
  type Resource,
} from '../../shared/sdk/index.ts';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(): T | undefined => undefined;
type Json = Readonly<Record<string, unknown>>;

const app: App = defineApp({
  resources: {
    order: {
      source: 'stored',
      fields: [
        { name: 'total', type: 'money' },
        { name: 'status', filter: true },
        { name: 'paid', type: 'boolean' },
      ],
      relations: [{ name: 'payments', resource: 'payment', field: 'order' }],
      detail: ({ id }) => ({ blocks: [{ type: 'text', title: null, text: id }] }),
    },
    payment: {
      source: 'app',
      search: ({ q, limit }) => [{ id: q, title: String(limit) }],
      list: ({ cursor }) => ({ records: [], cursor }),
      get: ({ ids }) => ids.map((id) => ({ id, title: id })),
      available: ({ ids }) =>
        Object.fromEntries(ids.map((id) => [id, { defaults: { refund: { reason: 'duplicate' } } }])),
    },
  },
  inboxes: {
    support: {
      fields: {
        type: 'object',
        required: ['email'],
        properties: { email: { type: 'string' }, age: { type: 'integer' } },
      },
      reply: {
        via: 'app',
        send: ({ item, delivery, text }) => {
          holds<Same<typeof item.fields.email, string>>();
          if (text === delivery) throw new ActionFailed('Odd.');
        },
      },
      suggest: [{ action: 'reindex', reason: 'Looks stale' }],
      detail: ({ item, latestOccurrence }) => {
        holds<Same<typeof item.fields.age, number | undefined>>();
        return {
          blocks: [{ type: 'text', title: null, text: latestOccurrence?.data?.email ?? item.title }],
          suggestedActions: [{ action: 'refund', record: 'o1' }],
        };
      },
    },
    errors: {
      states: [
        { name: 'new', kind: 'open' },
        { name: 'fixed', kind: 'closed' },
      ],
      initial: 'new',
      transitions: { new: ['fixed'] },
    },
  },
  views: {
    urgent: { inbox: 'support', state: 'open,waiting', sort: '-lastSeen', overdue: '1' },
    all: { state: 'open,new' },
    found: { q: 'late parcel', fields: { plan: 'pro' }, record: 'order:o1', createdAfter: 1, createdBefore: 2 },
    lately: { seenAfter: 1, seenBefore: 2, assignee: 'me,none' },
  },
  actions: {
    refund: {
      resource: 'order',
      input: {
        type: 'object',
        additionalProperties: false,
        required: ['reason'],
        properties: {
          reason: { enum: ['duplicate', 'fraud'] },
          amount: { type: 'number' },
          note: { type: ['string', 'null'] },
          lines: { type: 'array', items: { type: 'integer' } },
          notify: { type: 'boolean', default: true },
        },
      },
      danger: 'high',
      run: ({ input, record, item, progress, attempt }) => {
        holds<Same<typeof input.reason, 'duplicate' | 'fraud'>>();
        holds<Same<typeof input.amount, number | undefined>>();
        holds<Same<typeof input.note, string | null | undefined>>();
        holds<Same<typeof input.lines, number[] | undefined>>();
        holds<Same<typeof input.notify, boolean>>();
        holds<Same<typeof record.fields.total, number | null | undefined>>();
        holds<Same<typeof record.fields.paid, boolean | null | undefined>>();
        // @ts-expect-error: the resource declares no such field
        void record.fields.colour;
        // @ts-expect-error: the schema has no such property
        void input.other;
        if (item?.inbox === 'support') holds<Same<typeof item.fields.email, string>>();
        if (item?.inbox === 'errors') holds<Same<typeof item.fields, Json>>();
        progress(attempt, 'Half way');
        return { message: `Refunded ${record.title}.`, blocks: [] };
      },
    },
    reindex: {
      background: true,
      run: async ({ input, record, signal }) => {
        holds<Same<typeof input, Json>>();
        holds<Same<typeof record, null>>();
        await Promise.resolve(signal.aborted);
        return 'Done.';
      },
    },
    silent: { run: () => undefined },
  },
  pages: {
    overview: {
      params: [{ name: 'inbox' }],
      blocks: [
        { type: 'stat', source: 'counts', query: { inbox: 'support', count: 'total' } },
        { type: 'items', source: 'items', query: { inbox: '{{params.inbox}}', view: 'urgent' } },
        {
          type: 'items',
          source: 'items',
          query: { fields: { email: 'kim@example.com' }, seenAfter: '{{params.inbox}}', createdBefore: 1, limit: 5 },
        },
        {
          type: 'chart',
          kind: 'bar',
          load: ({ params }) => ({ series: [{ name: 'a', points: [[1, Object.keys(params).length]] }] }),
        },
        { type: 'actions', actions: [{ action: 'reindex' }] },
      ],
    },
  },
  flags: {
    banner: { kind: 'string', default: '', resource: 'order' },
    on: { kind: 'boolean', default: false, approval: true },
  },
  triage: {
    support: {
      rules: [{ when: { field: 'item.title', op: 'contains', value: 'spam' }, close: true }],
      answer: ({ item }) => ({ answers: { spam: item.fields.email } }),
    },
    errors: { answer: ({ item }) => ({ state: item.title === '' ? 'fixed' : 'new' }) },
  },
});

/** Every line of it is refused by the compiler. */
export const refused = (): void => {
  const stored = { source: 'stored' } as const;
  const run = (): string => 'Done.';
  const states = [{ name: 'new', kind: 'open' }] as const;
  const actions = { go: { run } };
  const a = { states };
  const stat = { type: 'stat', source: 'counts' } as const;
  const items = { type: 'items', source: 'items' } as const;

  // @ts-expect-error: a time is a number, or a parameter
  defineApp({ pages: { a: { blocks: [{ ...items, query: { seenAfter: 'yesterday' } }] } } });
  // @ts-expect-error: a resource that the app serves needs its handlers
  defineApp({ resources: { payment: { source: 'app' } } });
  // @ts-expect-error: a resource has no such member
  defineApp({ resources: { order: { source: 'stored', colour: 'red' } } });
  // @ts-expect-error: a field has no such member
  defineApp({ resources: { order: { source: 'stored', fields: [{ name: 'total', colour: 'red' }] } } });
  // @ts-expect-error: there is no such type of value
  defineApp({ resources: { order: { source: 'stored', fields: [{ name: 'total', type: 'colour' }] } } });
  // @ts-expect-error: a relation to a resource that is not declared
  defineApp({ resources: { order: { source: 'stored', relations: [{ name: 'a', resource: 'nothing', key: 'a' }] } } });
  // @ts-expect-error: the action of a default is not declared
  defineApp({ actions, resources: { o: { ...stored, available: () => ({ a: { defaults: { nothing: {} } } }) } } });

  // @ts-expect-error: an inbox has no such member
  defineApp({ inboxes: { support: { colour: 'red' } } });
  // @ts-expect-error: a state has no such member
  defineApp({ inboxes: { support: { states: [{ name: 'new', kind: 'open', colour: 'red' }] } } });
  // @ts-expect-error: the initial state is not declared
  defineApp({ inboxes: { support: { states, initial: 'nowhere' } } });
  // @ts-expect-error: an inbox without states has open, waiting and closed
  defineApp({ inboxes: { support: { initial: 'nowhere' } } });
  // @ts-expect-error: a transition from a state that is not declared
  defineApp({ inboxes: { support: { states, transitions: { nowhere: ['new'] } } } });
  // @ts-expect-error: a transition to a state that is not declared
  defineApp({ inboxes: { support: { states, transitions: { new: ['nowhere'] } } } });
  // @ts-expect-error: the suggested action is not declared
  defineApp({ inboxes: { support: { suggest: [{ action: 'nothing' }] } }, actions: { go: { run } } });
  // @ts-expect-error: an app without actions has none to suggest
  defineApp({ inboxes: { support: { suggest: [{ action: 'nothing' }] } } });
  // @ts-expect-error: no such block
  defineApp({ inboxes: { support: { blocks: [{ type: 'picture' }] } } });
  // @ts-expect-error: a block has no such member
  defineApp({ inboxes: { support: { blocks: [{ type: 'text', text: '', colour: 'red' }] } } });
  // @ts-expect-error: a text block needs its text
  defineApp({ inboxes: { support: { detail: () => ({ blocks: [{ type: 'text' }] }) } } });

  // @ts-expect-error: no such sort
  defineApp({ views: { odd: { sort: 'colour' } } });
  // @ts-expect-error: a value of a field is a text, as in a query
  defineApp({ views: { odd: { fields: { plan: 1 } } } });
  // @ts-expect-error: a time is a number
  defineApp({ views: { odd: { createdAfter: '2026-01-01' } } });
  // @ts-expect-error: words are one text
  defineApp({ views: { odd: { q: ['late'] } } });
  // @ts-expect-error: no such count
  defineApp({ pages: { p: { blocks: [{ ...stat, query: { count: 'everything' } }] } } });
  defineApp({ pages: { p: { blocks: [{ type: 'stat', source: 'counts', query: { count: 'activeUnassigned' } }] } } });
  defineApp({ pages: { p: { blocks: [{ ...items, query: { q: 'late', record: 'order:o1', seenAfter: 1 } }] } } });
  // @ts-expect-error: the view's inbox is not declared
  defineApp({ views: { odd: { inbox: 'nothing' } }, inboxes: { support: {} } });
  // @ts-expect-error: a state that the inbox does not have
  defineApp({ views: { odd: { inbox: 'support', state: 'new,nowhere' } }, inboxes: { support: { states } } });
  // @ts-expect-error: a state that no inbox has
  defineApp({ views: { odd: { state: 'nowhere' } }, inboxes: { support: {} } });

  // @ts-expect-error: an action without a handler
  defineApp({ actions: { refund: { label: 'Refund' } } });
  // @ts-expect-error: an action has no such member
  defineApp({ actions: { refund: { run, colour: 'red' } } });
  // @ts-expect-error: the action's resource is not declared
  defineApp({ resources: { order: stored }, actions: { refund: { resource: 'nothing', run } } });
  // @ts-expect-error: an app without resources has no action on one
  defineApp({ actions: { refund: { resource: 'order', run } } });
  // @ts-expect-error: an action that takes no record gets none
  defineApp({ actions: { ping: { run: ({ record }) => record.id } } });
  // @ts-expect-error: a result is a text, or has a message and blocks
  defineApp({ actions: { ping: { run: () => 12 } } });

  // @ts-expect-error: the action of a block is not declared
  defineApp({ actions, pages: { p: { blocks: [{ type: 'actions', actions: [{ action: 'nothing' }] }] } } });
  // @ts-expect-error: the inbox of a query is not declared
  defineApp({ inboxes: { a }, pages: { p: { blocks: [{ ...stat, query: { inbox: 'nothing' } }] } } });
  // @ts-expect-error: the view of a query is not declared
  defineApp({ views: { v: {} }, pages: { p: { blocks: [{ ...items, query: { view: 'nothing' } }] } } });
  // @ts-expect-error: no such source
  defineApp({ pages: { a: { blocks: [{ type: 'stat', source: 'weather' }] } } });
  // @ts-expect-error: a chart has no such member
  defineApp({ pages: { a: { blocks: [{ type: 'chart', kind: 'bar', load: () => ({ value: 1 }) }] } } });

  // @ts-expect-error: a default has to be of the flag's kind
  defineApp({ flags: { banner: { kind: 'string', default: 1 } } });
  // @ts-expect-error: the flag's resource is not declared
  defineApp({ flags: { banner: { kind: 'string', default: '', resource: 'nothing' } }, resources: { order: stored } });

  // @ts-expect-error: triage of an inbox that is not declared
  defineApp({ triage: { nothing: {} }, inboxes: { support: {} } });
  // @ts-expect-error: triage into a state that the inbox does not have
  defineApp({ triage: { a: { rules: [{ when: { all: [] }, state: 'nowhere' }] } }, inboxes: { a: { states } } });
  // @ts-expect-error: an answer into a state that the inbox does not have
  defineApp({ triage: { a: { answer: () => ({ state: 'nowhere' }) } }, inboxes: { a: { states } } });
};

/** The values of schemas in full. */
export const schemas = (): void => {
  holds<Same<InputOf<{ type: 'object'; properties: { a: { type: 'string'; default: 'x' } } }>, { a: string }>>();
  holds<Same<DataOf<{ type: 'object'; properties: { a: { type: 'string'; default: 'x' } } }>, { a?: string }>>();
  holds<
    Same<InputOf<{ type: 'object'; properties: { a: { const: 1 }; b: { type: 'null' } }; required: ['a'] }>['a'], 1>
  >();
  type Tree = InputOf<{
    $ref: '#/$defs/node';
    $defs: { node: { type: 'object'; properties: { next: { $ref: '#/$defs/node' } } } };
  }>;
  const tree: Tree = { next: { next: {} } };
  void tree;
  type Either = InputOf<{
    type: 'object';
    properties: { to: { anyOf: [{ type: 'string' }, { type: 'null' }] } };
  }>['to'];
  holds<Same<Either, string | null | undefined>>();
  type Pair = InputOf<{
    type: 'object';
    required: ['at'];
    properties: { at: { type: 'array'; prefixItems: [{ type: 'number' }, { type: 'string' }] } };
  }>;
  holds<Same<Pair['at'], [number, string]>>();
  holds<Same<InputOf<object>, Json>>();
  holds<Same<InputOf<unknown>, Json>>();
};

/** Parts that are declared by themselves become part of any app. */
const resources: Readonly<Record<string, Resource>> = {
  order: { source: 'stored', fields: [{ name: 'total' }], available: () => ({ o1: { defaults: { go: {} } } }) },
};
const inboxes: Readonly<Record<string, Inbox>> = { support: { suggest: [{ action: 'go' }] } };
const inParts = defineApp({
  resources,
  inboxes,
  actions: { go: { resource: 'order', run: ({ record }) => record.id } },
});

const shop = defineApp({
  resources: {
    order: { source: 'stored', fields: [{ name: 'total', type: 'money' }, { name: 'status' }] },
    note: { source: 'stored' },
    visit: { source: 'app', search: () => [], list: () => ({ records: [] }), get: () => [] },
  },
  inboxes: {
    support: {
      fields: {
        type: 'object',
        required: ['email'],
        properties: { email: { type: 'string' }, age: { type: 'integer' } },
      },
    },
    errors: {},
  },
  flags: {
    on: { kind: 'boolean', default: false },
    banner: { kind: 'string', default: '' },
    limit: { kind: 'number', default: 1 },
    limits: { kind: 'json', default: { a: 1 } },
  },
});

/** What a client takes is what its app declares. Never called. */
export const clients = (): void => {
  const options = { url: '', key: '' };
  const client = connect({ app: shop, ...options });
  const order = { id: 'o1', title: 'Order 1' };
  const mail = { inbox: 'support', title: 'Hello' } as const;
  const data = { email: 'kim@example.com' };

  void client.putRecords('order', [order, { ...order, fields: { total: 1200, status: null } }]);
  void client.putRecords('note', [{ ...order, fields: { anything: true } }]);
  // @ts-expect-error: the resource is not declared
  void client.putRecords('ordr', [order]);
  void client.putRecords('order', [{ ...order, fields: { total: '12 EUR' } }]);
  // @ts-expect-error: a field has another type
  void client.putRecords('order', [{ ...order, fields: { status: 12 } }]);
  // @ts-expect-error: the resource declares no such field
  void client.putRecords('order', [{ ...order, fields: { colour: 'red' } }]);
  void client.deleteRecords('order', ['o1']);
  // @ts-expect-error: the resource is not declared
  void client.deleteRecords('ordr', ['o1']);
  // @ts-expect-error: the app serves its records itself
  void client.putRecords('visit', [order]);
  // @ts-expect-error: the app serves its records itself
  void client.deleteRecords('visit', ['o1']);

  void client.report({ ...mail, data: { ...data, age: 7 }, record: { resource: 'order', id: 'o1' } });
  void client.report({
    inbox: 'errors',
    title: 'Broken',
    data: { anything: 1 },
    links: [{ resource: 'note', id: '1' }],
  });
  void client.report({ inbox: 'errors', title: 'Broken', key: 'k', user: 'u', tags: ['t'], at: 1, delivery: 'd' });
  // @ts-expect-error: the inbox is not declared
  void client.report({ inbox: 'suport', title: 'Hello' });
  // @ts-expect-error: the inbox requires an e-mail address
  void client.report(mail);
  // @ts-expect-error: a field of the inbox has another type
  void client.report({ ...mail, data: { ...data, age: 'seven' } });
  // @ts-expect-error: the inbox declares no such field
  void client.report({ ...mail, data: { ...data, emial: '' } });
  // @ts-expect-error: the resource is not declared
  void client.report({ ...mail, data, record: { resource: 'ordr', id: 'o1' } });
  void client.report({ ...mail, data, record: { resource: 'visit', id: 'v1', title: 'Rex, Tuesday' } });
  // @ts-expect-error: a link has no title
  void client.report({ ...mail, data, links: [{ resource: 'visit', id: 'v1', title: 'Rex, Tuesday' }] });
  // @ts-expect-error: a report has no such member
  void client.report({ ...mail, data, colour: 'red' });

  holds<Same<boolean, ReturnType<typeof client.flags.boolean>>>();
  client.flags.boolean('on', false, { targetingKey: 'o1' });
  client.flags.string('banner', '');
  client.flags.number('limit', 1);
  const limits = client.flags.json('limits', { a: 2 });
  holds<Same<typeof limits, { a: number }>>();
  client.flags.decide('banner');
  // @ts-expect-error: the flag is not declared
  client.flags.boolean('onn', false);
  // @ts-expect-error: the flag is of another kind
  client.flags.boolean('banner', false);
  // @ts-expect-error: the flag is of another kind
  client.flags.json('on', {});
  // @ts-expect-error: the fallback is of another kind
  client.flags.number('limit', '1');
  // @ts-expect-error: the flag is not declared
  client.flags.decide('onn');

  const named: ClientOf<typeof shop> = client;
  const anyone: Client = named;
  void anyone.report({ inbox: 'anything', title: 'x', data: { anything: 1 } });
  void anyone.putRecords('anything', [{ ...order, fields: { anything: 1 } }]);
  anyone.flags.boolean('anything', false);
  openFeatureProvider(client);

  const none = connect({ app: defineApp({}), ...options });
  // @ts-expect-error: nothing of the kind is declared
  void none.report({ inbox: 'support', title: 'x' });
  // @ts-expect-error: nothing of the kind is declared
  none.flags.boolean('on', false);
  const flags: Readonly<Record<string, Flag>> = {};
  const parts = connect({ app: defineApp({ resources, inboxes, flags }), ...options });
  void parts.report({ inbox: 'anything', title: 'x', data: { anything: 1 }, record: { resource: 'any', id: '1' } });
  void parts.putRecords('anything', [{ ...order, fields: { anything: 1 } }]);
  parts.flags.boolean('anything', false);
  parts.flags.decide('anything');
};

/** An inbox of which nothing but its `detail` is declared. */
const detailAlone = defineApp({
  inboxes: {
    support: {
      detail: ({ item }) => {
        holds<Same<typeof item.title, string>>();
        return { blocks: [{ type: 'text', text: item.title }] };
      },
    },
  },
});

describe('sdk: declarations', () => {
  it('makes a manifest that the service takes, without the handlers', () => {
    expect(manifestProblems(JSON.parse(JSON.stringify(app.manifest)))).to.deep.equal([]);
    const manifest = app.manifest as unknown as Manifest;
    expect(manifest.inboxes?.[0]?.reply).to.deep.equal({ via: 'app' });
    expect(manifest.inboxes?.[0]?.triage).to.deep.equal({
      rules: [{ when: { field: 'item.title', op: 'contains', value: 'spam' }, close: true }],
      app: true,
    });
    expect(manifest.pages?.[0]?.blocks[3]).to.deep.equal({ type: 'chart', kind: 'bar', source: 'app' });
    expect(manifest.actions?.map(({ name }) => name)).to.deep.equal(['refund', 'reindex', 'silent']);
    expect(JSON.stringify(manifest)).not.to.match(/"(?:run|send|load|detail|answer|available)"/);
  });

  it('takes an app that declares nothing, and one that is declared in parts', () => {
    expect(manifestProblems(defineApp({}).manifest)).to.deep.equal([]);
    expect(manifestProblems(JSON.parse(JSON.stringify(inParts.manifest)))).to.deep.equal([]);
    expect(manifestProblems(JSON.parse(JSON.stringify(detailAlone.manifest)))).to.deep.equal([]);
  });
});
