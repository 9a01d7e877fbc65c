/** 120 items of six inboxes for the tests of lists, and the order in which the contract lists them. Used by lists.test.ts. */
import { type Client } from '../support/http.ts';
import { clerkGrants, testManifest } from '../support/manifest.ts';

export interface Item {
  readonly id: string;
  readonly inbox: string;
  readonly title: string;
  readonly state: string;
  readonly tags: readonly string[];
  readonly assignee: string | null;
  readonly occurrences: number;
  readonly users: number;
  readonly firstSeen: number;
  readonly lastSeen: number;
  readonly dueAt: number | null;
  readonly snoozedUntil: number | null;
  readonly triaged: boolean;
}

export const manifest = {
  ...testManifest,
  inboxes: [
    ...testManifest.inboxes,
    { name: 'late', responseTime: 1 },
    {
      name: 'plain',
      states: [
        { name: 'new', kind: 'open' },
        { name: 'done', kind: 'closed' },
      ],
    },
    { name: 'crowd' },
  ],
  views: [
    ...testManifest.views,
    { name: 'billing', label: 'Billing', inbox: 'mail', tags: 'billing', sort: 'title' },
    { name: 'mine', assignee: 'me' },
    { name: 'lateOnes', overdue: '1', snoozed: '0', search: 'item' },
  ],
};
export const grants = [
  ...clerkGrants,
  { on: 'inbox:late', can: ['*'] },
  { on: 'inbox:plain', can: ['*'] },
  { on: 'inbox:crowd', can: ['see'] },
];

export const sorts = {
  lastSeen: (item: Item) => item.lastSeen,
  firstSeen: (item: Item) => item.firstSeen,
  occurrences: (item: Item) => item.occurrences,
  users: (item: Item) => item.users,
  title: (item: Item) => item.title.toLowerCase(),
  due: (item: Item) => item.dueAt,
} as const;
export type Sort = keyof typeof sorts;

/** By code point, as UTF-16 order differs from it above the surrogates. */
const compare = (a: string | number, b: string | number): number =>
  typeof a === 'number' && typeof b === 'number'
    ? a - b
    : Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));

/** The order that the contract describes: ties by id in the same direction, items without a deadline last in both. */
export const ordered = (items: readonly Item[], sort: Sort, descending: boolean): string[] => {
  const direction = descending ? -1 : 1;
  return [...items]
    .sort((one, other) => {
      const [a, b] = [sorts[sort](one), sorts[sort](other)];
      if ((a === null) !== (b === null)) return a === null ? 1 : -1;
      const order = a === null || b === null ? 0 : compare(a, b);
      return direction * (order === 0 ? compare(one.id, other.id) : order);
    })
    .map((item) => item.id);
};

/** Makes the items; some of them are assigned to a person, snoozed, triaged or in another state. */
export const makeItems = async (admin: Client, ana: Client): Promise<void> => {
  const inboxes = ['mail', 'bugs', 'late', 'plain', 'refunds', 'secret'];
  const titles = [
    'Item one',
    'item Two',
    'ITEM zwölf',
    'Änderung 100%',
    'a_b c\\d',
    'Déjà vu',
    '注文が届かない',
    '😀 smile',
    "It's 5 & !6",
    'item one',
  ];
  const make = async (i: number): Promise<void> => {
    const inbox = inboxes[i % inboxes.length] ?? '';
    const body = {
      inbox,
      title: titles[i % titles.length],
      key: `k${String(i)}`,
      ...(i % 3 === 0 ? { user: 'u' } : {}),
      tags: [...(i % 2 === 0 ? ['billing'] : []), ...(i % 5 === 0 ? ['late fee'] : [])],
    };
    let { item } = (await admin.post('/items', body)).body;
    for (let n = 0; n < i % 4; n++)
      item = (await admin.post('/items', { ...body, ...(n % 2 === 0 ? { user: `u${String(n)}` } : {}) })).body.item;
    const change = (verb: string, what: object) => admin.post(`/items/${item.id}/${verb}`, what);
    if (i % 7 === 0) await change('assign', { assignee: ana.id });
    if (i % 11 === 0) await change('snooze', { until: Date.now() + 3_600_000 });
    else if (i % 13 === 0)
      await change('triage', {
        answers: { spam: 'yes' },
        ...(inbox === 'refunds' ? { state: 'declined' } : { close: true }),
      });
    else if (i % 9 === 0) await change('state', { state: { refunds: 'approved', plain: 'done' }[inbox] ?? 'waiting' });
  };
  for (let i = 0; i < 120; i += 8) await Promise.all(Array.from({ length: 8 }, (_, n) => make(i + n)));
};
