/** Pages with blocks of every source, and the role of a clerk who sees a part of them. Used by pages.test.ts. */
export const manifest = {
  resources: [
    {
      name: 'customer',
      source: 'stored',
      fields: [
        { name: 'plan', label: 'Plan', type: 'text', filter: true },
        { name: 'seats', type: 'number', filter: true, sort: true },
        { name: 'more' },
      ],
    },
    { name: 'vault', source: 'stored', fields: [{ name: 'key' }] },
    { name: 'payment', source: 'app', fields: [{ name: 'amount', type: 'money' }] },
  ],
  inboxes: [
    { name: 'mail', label: 'Mail' },
    { name: 'bugs', label: 'Bugs' },
    { name: 'secret', label: 'Secret' },
  ],
  views: [
    { name: 'open', state: 'open' },
    { name: 'secrets', inbox: 'secret' },
  ],
  actions: [
    { name: 'ping' },
    { name: 'refund', label: 'Refund it', resource: 'customer' },
    { name: 'unlock', resource: 'vault' },
    { name: 'never' },
  ],
  flags: [
    { key: 'dark', kind: 'boolean', default: true, description: 'Dark colours' },
    { key: 'limit', kind: 'number', default: 5 },
    { key: 'banner', kind: 'json', default: { text: 'x' } },
  ],
  pages: [
    {
      name: 'all',
      label: 'All',
      blocks: [
        { type: 'text', title: 'Words', text: 'Hello' },
        { type: 'stat', title: 'Mail', source: 'counts', query: { inbox: 'mail', count: 'total' } },
        { type: 'stat', title: 'Closed', source: 'counts', query: { state: 'closed' } },
        { type: 'stat', title: 'To take', source: 'counts', query: { inbox: 'mail', count: 'activeUnassigned' } },
        { type: 'stat', title: 'Late', source: 'counts', query: { inbox: 'mail', count: 'activeOverdue' } },
        {
          type: 'table',
          title: 'Inboxes',
          source: 'counts',
          columns: [{ name: 'label', label: 'Inbox' }, { name: 'total' }, { name: 'open', type: 'number' }],
        },
        {
          type: 'items',
          title: 'Open',
          source: 'items',
          query: { view: 'open', inbox: 'mail', sort: 'title', limit: 2 },
        },
        { type: 'stat', title: 'How many are open', source: 'items', query: { inbox: 'mail', state: 'open' } },
        { type: 'record', title: 'Ada', source: 'records', query: { resource: 'customer', id: 'c1' } },
        {
          type: 'table',
          title: 'Customers',
          source: 'records',
          query: { resource: 'customer', sort: '-seats', limit: 2 },
        },
        {
          type: 'table',
          title: 'Flags',
          source: 'flags',
          columns: [{ name: 'flag' }, { name: 'kind' }, { name: 'value' }],
        },
        {
          type: 'actions',
          title: 'Do',
          actions: [
            { action: 'ping' },
            { action: 'refund', record: 'c1' },
            { action: 'refund' },
            { action: 'unlock', record: 'v1' },
            { action: 'never' },
          ],
        },
        { type: 'link', title: 'Docs', url: 'https://example.com', label: 'Docs' },
      ],
    },
    {
      name: 'one',
      params: [{ name: 'customer', required: true }, { name: 'plan' }, { name: 'since' }, { name: 'most' }],
      blocks: [
        {
          type: 'record',
          title: 'Of {{params.customer}}',
          source: 'records',
          query: { resource: 'customer', id: '{{params.customer}}' },
        },
        {
          type: 'table',
          source: 'records',
          query: { resource: 'customer', filters: { plan: '{{params.plan}}' } },
          columns: [{ name: 'title' }],
        },
        { type: 'text', text: 'Customer {{params.customer}}, plan {{params.plan}}.' },
        { type: 'items', source: 'items', query: { seenAfter: '{{params.since}}', limit: '{{params.most}}' } },
      ],
    },
    {
      name: 'hiding',
      blocks: [
        { type: 'stat', title: 'Hidden', source: 'counts', query: { inbox: 'secret', count: 'total' } },
        { type: 'items', title: 'Hidden', source: 'items', query: { inbox: 'secret' } },
        { type: 'items', title: 'Hidden', source: 'items', query: { view: 'secrets' } },
        { type: 'record', title: 'Hidden', source: 'records', query: { resource: 'vault', id: 'v1' } },
        { type: 'table', title: 'Hidden', source: 'records', query: { resource: 'vault' } },
        { type: 'table', title: 'All', source: 'counts' },
        { type: 'items', title: 'Everything', source: 'items' },
      ],
    },
    {
      name: 'apps',
      blocks: [
        { type: 'chart', title: 'Sales', source: 'app' },
        { type: 'text', text: 'still here' },
        { type: 'table', title: 'Payments', source: 'records', query: { resource: 'payment' } },
        { type: 'stat', source: 'app' },
      ],
    },
    {
      name: 'failing',
      params: [{ name: 'x' }],
      blocks: [
        { type: 'items', title: 'Mine', source: 'items', query: { assignee: 'me' } },
        { type: 'record', title: 'Nobody', source: 'records', query: { resource: 'customer', id: 'nobody' } },
        { type: 'items', title: 'State', source: 'items', query: { state: '{{params.x}}' } },
        { type: 'link', title: 'Link', url: '{{params.x}}' },
        { type: 'stat', title: 'Fine', source: 'counts', query: { inbox: 'mail', count: 'total' } },
      ],
    },
    { name: 'private', blocks: [] },
  ],
};

export const grants = [
  { on: 'inbox:mail', can: ['*'] },
  { on: 'inbox:bugs', can: ['see'] },
  { on: 'resource:customer', can: ['see'] },
  { on: 'resource:payment', can: ['see'] },
  { on: 'action:ping', can: ['run'] },
  { on: 'action:refund', can: ['run'] },
  { on: 'action:unlock', can: ['run'] },
  { on: 'flag:dark', can: ['see'] },
  { on: 'flag:banner', can: ['change'] },
  ...['all', 'one', 'hiding', 'apps', 'failing'].map((page) => ({ on: `page:${page}`, can: ['see'] })),
];
