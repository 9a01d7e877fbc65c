/** Parts of manifests that are refused, by what is wrong with them, each with the paths of its problems. Used by manifest.test.ts. */
export const wrong: Readonly<Record<string, readonly (readonly [object, readonly string[]])[]>> = {
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
          { name: 'y', inbox: 'mail', priority: 'urgent,gone' },
        ],
      },
      ['views.0.inbox', 'views.1.state', 'views.2.state', 'views.3.priority'],
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
      ['actions.0.defaults.to'],
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
      ['inboxes.0.suggest.0.input.a', 'inboxes.0.reply.to'],
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
      ['inboxes.0.blocks.0.type', 'inboxes.0.blocks.1', 'inboxes.0.blocks.2', 'inboxes.0.blocks.3.text'],
    ],
    [
      { resources: [{ name: 'customer', source: 'stored', blocks: [{ type: 'text', text: '{{item.title}}' }] }] },
      ['resources.0.blocks.0.text'],
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
        'pages.0.blocks.3.text',
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
