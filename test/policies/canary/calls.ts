/** What the clerk calls: with which parameters, on which things, with which arguments, and where it sends a word itself. */
import type { Planted } from './canaryWorld.ts';

/** Ids of everything that there is for a path that takes one. */
export const idsOf = (
  { hiddenBulk, ownBulk, runs, approvals, hidden, linked, hiddenPerson, admin }: Planted,
  path: string,
): readonly string[] => {
  if (path.startsWith('/bulk')) return [hiddenBulk, ownBulk];
  if (path.startsWith('/runs')) return runs;
  if (path.startsWith('/approvals')) return approvals;
  return path.startsWith('/items') ? [...hidden, ...linked] : [hiddenPerson, admin.id];
};
/** Paths of each record that the clerk may name, and of each of its relations. */
export const recordsOf = (path: string): string[] =>
  [
    ['customer', 'c1'],
    ['customer', 'c2'],
    ['payment', 'p1'],
  ].flatMap(([resource = '', id = '']) =>
    (path.includes('{relation}') ? ['nosuch', 'payments', 'thing', 'any'] : ['']).map((relation) =>
      path.replace('{resource}', resource).replace('{id}', id).replace('{relation}', relation),
    ),
  );

/** The queries of each path without a parameter, and of some with one; the others get a few that suit them all. */
export const queriesOf = ({
  hiddenPerson,
  start,
  hidden,
  admin,
}: Planted): Readonly<Record<string, readonly string[]>> => ({
  '/items': [
    '',
    '?count=1',
    '?limit=1',
    '?limit=200&count=1',
    '?inbox=mail',
    '?inbox=bugs&count=1',
    '?view=all&count=1',
    '?assignee=none',
    `?assignee=${hiddenPerson}&count=1`,
    `?assignee=none,${hiddenPerson}&count=1`,
    ...['customer:c1', 'payment:p1', 'nosuch:x'].map((record) => `?record=${record}&count=1`),
    '?createdAfter=1&seenBefore=8000000000000&count=1',
    '?seenAfter=8000000000000&count=1',
    ...['0', '1'].flatMap((value) => ['overdue', 'triaged', 'snoozed'].map((name) => `?${name}=${value}&count=1`)),
    ...['lastSeen', 'firstSeen', 'occurrences', 'users', 'title', 'due'].flatMap((sort) => [
      `?sort=${sort}&limit=1`,
      `?sort=-${sort}&limit=200`,
    ]),
    ...['c', 'ca', 'canary', 'of a', 'title'].map((search) => `?search=${encodeURIComponent(search)}&count=1`),
    ...['c', 'canary', 'of a', 'a canary'].map((q) => `?q=${encodeURIComponent(q)}&count=1`),
    '?fields.code=canary',
    '?fields.body=canary&count=1',
    '?state=nosuch',
    '?state=open,closed',
    '?sort=x',
    '?limit=0',
    '?inbox=nosuch',
    '?view=nosuch',
    '?cursor=x',
    '?a=b',
    '?fields=title,record',
    '?fields=canary',
  ],
  '/search': ['', '?q=c', '?q=canary', '?q=of+a&types=records', '?q=canary&limit=1', '?q=x'],
  '/inboxes': ['', '?limit=1', '?limit=200'],
  '/views': ['', '?limit=1', '?limit=200'],
  '/people': ['', '?inbox=mail', '?q=c', '?q=canary', '?inbox=bugs', '?limit=1'],
  '/changes': ['', `?after=${start}`, `?after=${start}&limit=1`, `?after=${start}&limit=200`, '?after=x'],
  '/live': ['', '?ticket=x'],
  '/app': [''],
  '/counts': ['', '?inbox=mail'],
  '/tags': ['', '?q=c', '?q=canary', '?inbox=mail', '?inbox=bugs', '?inbox=nosuch'],
  '/items/summary': [
    '',
    ...['inbox', 'state', 'tag', 'assignee', 'record', 'day', 'fields.canary', 'nosuch'].map((by) => `?by=${by}`),
    '?by=record&q=canary',
    '?by=tag&inbox=bugs',
    '?by=inbox&view=nosuch',
  ],
  '/items/batch': ['', `?ids=${[...hidden, 'nosuch'].join(',')}`, '?ids=x&fields=nosuch'],
  '/me': [''],
  '/sign-in/methods': [''],
  '/sign-in/oidc': ['', '?returnTo=%2Fenv%2Fdemo', '?fresh=true'],
  '/actions': ['', '?limit=1', '?limit=200'],
  '/runs': [
    '',
    '?limit=1',
    '?limit=200',
    ...['open', 'greet', 'look', 'asked', 'slow'].map((action) => `?action=${action}`),
    ...['pending', 'succeeded', 'failed', 'rejected'].flatMap((status) => [
      `?status=${status}`,
      `?status=${status}&action=greet`,
    ]),
  ],
  '/resources': ['', '?limit=1', '?limit=200'],
  '/resources/customer': ['', '?q=c', '?q=canary'],
  '/resources/customer/list': ['', '?limit=1', '?q=canary', '?sort=title', '?filters={}'],
  '/approvals': [
    '',
    '?limit=1',
    ...['pending', 'approved', 'rejected', 'expired', 'cancelled', 'stale', 'answered'].flatMap((status) => [
      `?status=${status}`,
      `?status=${status}&limit=1`,
    ]),
  ],
  '/resources/payment': ['', '?q=p'],
  '/resources/payment/list': ['', '?limit=1'],
  '/bulk': ['', '?limit=1', '?limit=200', '?status=done', '?status=queued'],
  '/flags': ['', '?limit=1', '?limit=200'],
  '/pages': ['', '?limit=1', '?limit=200'],
  '/pages/mixed': ['', '?params={}', `?params=${encodeURIComponent('{"q":"c"}')}`, '?params={"x":"y"}'],
  '/audit': [
    '',
    '?limit=1',
    '?limit=200',
    `?target=${hidden[0] ?? ''}`,
    `?actor=${admin.id}&limit=200`,
    '?verb=item.create',
    '?verb=item.triage',
    '?verb=bulk.create',
  ],
});

