/** What the app of these tests declares, and a role that may do some of it. */

export const manifest = {
  resources: [
    {
      name: 'customer',
      source: 'stored',
      fields: [
        { name: 'email', search: true, filter: true },
        { name: 'seats', type: 'number', filter: true, sort: true },
        { name: 'since', type: 'time', filter: true },
        { name: 'vip', type: 'boolean', filter: true },
        { name: 'status', filter: true },
      ],
      relations: [{ name: 'orders', resource: 'order', field: 'customer' }],
    },
    { name: 'order', source: 'stored', fields: [{ name: 'customer' }] },
    { name: 'vault', source: 'stored' },
  ],
  inboxes: [
    { name: 'mail', reply: { via: 'app' }, fields: { type: 'object', properties: { email: { type: 'string' } } } },
    {
      name: 'bugs',
      states: [
        { name: 'open', kind: 'open' },
        { name: 'confirmed', kind: 'open' },
        { name: 'waiting', kind: 'waiting' },
        { name: 'closed', kind: 'closed' },
      ],
    },
    { name: 'secret' },
  ],
  views: [
    { name: 'open', state: 'open' },
    { name: 'mine', assignee: 'me' },
  ],
  actions: [
    {
      name: 'greet',
      label: 'Greet',
      resource: 'customer',
      input: {
        type: 'object',
        additionalProperties: false,
        required: ['words'],
        properties: {
          words: { type: 'string', minLength: 1, 'x-mcp-header': 'Words' },
          record: { type: 'string' },
          style: { $ref: '#/$defs/style' },
        },
        $defs: { style: { enum: ['warm', 'cool'] } },
      },
    },
    {
      name: 'erase',
      label: 'Erase',
      resource: 'customer',
      danger: 'high',
      input: { type: 'object', additionalProperties: false, properties: {} },
    },
    { name: 'refund', label: 'Refund', resource: 'customer', approval: true },
    { name: 'reindex', label: 'Reindex', background: true, repeatable: true },
    { name: 'slow.one', label: 'Slow', offline: 'queue' },
    {
      name: 'either',
      label: 'Either',
      input: {
        type: 'object',
        anyOf: [{ required: ['a'] }, { required: ['b'] }],
        properties: { a: { type: 'integer' }, b: { $ref: '#/properties/a' } },
      },
    },
    { name: 'wipe', label: 'Wipe', resource: 'customer', freshSignIn: true },
    { name: 'unlock', label: 'Unlock', resource: 'vault' },
    { name: 'bare', label: 'Bare' },
  ],
  pages: [{ name: 'overview', params: [{ name: 'q' }], blocks: [{ type: 'text', text: 'About {{params.q}}' }] }],
  flags: [
    { key: 'checkout', kind: 'boolean', default: false },
    { key: 'asks', kind: 'boolean', default: false, approval: true },
    { key: 'banner', kind: 'boolean', default: false },
    { key: 'unseen', kind: 'boolean', default: false },
    { key: 'risky', kind: 'boolean', default: false, danger: 'high' },
  ],
};

/** Everything in mail, sees bugs, nothing of secret and vault; may not run `erase`, which it sees, nor `bare`. */
export const clerkGrants = [
  { on: 'inbox:mail', can: ['*'] },
  { on: 'inbox:bugs', can: ['see'] },
  { on: 'resource:customer', can: ['see'] },
  { on: 'resource:order', can: ['see'] },
  ...['greet', 'refund', 'reindex', 'slow.one', 'either', 'wipe', 'unlock'].map((name) => ({
    on: `action:${name}`,
    can: ['run'],
  })),
  { on: 'page:overview', can: ['see'] },
  { on: 'flag:checkout', can: ['*'] },
  { on: 'flag:asks', can: ['*'] },
  { on: 'flag:banner', can: ['*'] },
];
