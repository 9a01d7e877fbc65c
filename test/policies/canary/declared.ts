/**
 * What the canary's environment declares, with the word in all that the clerk can't see; what the clerk may; and an app
 * that reveals more than it should.
 */
import { rpcError, type Handler } from '../../support/app.ts';

export const word = 'canaryword';
/** Of the same length and form, and used nowhere. */
export const unused = 'sparrowman';

export const manifest = {
  resources: [
    {
      name: 'customer',
      source: 'stored',
      fields: [{ name: 'email', search: true }],
      relations: [
        { name: 'payments', resource: 'payment', field: 'customer' },
        { name: `${word}Relation`, resource: `${word}Thing`, field: 'customer' },
        { name: 'thing', resource: `${word}Thing`, key: 'thing' },
      ],
      blocks: [
        {
          type: 'actions',
          title: 'Do',
          actions: [{ action: `${word}OnThing`, record: `${word}-1`, input: { a: word } }, { action: 'greet' }],
        },
      ],
    },
    {
      name: 'payment',
      source: 'app',
      relations: [{ name: 'any' }, { name: `${word}Relation`, resource: `${word}Thing` }],
    },
    { name: `${word}Thing`, label: word, source: 'stored', fields: [{ name: `${word}Field` }] },
  ],
  inboxes: [
    {
      name: 'mail',
      responseTime: 3_600_000,
      reply: { via: 'app' },
      blocks: [
        {
          type: 'text',
          title: 'Record',
          text: 'About {{record.title}} {{record.id}} {{record.fields.secret}} {{item.record.title}}',
        },
      ],
      suggest: [
        { action: `${word}Action`, input: { a: word }, reason: word },
        {
          when: { field: 'record.title', op: 'startsWith', value: word },
          action: 'open',
          reason: `because of ${word}`,
        },
      ],
    },
    { name: 'bugs' },
    {
      name: `${word}Inbox`,
      label: word,
      states: [
        { name: `${word}State`, kind: 'open' },
        { name: 'closed', kind: 'closed' },
      ],
      fields: { type: 'object', properties: { [word]: { type: 'string' } } },
      reply: { via: 'app' },
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
        {
          type: 'actions',
          title: 'Actions',
          actions: [{ action: `${word}Action` }, { action: 'open', record: `${word}-1` }],
        },
        { type: 'chart', title: 'App', source: 'app' },
      ],
    },
    { name: `${word}Page`, label: word, params: [{ name: word }], blocks: [{ type: 'text', text: word }] },
  ],
  flags: [
    { key: `${word}Flag`, kind: 'string', default: word, description: word },
    { key: `${word}Asked`, kind: 'boolean', default: false, description: word, approval: true },
    { key: 'known', kind: 'boolean', default: false },
  ],
};

export const grants = [
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
export const thing = { resource: `${word}Thing`, id: `${word}-1` };
const ofThing = { ...thing, title: word, subtitle: word, fields: { a: word } };
const told = (items: () => readonly string[]): object[] => [
  { type: 'items', title: 'Items', items: items().map((id) => ({ id })) },
  { type: 'record', title: word, record: ofThing },
  {
    type: 'actions',
    title: 'Actions',
    actions: [
      { action: `${word}OnThing`, label: word, record: thing.id, input: { a: word } },
      { action: `${word}Action`, label: word, input: { a: word } },
      { action: 'open', label: word, record: thing.id, input: { a: word } },
      { action: 'greet', record: 'c1' },
    ],
  },
  { type: 'text', title: 'Fine', text: 'Fine.' },
];
/** Its answers name whatever `items` names; its own messages about a run are about hidden things only where the run is. */
export const talkative = (items: () => readonly string[]): Readonly<Record<string, Handler>> => ({
  'action.run': ({ action }: { action: string }) => {
    if (action.startsWith(word))
      return { message: `${word} done`, blocks: [{ type: 'text', title: word, text: word }, ...told(items)] };
    if (action === 'look') throw rpcError(-32001, 'Not now.');
    return { message: 'Done.', blocks: told(items) };
  },
  'action.available': ({ refs }: { refs: { resource: string; id: string }[] }) => ({
    available: [...refs, thing].map((ref) => ({
      ...ref,
      actions: [
        { action: `${word}OnThing`, defaults: { a: word } },
        { action: 'greet', defaults: { a: 1 } },
      ],
      unavailable: [{ action: `${word}Action`, reason: word }],
    })),
  }),
  'records.search': () => ({ records: [{ id: 'p1', title: 'Payment 1', fields: { customer: 'c1' } }] }),
  'records.list': () => ({ records: [{ id: 'p1', title: 'Payment 1', fields: { customer: 'c1' } }], cursor: null }),
  'records.get': ({ ids }: { ids: string[] }) => ({
    records: ids.filter((id) => id === 'p1').map((id) => ({ id, title: 'Payment 1', fields: {} })),
  }),
  'records.related': () => ({ records: [ofThing, { resource: 'customer', id: 'c1', title: 'Ada' }], cursor: null }),
  'item.blocks': () => ({
    blocks: told(items),
    suggestedActions: [
      { action: `${word}OnThing`, record: thing.id, input: { a: word }, reason: word },
      { action: `${word}Action`, reason: word },
    ],
  }),
  'record.blocks': () => ({ blocks: told(items) }),
  'page.block': () => ({ block: told(items)[1] }),
  'reply.send': () => ({}),
});