/** Values of the parameters of the list of items. */
export const poolsOf = ({
  hiddenPerson,
  hiddenViews,
  start,
}: Planted): Readonly<Record<string, readonly string[]>> => ({
  inbox: ['mail', 'bugs', 'nosuch'],
  view: ['all', 'nosuch', ...hiddenViews],
  state: ['open', 'waiting', 'closed', 'open,closed', 'nosuch'],
  tags: ['a', 'a,b', 'canary'],
  assignee: ['none', 'me', hiddenPerson],
  search: ['c', 'canary', 'of', 'hidden record'],
  overdue: ['0', '1', 'x'],
  triaged: ['0', '1'],
  snoozed: ['0', '1'],
  sort: ['-lastSeen', 'title', 'due', '-users', 'x'],
  limit: ['1', '3', '200', '0'],
  count: ['1'],
  cursor: ['x', start],
});

/** Values of the parameters of all lists. */
export const morePoolsOf = (planted: Planted): Readonly<Record<string, readonly string[]>> => ({
  ...poolsOf(planted),
  status: ['pending', 'approved', 'rejected', 'succeeded', 'failed', 'x'],
  action: ['greet', 'open', 'nosuch'],
  q: ['c', 'canary', 'p', 'ada'],
  filters: ['{}', '{"email":"x"}', '{"x":1}', '['],
  params: ['{}', '{"q":"c"}', '{'],
  after: [planted.start, 'x'],
  historyCursor: ['x', planted.start],
});

