/** What the two environments of the permission matrix declare, named after its columns, and what their app answers. */
import type { Thing } from './columns.ts';

/** What has a name is named after its column, but for what is not here. */
export const nameOf = (thing: Thing): string => (thing === 'else' ? 'elsewhere' : thing === 'no' ? 'nosuch' : thing);
const responder = { via: 'app' } as const;

const resourceOf = (name: string): object => ({
  name,
  source: 'stored',
  relations: [{ name: 'same', resource: name, field: 'same' }],
});
export const record = { id: 'rec', title: 'A record' };
/** A record of `elsewhere` that `demo` doesn't have, for the row that asks for one. */
export const there = 'rec_there';

/** Of the resource that the clerk sees unless said otherwise. */
const actions = [
  { name: 'own' },
  { name: 'seen' },
  { name: 'hidden', resource: 'hidden' },
  { name: 'hiddenAsked', resource: 'hidden', approval: true },
  { name: 'served', resource: 'served' },
  { name: 'asked', approval: true },
  { name: 'fresh', freshSignIn: true },
  { name: 'danger', danger: 'high' },
  { name: 'background', background: true },
].map((action) => ({ resource: 'own', input: { type: 'object' }, ...action }));
const free = ['free', 'bare'].map((name) => ({ name, input: { type: 'object' } }));

export const manifest = {
  resources: [
    ...['own', 'hidden'].map(resourceOf),
    { name: 'served', source: 'app', relations: [{ name: 'same', resource: 'served' }] },
  ],
  actions: [...actions, ...free],
  inboxes: ['own', 'readOnly', 'hidden'].map((name) => ({ name, reply: responder })),
  views: ['own', 'hidden'].map((inbox) => ({ name: inbox, inbox })),
  flags: ['own', 'readOnly', 'hidden'].map((key) => ({ key, kind: 'boolean', default: false })),
  pages: ['own', 'hidden'].map((name) => ({
    name,
    blocks: [{ type: 'items', source: 'items', query: { inbox: name } }],
  })),
};
export const otherManifest = {
  resources: [resourceOf('own'), resourceOf('elsewhere')],
  actions: [
    { name: 'elsewhere', resource: 'elsewhere' },
    { name: 'asked', resource: 'own', approval: true, input: { type: 'object' } },
    { name: 'own', resource: 'own' },
  ],
  inboxes: ['own', 'elsewhere'].map((name) => ({ name, reply: responder })),
  views: [{ name: 'elsewhere', inbox: 'elsewhere' }],
  pages: [{ name: 'elsewhere', blocks: [] }],
  flags: [{ key: 'elsewhere', kind: 'boolean', default: false }],
};

/** What the app answers: one record of what it serves, and that every action is done. */
export const serving = {
  'action.run': () => ({ message: 'Done.', blocks: [] }),
  'records.search': () => ({ records: [record] }),
  'records.list': () => ({ records: [record], cursor: null }),
  'records.related': () => ({ records: [record], cursor: null }),
  'records.get': ({ ids }: { ids: readonly string[] }) => ({ records: [record].filter(({ id }) => ids.includes(id)) }),
};
