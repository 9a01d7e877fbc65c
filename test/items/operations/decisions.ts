/** An item, its inbox and a moment that the tests of item operations decide in, without a database, and the table that they are written as. */
import { expect } from 'chai';
import { compileAccess, fullAccess } from '../../../shared/accounts/access/access.ts';
import type { Person } from '../../../shared/accounts/access/principal.ts';
import {
  mergeDefinition,
  toEnvironment,
  type InboxDefinition,
  type StoredDefinition,
} from '../../../shared/app/manifest/definition.ts';
import { parseManifest } from '../../../shared/app/manifest/readManifest.ts';
import { Fault, type ErrorCode } from '../../../shared/catalogue/errors.ts';
import type { Item } from '../../../shared/items/model.ts';
import type {
  DecisionContext,
  EntryDraft,
  ItemDecision,
  ItemEffect,
  ItemOperation,
} from '../../../shared/items/operation.ts';

export const now = 1_795_000_000_000;
export const hour = 3_600_000;

const states = [
  { name: 'new', kind: 'open' },
  { name: 'parked', kind: 'waiting' },
  { name: 'done', kind: 'closed' },
  { name: 'dropped', kind: 'closed' },
];
const desk = {
  name: 'desk',
  states,
  transitions: { new: ['parked', 'done'], parked: ['new', 'done', 'dropped'], done: ['new'], dropped: [] },
  responseTime: hour,
  reply: { via: 'app' },
};
const manifest = parseManifest({
  inboxes: [
    desk,
    { name: 'plain' },
    { name: 'few', onOccurrence: { keep: 2, update: true } },
    { name: 'letters', reply: { via: 'smtp', from: 'us@example.com', to: '{{item.fields.email}}' } },
    { name: 'endless', states: states.slice(0, 2) },
    { name: 'bugs', responseTime: hour, onOccurrence: { reopen: ['closed'], wake: true }, triage: { app: true } },
  ],
});
const formerly = parseManifest({
  inboxes: [{ ...desk, states: [...states, { name: 'lost', kind: 'open' }] }, { name: 'gone' }],
});
const stored: StoredDefinition = mergeDefinition(mergeDefinition({ inboxes: [] }, formerly), manifest);

const env = toEnvironment({
  id: 1,
  name: 'demo',
  epoch: 1,
  seal_key: Buffer.alloc(32),
  closed: false,
  manifest,
  definition: stored,
  rules: null,
});

/** An inbox: `desk` has all that an inbox can declare, `gone` and the state `lost` of `desk` are retired. */
export const inboxOf = (name: string): InboxDefinition => {
  const inbox = env.definition.inboxes.get(name);
  if (inbox === undefined) throw new Error(`There is no inbox ${name}.`);
  return inbox;
};

/** An item of `desk` that is new and has a deadline. */
export const plainItem: Item = {
  id: 'itm_1',
  inbox: 'desk',
  title: 'Help',
  state: 'new',
  priority: 'normal',
  closed: false,
  record: null,
  links: [],
  tags: ['b'],
  assignee: null,
  delegate: null,
  claim: null,
  occurrences: 1,
  users: 0,
  firstSeen: 5,
  lastSeen: 5,
  dueAt: now + 1,
  fields: '{}',
  snoozedUntil: null,
  triaged: false,
  triage: null,
  key: null,
  occurredEntry: null,
  createdAt: 5,
  updatedAt: 5,
  version: 3,
};
export const closedItem: Partial<Item> = { state: 'done', closed: true, dueAt: null };

const personOf = (id: string, more: Partial<Person> = {}): [string, Person] => [
  id,
  { id, name: id, role: 'admin', access: fullAccess, environments: ['*'], ...more },
];
const people = new Map([
  personOf('ana'),
  personOf('bo'),
  personOf('blind', { access: compileAccess([{ on: 'inbox:bugs', can: ['*'] }]) }),
  personOf('away', { environments: ['staging'] }),
]);

const agents = new Map([
  personOf('robot'),
  personOf('blind-robot', { access: compileAccess([{ on: 'inbox:bugs', can: ['*'] }]) }),
]);

export const by = { type: 'agent', id: 'agt_1', name: 'Robin' } as const;

/** The moment `now`; new ids count up from `ent_new1`. */
export const newMoment = (): DecisionContext => {
  let ids = 0;
  return {
    at: now,
    by,
    env,
    person: (id) => people.get(id),
    agent: (id) => agents.get(id),
    isAnswered: () => false,
    seesResource: (name) => name === 'order',
    newId: (prefix) => `${prefix}_new${String((ids += 1))}`,
  };
};

/** What a decision is expected to be: nothing, a fault by its code, or the members that change and all that is written. */
export type Expected =
  | 'unchanged'
  | { readonly fault: ErrorCode; readonly path?: string }
  | {
      readonly changes: Partial<Item>;
      readonly entries: readonly EntryDraft[];
      readonly jobs?: ItemEffect['jobs'];
      readonly users?: ItemEffect['users'];
      readonly occurrences?: ItemEffect['occurrences'];
    };

export const expectDecision = (decision: ItemDecision, item: Item, expected: Expected): void => {
  if (expected === 'unchanged') expect(decision).to.equal('unchanged');
  else if ('fault' in expected) {
    if (!(decision instanceof Fault)) expect.fail(`a fault ${expected.fault} instead of ${JSON.stringify(decision)}`);
    expect(decision.code).to.equal(expected.fault);
    if (expected.path !== undefined) expect(decision.extra.details?.map(({ path }) => path)).to.include(expected.path);
  } else {
    const { changes, ...written } = expected;
    expect(decision).to.deep.equal({ item: { ...item, ...changes }, ...written });
  }
};

export interface Case<I> {
  readonly title: string;
  readonly input: I;
  /** Of the plain item; `inbox` among them decides the inbox. */
  readonly item?: Partial<Item>;
  readonly expected: Expected;
}

/** One test for each case: what the operation decides, and that it leaves the item that it was given as it was. */
export const decides = <I>(operation: ItemOperation<I>, cases: readonly Case<I>[]): void => {
  describe(`${operation.name} decides`, () => {
    for (const { title, input, item: more, expected } of cases)
      it(title, () => {
        const item: Item = { ...plainItem, ...more };
        const before = structuredClone(item);
        expectDecision(operation.decide(item, inboxOf(item.inbox), input, newMoment()), item, expected);
        expect(item).to.deep.equal(before);
      });
  });
};

/** One test for each body that the operation refuses with `invalid` before any item is read. */
export const refuses = <I>(
  operation: ItemOperation<I>,
  bodies: readonly (readonly [title: string, body: unknown, path: string])[],
): void => {
  describe(`${operation.name} refuses`, () => {
    for (const [title, body, path] of bodies)
      it(title, () => {
        const check = (): unknown => operation.check(body, now);
        expect(check)
          .to.throw(Fault)
          .with.nested.property('extra.details')
          .that.satisfies((details: readonly { path: string }[]) => details.some((place) => place.path === path), path);
      });
  });
};