/** The calls of each tool that takes arguments, but for those of actions. */
export const toolCallsOf = ({
  hidden,
  linked,
  hiddenPerson,
  hiddenBulk,
  ownBulk,
  runs,
  approvals,
  start,
}: Planted): Readonly<Record<string, readonly [string, object][]>> => {
  const ids = [...hidden, ...linked];
  const each = (name: string, list: readonly string[], more: object = {}): [string, object][] =>
    list.map((id) => [name, { id, ...more }]);
  const refs: readonly [string, string][] = [
    ['customer', 'c1'],
    ['customer', 'c2'],
    ['payment', 'p1'],
  ];
  return {
    get_item: each('get_item', ids),
    claim_item: each('claim_item', ids),
    release_item: each('release_item', ids),
    get_item_timeline: each('get_item_timeline', ids),
    get_item_occurrences: each('get_item_occurrences', ids),
    set_item_state: each('set_item_state', ids, { state: 'nosuch' }),
    assign_item: each('assign_item', ids, { assignee: hiddenPerson }),
    tag_item: each('tag_item', ids, { add: ['a'] }),
    update_item: each('update_item', ids, { assignee: hiddenPerson, note: 'x' }),
    search: ['c', 'canary', 'of a'].map((q): [string, object] => ['search', { q }]),
    summarize_items: ['record', 'tag', 'inbox'].map((by): [string, object] => ['summarize_items', { by }]),
    get_items: [['get_items', { ids }]],
    snooze_item: each('snooze_item', ids, { until: 1 }),
    add_note: each('add_note', ids, { text: 'x', version: 1 }),
    reply_to_item: each('reply_to_item', ids, { subject: 'a' }),
    triage_item: each('triage_item', ids, { answers: { a: 1 } }),
    get_bulk: each('get_bulk', [hiddenBulk, ownBulk]),
    get_bulk_results: each('get_bulk_results', [hiddenBulk, ownBulk]),
    cancel_bulk: each('cancel_bulk', [hiddenBulk]),
    undo_bulk: each('undo_bulk', [hiddenBulk]),
    get_run: each('get_run', runs),
    cancel_run: each('cancel_run', runs),
    retry_run: each('retry_run', runs),
    get_approval: each('get_approval', approvals),
    cancel_approval: each('cancel_approval', approvals),
    ask_question: ids.map((item): [string, object] => ['ask_question', { text: 'x', options: ['a'], item }]),
    comment_on_approval: each('comment_on_approval', approvals, { text: 'x' }),
    search_records: [['search_records', { resource: 'customer', q: 'c' }]],
    list_records: [
      ['list_records', { resource: 'payment' }],
      ['list_records', { resource: 'customer', filters: { x: 1 } }],
    ],
    get_record: refs.map(([resource, id]) => ['get_record', { resource, id }]),
    get_related_records: refs.flatMap(([resource, id]) =>
      ['payments', 'thing', 'any', 'nosuch'].map((relation): [string, object] => [
        'get_related_records',
        { resource, id, relation },
      ]),
    ),
    get_page: [
      ['get_page', { page: 'mixed' }],
      ['get_page', { page: 'mixed', params: { q: 'c' } }],
    ],
    get_flag: [['get_flag', { flag: 'known' }]],
    get_flag_history: [['get_flag_history', { flag: 'known' }]],
    change_flag: [['change_flag', { flag: 'known', change: {} }]],
    available_actions: [['available_actions', { refs: refs.map(([resource, id]) => ({ resource, id })) }]],
    create_item: [['create_item', { inbox: 'mail', title: 'by a tool', data: {}, user: 'u' }]],
    bulk_items: [['bulk_items', { ids, operation: { type: 'action', action: 'open' }, dryRun: true }]],
    list_people: [['list_people', { inbox: 'mail' }]],
    list_changes: [
      ['list_changes', { after: start }],
      ['list_changes', { since: '2h', by: ['canary', 'me'] }],
      ['list_changes', { since: start, inboxes: ['canaryInbox', 'mail'], types: 'item, timeline' }],
    ],
    list_items: [
      ['list_items', {}],
      ['list_items', { search: 'canary', count: '1' }],
      ['list_items', { state: ['nosuch'] }],
      ['list_items', { q: 'canary', detail: 'full' }],
      ['list_items', { where: { code: 'canary' }, createdAfter: '1w' }],
    ],
    list_runs: [['list_runs', { limit: 200 }]],
    list_approvals: ['pending', 'approved', 'rejected'].map((status): [string, object] => [
      'list_approvals',
      { status },
    ]),
  };
};

/** A method, a path and a body. */
type Probe = (probe: string) => [string, string, unknown?];

