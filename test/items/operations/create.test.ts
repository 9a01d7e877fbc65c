/** What creating an item decides: a new one, or occurrences of the one that has its key. */
import { expect } from 'chai';
import { Fault } from '../../../shared/catalogue/errors.ts';
import { limits } from '../../../shared/catalogue/limits.ts';
import type { Item } from '../../../shared/items/model.ts';
import { decideCreate, parseCreateInput } from '../../../shared/items/operations/create.ts';
import { closedItem, expectDecision, hour, inboxOf, newMoment, now, plainItem, type Expected } from './decisions.ts';

type CreateContext = Parameters<typeof decideCreate>[0];

const creating = (inbox: string, more: Partial<CreateContext> = {}): CreateContext => ({
  existing: null,
  inbox: inboxOf(inbox),
  input: { inbox, title: 'Help' },
  happened: { count: 1, from: now, to: now, users: [] },
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

interface CreateCase {
  readonly title: string;
  readonly given: CreateContext;
  readonly expected: Expected;
}

const creations: readonly CreateCase[] = [
  { title: 'a fault in an inbox that is retired', given: creating('gone'), expected: { fault: 'conflict' } },
  {
    title: 'an item in the first state with a deadline',
    given: creating('desk'),
    expected: { changes: {}, entries: [{ type: 'created', data: {} }], users: [], jobs: [] },
  },
  {
    title: 'no deadline without a response time',
    given: creating('plain'),
    expected: {
      changes: { inbox: 'plain', state: 'open', dueAt: null },
      entries: [{ type: 'created', data: {} }],
      users: [],
      jobs: [],
    },
  },
  {
    title: 'all that was given, tags sorted and each once',
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
      happened: { count: 3, from: 1, to: 2, users: ['u1', 'u2'] },
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
      entries: [{ type: 'created', data: {} }],
      users: ['u1', 'u2'],
      jobs: [],
    },
  },
  {
    title: 'a job where triage is declared',
    given: creating('bugs'),
    expected: {
      changes: { inbox: 'bugs', state: 'open' },
      entries: [{ type: 'created', data: {} }],
      users: [],
      jobs: [{ id: 'job_new2', name: 'triageItem', payload: { item: 'itm_new1' }, subject: 'itm_new1', dueAt: now }],
    },
  },
];

const bug: Item = { ...plainItem, inbox: 'bugs', state: 'open', occurrences: 4 };
const occurring = (more: Partial<Item>, given: Partial<CreateContext> = {}): CreateContext =>
  creating('bugs', { existing: { ...bug, ...more }, ...given });
const occurred = (from: number, to: number) => ({ type: 'occurred', data: { occurrences: { from, to } } }) as const;
const justTold = { at: now - limits.occurredEntryMs + 1, to: 4 };

const occurrences: readonly CreateCase[] = [
  {
    title: 'a count, the later time and the new users',
    given: occurring(
      { users: 1 },
      { happened: { count: 2, from: 1, to: now, users: ['u'] }, facts: { recordTitle: null, newUsers: ['u'] } },
    ),
    expected: {
      changes: { occurrences: 6, users: 2, lastSeen: now, occurredEntry: { at: now, to: 6 } },
      entries: [occurred(4, 6)],
      users: ['u'],
    },
  },
  {
    title: 'no earlier time from a report that comes late',
    given: occurring({ lastSeen: 9 }, { happened: { count: 1, from: 1, to: 8, users: [] } }),
    expected: { changes: { occurrences: 5, occurredEntry: { at: now, to: 5 } }, entries: [occurred(4, 5)], users: [] },
  },
  {
    title: 'no entry while the last one is young',
    given: occurring({ occurredEntry: justTold }),
    expected: { changes: { occurrences: 5, lastSeen: now }, entries: [], users: [] },
  },
  {
    title: 'an entry over all that came since the last one',
    given: occurring({ occurrences: 9, occurredEntry: { ...justTold, at: now - limits.occurredEntryMs } }),
    expected: {
      changes: { occurrences: 10, lastSeen: now, occurredEntry: { at: now, to: 10 } },
      entries: [occurred(4, 10)],
      users: [],
    },
  },
  {
    title: 'an open item with a deadline, out of a closed one',
    given: occurring({ ...closedItem, state: 'closed', occurredEntry: justTold }),
    expected: {
      changes: { occurrences: 5, lastSeen: now, state: 'open', closed: false, dueAt: now + hour },
      entries: [{ type: 'state', data: { from: 'closed', to: 'open' } }],
      users: [],
    },
  },
  {
    title: 'a closed item where triage has closed it',
    given: occurring({ ...closedItem, state: 'closed', triaged: true, occurredEntry: justTold }),
    expected: { changes: { occurrences: 5, lastSeen: now }, entries: [], users: [] },
  },
  {
    title: 'the state that it is in where the inbox does not reopen it',
    given: occurring({ state: 'waiting', occurredEntry: justTold }),
    expected: { changes: { occurrences: 5, lastSeen: now }, entries: [], users: [] },
  },
  {
    title: 'an end of the snooze where the inbox wakes',
    given: occurring({ snoozedUntil: now + 1, occurredEntry: justTold }),
    expected: {
      changes: { occurrences: 5, lastSeen: now, snoozedUntil: null },
      entries: [{ type: 'woken', data: { from: now + 1 } }],
      users: [],
    },
  },
  {
    title: 'a deadline for an open item that has none',
    given: occurring({ dueAt: null, occurredEntry: justTold }),
    expected: { changes: { occurrences: 5, lastSeen: now, dueAt: now + hour }, entries: [], users: [] },
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
