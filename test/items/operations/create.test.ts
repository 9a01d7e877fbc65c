/** What creating an item decides: a new one, or occurrences of the one that has its key. */
import { expect } from 'chai';
import { Fault } from '../../../shared/catalogue/errors.ts';
import { limits } from '../../../shared/catalogue/limits.ts';
import type { Item } from '../../../shared/items/model.ts';
import type { EntryDraft, OccurrenceDraft } from '../../../shared/items/operation.ts';
import { decideCreate, parseCreateInput } from '../../../shared/items/operations/create.ts';
import {
  by,
  closedItem,
  expectDecision,
  hour,
  inboxOf,
  newMoment,
  now,
  plainItem,
  type Expected,
} from './decisions.ts';

type CreateContext = Parameters<typeof decideCreate>[0];
type Reported = CreateContext['happened'][0];

const reported = (more: Partial<Reported> = {}): Reported => ({
  at: now,
  title: 'Help',
  data: '{}',
  user: null,
  ...more,
});
/** The row of an occurrence: `id` is the number of the new id, or the item's for its creation. */
const row = (id: string, more: Partial<Reported> = {}, overflow = false): OccurrenceDraft => ({
  ...reported(more),
  id: `occ_${id}`,
  overflow,
});

const creating = (inbox: string, more: Partial<CreateContext> = {}): CreateContext => ({
  existing: null,
  inbox: inboxOf(inbox),
  input: { inbox, title: 'Help' },
  happened: [reported()],
  facts: { recordTitle: null, newUsers: [] },
  ...more,
});
const newItem: Item = {
  ...plainItem,
  id: 'itm_new1',
  tags: [],
  firstSeen: now,
  lastSeen: now,
  dueAt: now + hour,
  createdAt: now,
  updatedAt: now,
  version: 1,
};
/** An entry of an occurrence: what the event refers to, and what readers get. */
const occurred = (
  from: number,
  to: number,
  { overflow: _, ...row }: OccurrenceDraft,
  more: Partial<EntryDraft> = {},
): EntryDraft => ({
  type: 'occurred',
  data: { occurrences: { from, to }, occurrence: { id: row.id, at: row.at } },
  shownData: JSON.stringify({
    occurrences: { from, to },
    occurrence: { id: row.id, at: row.at, title: row.title, data: JSON.parse(row.data) as unknown, user: row.user },
  }),
  ...more,
});

interface CreateCase {
  readonly title: string;
  readonly given: CreateContext;
  readonly expected: Expected;
}

const created: EntryDraft = { type: 'created', data: {} };
const three: CreateContext['happened'] = [
  reported({ at: 1, data: '{"a":1}', user: 'u1' }),
  reported({ at: 1, title: 'Again', user: 'u2' }),
  reported({ at: 2, user: 'u1' }),
];

const creations: readonly CreateCase[] = [
  { title: 'a fault in an inbox that is retired', given: creating('gone'), expected: { fault: 'conflict' } },
  {
    title: 'an item in the first state with a deadline, and its first occurrence',
    given: creating('desk'),
    expected: { changes: {}, entries: [created], users: [], occurrences: [row('new1')], jobs: [] },
  },
  {
    title: 'no deadline without a response time',
    given: creating('plain'),
    expected: {
      changes: { inbox: 'plain', state: 'open', dueAt: null },
      entries: [created],
      users: [],
      occurrences: [row('new1')],
      jobs: [],
    },
  },
  {
    title: 'all that was given, tags sorted and each once, and an entry for each further occurrence of a conversation',
    given: creating('desk', {
      input: {
        inbox: 'desk',
        title: 'Help',
        data: { a: 1 },
        record: { resource: 'customer', id: 'c1' },
        links: [{ resource: 'order', id: 'o1' }],
        tags: ['z', 'a', 'z'],
        key: 'k',
      },
      happened: three,
      facts: { recordTitle: 'Ada', newUsers: ['u1', 'u2'] },
    }),
    expected: {
      changes: {
        fields: '{"a":1}',
        record: { resource: 'customer', id: 'c1', title: 'Ada' },
        links: [{ resource: 'order', id: 'o1' }],
        tags: ['a', 'z'],
        key: 'k',
        occurrences: 3,
        users: 2,
        firstSeen: 1,
        lastSeen: 2,
      },
      entries: [created, occurred(1, 2, row('new2', three[1])), occurred(2, 3, row('new3', three[2]))],
      users: ['u1', 'u2'],
      occurrences: [row('new1', three[0]), row('new2', three[1]), row('new3', three[2])],
      jobs: [],
    },
  },
  {
    title: 'a job where triage is declared',
    given: creating('bugs'),
    expected: {
      changes: { inbox: 'bugs', state: 'open' },
      entries: [created],
      users: [],
      occurrences: [row('new1')],
      jobs: [{ id: 'job_new2', name: 'triageItem', payload: { item: 'itm_new1' }, subject: 'itm_new1', dueAt: now }],
    },
  },
  {
    title: 'the rows that the inbox keeps, and one entry for all that came with the creation',
    given: creating('few', { happened: three }),
    expected: {
      changes: {
        inbox: 'few',
        state: 'open',
        dueAt: null,
        title: 'Help',
        occurrences: 3,
        users: 2,
        firstSeen: 1,
        lastSeen: 2,
        fields: '{}',
        occurredEntry: { at: now, to: 3, entry: { id: 'ent_new4', from: 1, actor: by } },
      },
      entries: [created, occurred(1, 3, row('new3', three[2]), { id: 'ent_new4' })],
      users: ['u1', 'u2'],
      occurrences: [row('new2', three[1]), row('new3', three[2], true)],
      jobs: [],
    },
  },
];