/** Requests with a word in them. */
export const probesOf = ({ linked }: Planted): readonly Probe[] => [
  (probe) => ['GET', `/items?inbox=${probe}Inbox`],
  (probe) => ['GET', `/items?view=${probe}View`],
  (probe) => ['GET', `/items?view=${probe}View&inbox=mail`],
  (probe) => ['GET', `/items?state=${probe}State`],
  (probe) => ['GET', `/items?tags=${probe}&count=1`],
  (probe) => ['GET', `/items?search=${probe}&count=1`],
  (probe) => ['GET', `/items?q=${probe}&count=1`],
  (probe) => ['GET', `/items?fields.${probe}Field=x`],
  (probe) => ['GET', `/search?q=${probe}`],
  (probe) => ['GET', `/people?inbox=${probe}Inbox`],
  (probe) => ['GET', `/people?q=${probe}`],
  (probe) => ['GET', `/live?inboxes=${probe}Inbox`],
  (probe) => ['GET', `/runs?action=${probe}Action`],
  (probe) => ['GET', `/resources/${probe}Thing`],
  (probe) => ['GET', `/resources/${probe}Thing/list`],
  (probe) => ['GET', `/resources/${probe}Thing/${probe}-1`],
  (probe) => ['GET', `/resources/customer/c1/related/${probe}Relation`],
  (probe) => ['GET', `/resources/payment/p1/related/${probe}Relation`],
  (probe) => [
    'GET',
    `/resources/customer/list?filters=${encodeURIComponent(JSON.stringify({ [`${probe}Field`]: 'x' }))}`,
  ],
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
  (probe) => [
    'POST',
    '/items',
    { inbox: 'mail', title: 'x', links: [{ resource: `${probe}Thing`, id: `${probe}-1` }] },
  ],
  (probe) => ['POST', `/items/${linked[0] ?? ''}/state`, { state: `${probe}State` }],
  (probe) => ['PATCH', `/items/${linked[0] ?? ''}`, { state: `${probe}State`, dryRun: true }],
  (probe) => [
    'PATCH',
    `/items/${linked[0] ?? ''}`,
    { links: { add: [{ resource: `${probe}Thing`, id: `${probe}-1` }] } },
  ],
  (probe) => [
    'PATCH',
    `/items/${linked[0] ?? ''}`,
    { links: { remove: [{ resource: `${probe}Thing`, id: `${probe}-1` }] } },
  ],
  (probe) => ['POST', '/bulk', { ids: [linked[0]], operation: { type: 'action', action: `${probe}Action` } }],
  (probe) => ['POST', '/bulk', { query: { inbox: `${probe}Inbox` }, operation: { type: 'snooze', until: null } }],
  (probe) => ['POST', '/bulk', { query: { view: `${probe}View` }, operation: { type: 'snooze', until: null } }],
  (probe) => ['POST', '/bulk', { query: { tags: [probe] }, operation: { type: 'snooze', until: null }, dryRun: true }],
  (probe) => [
    'POST',
    '/bulk',
    { ids: [linked[0]], operation: { type: 'action', action: `${probe}OnThing`, confirmed: true } },
  ],
  (probe) => [
    'POST',
    '/bulk',
    { ids: [linked[0]], operation: { type: 'state', state: `${probe}State` }, dryRun: true },
  ],
];

const tool = (name: string, given: object): [string, string, unknown] => [
  'POST',
  '/mcp',
  { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
];
/** Calls of tools with a word in them. */
export const toolProbes: readonly Probe[] = [
  (probe) => tool(`action_${probe}Action`, { a: probe }),
  (probe) => tool(`action_${probe}OnThing`, { record: `${probe}-1`, confirmed: true }),
  (probe) => tool(`action_${probe}Asked`, { record: `${probe}-1` }),
  (probe) => tool('action_open', { record: `${probe}-1` }),
  (probe) => tool('action_greet', { record: `${probe}-1` }),
  (probe) => tool('list_items', { inbox: `${probe}Inbox` }),
  (probe) => tool('list_items', { view: `${probe}View` }),
  (probe) => tool('get_flag', { flag: `${probe}Flag` }),
  (probe) => tool('get_page', { page: `${probe}Page` }),
  (probe) => tool('get_record', { resource: `${probe}Thing`, id: `${probe}-1` }),
  (probe) => tool('list_records', { resource: `${probe}Thing` }),
  (probe) => tool('create_item', { inbox: `${probe}Inbox`, title: 'x' }),
  (probe) => tool('get_related_records', { resource: 'customer', id: 'c1', relation: `${probe}Relation` }),
  (probe) => tool('list_runs', { action: `${probe}Action` }),
  (probe) => tool(`${probe}`, {}),
];