const bug: Item = { ...plainItem, inbox: 'bugs', state: 'open', occurrences: 4 };
const occurring = (more: Partial<Item>, given: Partial<CreateContext> = {}): CreateContext =>
  creating('bugs', { existing: { ...bug, ...more }, ...given });
const young = {
  at: now - limits.occurredEntryMs + 1,
  to: 4,
  entry: { id: 'ent_1', from: 2, actor: { type: 'app', id: 'key_1', name: 'Shop' } },
} as const;
/** What the fifth occurrence writes while the last entry is young. */
const fifth = {
  changes: { occurrences: 5, lastSeen: now, occurredEntry: { ...young, to: 5 } },
  entry: occurred(2, 5, row('new1'), { id: 'ent_1', original: { at: young.at, actor: young.entry.actor } }),
  written: { users: [], occurrences: [row('new1')] },
};

const occurrences: readonly CreateCase[] = [
  {
    title: 'a count, the later time, the new users, and an entry with the newest',
    given: occurring(
      { users: 1 },
      {
        happened: [reported({ at: 1 }), reported({ title: 'B', user: 'u' })],
        facts: { recordTitle: null, newUsers: ['u'] },
      },
    ),
    expected: {
      changes: {
        occurrences: 6,
        users: 2,
        lastSeen: now,
        occurredEntry: { at: now, to: 6, entry: { id: 'ent_new3', from: 4, actor: by } },
      },
      entries: [occurred(4, 6, row('new2', { title: 'B', user: 'u' }), { id: 'ent_new3' })],
      users: ['u'],
      occurrences: [row('new1', { at: 1 }), row('new2', { title: 'B', user: 'u' })],
    },
  },
  {
    title: 'no earlier time from a report that comes late',
    given: occurring({ lastSeen: 9 }, { happened: [reported({ at: 8 })] }),
    expected: {
      changes: {
        occurrences: 5,
        occurredEntry: { at: now, to: 5, entry: { id: 'ent_new2', from: 4, actor: by } },
        lastSeen: 9,
      },
      entries: [occurred(4, 5, row('new1', { at: 8 }), { id: 'ent_new2' })],
      users: [],
      occurrences: [row('new1', { at: 8 })],
    },
  },
  {
    title: 'another count of the entry while it is young',
    given: occurring({ occurredEntry: young }),
    expected: { changes: fifth.changes, entries: [fifth.entry], ...fifth.written },
  },
  {
    title: 'an entry over all that came since one of a release that did not update it',
    given: occurring({ occurrences: 9, occurredEntry: { at: young.at, to: 4 } }),
    expected: {
      changes: {
        occurrences: 10,
        lastSeen: now,
        occurredEntry: { at: now, to: 10, entry: { id: 'ent_new2', from: 4, actor: by } },
      },
      entries: [occurred(4, 10, row('new1'), { id: 'ent_new2' })],
      ...fifth.written,
    },
  },
  {
    title: 'a new entry when the last one is old',
    given: occurring({ occurredEntry: { ...young, at: now - limits.occurredEntryMs } }),
    expected: {
      changes: {
        occurrences: 5,
        lastSeen: now,
        occurredEntry: { at: now, to: 5, entry: { id: 'ent_new2', from: 4, actor: by } },
      },
      entries: [occurred(4, 5, row('new1'), { id: 'ent_new2' })],
      ...fifth.written,
    },
  },
  {
    title: 'an entry of its own for each in a conversation',
    given: creating('desk', { existing: { ...plainItem, occurrences: 4, occurredEntry: young } }),
    expected: {
      changes: { occurrences: 5, lastSeen: now, occurredEntry: null },
      entries: [occurred(4, 5, row('new1'))],
      ...fifth.written,
    },
  },
  {
    title: 'title and fields of the newest where the inbox takes them over, unless it comes late',
    given: creating('few', {
      existing: { ...plainItem, inbox: 'few', occurredEntry: young, occurrences: 4, dueAt: null },
      happened: [reported({ title: 'New', data: '{"n":1}' })],
    }),
    expected: {
      changes: { ...fifth.changes, title: 'New', fields: '{"n":1}', dueAt: null, inbox: 'few' },
      entries: [
        occurred(2, 5, row('new1', { title: 'New', data: '{"n":1}' }), {
          id: 'ent_1',
          original: { at: young.at, actor: young.entry.actor },
        }),
      ],
      users: [],
      occurrences: [row('new1', { title: 'New', data: '{"n":1}' })],
    },
  },
  {
    title: 'the title that it has where a report comes late',
    given: creating('few', {
      existing: { ...plainItem, inbox: 'few', occurredEntry: young, occurrences: 5, lastSeen: 9 },
      happened: [reported({ title: 'Late', at: 8 })],
    }),
    expected: {
      changes: { occurrences: 6, occurredEntry: { ...young, to: 6 }, inbox: 'few', lastSeen: 9 },
      entries: [
        occurred(2, 6, row('new1', { title: 'Late', at: 8 }), {
          id: 'ent_1',
          original: { at: young.at, actor: young.entry.actor },
        }),
      ],
      users: [],
      occurrences: [row('new1', { title: 'Late', at: 8 }, true)],
    },
  },
  {
    title: 'an open item with a deadline, out of a closed one',
    given: occurring({ ...closedItem, state: 'closed', occurredEntry: young }),
    expected: {
      changes: { ...fifth.changes, state: 'open', closed: false, dueAt: now + hour },
      entries: [fifth.entry, { type: 'state', data: { from: 'closed', to: 'open' } }],
      ...fifth.written,
    },
  },
  {
    title: 'a closed item without a deadline where triage has closed it',
    given: occurring({ ...closedItem, state: 'closed', triaged: true, occurredEntry: young }),
    expected: { changes: fifth.changes, entries: [fifth.entry], ...fifth.written },
  },
  {
    title: 'the state that it is in where the inbox does not reopen it',
    given: occurring({ state: 'waiting', occurredEntry: young }),
    expected: { changes: fifth.changes, entries: [fifth.entry], ...fifth.written },
  },
  {
    title: 'an end of the snooze where the inbox wakes',
    given: occurring({ snoozedUntil: now + 1, occurredEntry: young }),
    expected: {
      changes: { ...fifth.changes, snoozedUntil: null },
      entries: [fifth.entry, { type: 'woken', data: { from: now + 1 } }],
      ...fifth.written,
    },
  },
  {
    title: 'a deadline for an open item that has none',
    given: occurring({ dueAt: null, occurredEntry: young }),
    expected: { changes: { ...fifth.changes, dueAt: now + hour }, entries: [fifth.entry], ...fifth.written },
  },
];

describe('item.create', () => {
  describe('of a new item decides', () => {
    for (const { title, given, expected } of creations)
      it(title, () => {
        expectDecision(decideCreate(given, newMoment()), newItem, expected);
      });
  });

  describe('of an item that is there decides', () => {
    for (const { title, given, expected } of occurrences)
      it(title, () => {
        const before = structuredClone(given.existing);
        expectDecision(decideCreate(given, newMoment()), given.existing ?? newItem, expected);
        expect(given.existing).to.deep.equal(before);
      });
  });

  it('refuses more data than an item holds, by bytes and by keys', () => {
    const body =
      (data: object): (() => unknown) =>
      () =>
        parseCreateInput({ inbox: 'desk', title: 'x', data });
    const manyKeys = Object.fromEntries(Array.from({ length: limits.dataKeys + 1 }, (_, i) => [`k${String(i)}`, 0]));
    expect(body({ a: 'x'.repeat(limits.dataBytes) })).to.throw(Fault, 'data: must be at most');
    expect(body(manyKeys)).to.throw(Fault, 'data: must have at most');
    expect(body({ a: 'x'.repeat(limits.dataBytes - 8) })).not.to.throw();
  });
});
