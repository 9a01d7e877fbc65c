/** The sentence that says what an approval would do: values stay what they are, whatever characters they are made of. */
import { expect } from 'chai';
import fc from 'fast-check';
import { compileAccess, fullAccess } from '../../shared/accounts/access/access.ts';
import type { ApprovalDraft } from '../../shared/approvals/model.ts';
import { approvalSentence } from '../../shared/views/approvals/sentence.ts';

const nothing = { flag: null, change: null, inbox: null, inboxes: null, operation: null, before: null, barred: [] };
const refund = { kind: 'action', action: 'refund', label: 'Refund', resource: 'order', record: 'o1', input: {} };
const draft = (members: object): ApprovalDraft =>
  // The sentence looks at these members alone.
  ({ ...nothing, ...refund, total: null, ...members }) as unknown as ApprovalDraft;
const blind = compileAccess([{ on: 'approvals', can: ['see'] }]);
const said = (members: object, access = fullAccess): string => approvalSentence(draft(members), access);
const item = (operation: object, label: string | null = null): object => ({
  kind: 'item',
  inbox: 'mail',
  before: { title: 'Help' },
  label,
  operation,
});
const bulk = (operation: object, more: object = {}): object => ({ kind: 'bulk', operation, total: 12, ...more });
const flag = (change: object): object => ({ kind: 'flag', flag: 'beta', change, before: { resource: 'order' } });
const ramp = { to: 50, over: 3_600_000, every: 60_000 };
const order = { resource: 'order', id: 'o1' };
const noon = Date.UTC(2026, 0, 1, 12);

/** What is asked for, what everybody reads who sees it, and what those read who see nothing of it. */
const cases: readonly (readonly [object, string, string])[] = [
  [{}, 'Refund on order "o1".', "Refund on a record you can't see."],
  [
    { before: { title: 'The order' }, input: { amount: 20, reason: 'duplicate' } },
    'Refund on order "o1" ("The order"), with amount "20", reason "duplicate".',
    `Refund on a record you can't see, with amount "20", reason "duplicate".`,
  ],
  [
    { resource: null, record: null, label: null, action: 'ping', input: { deep: { a: [1] }, no: null } },
    `ping, with deep "{'a':[1]}", no "null".`,
    `ping, with deep "{'a':[1]}", no "null".`,
  ],
  [
    { resource: null, record: null, label: '\u200b\u3164', action: 'ping', input: { n: 3 } },
    'ping, with n "3".',
    'ping, with n "3".',
  ],
  [
    item({ type: 'state', state: 'closed' }),
    'Set the state of "Help" to "closed".',
    `Set the state of a record you can't see to "closed".`,
  ],
  [
    item({ type: 'assign', assignee: 'per_1' }),
    'Assign "Help" to "per_1".',
    `Assign a record you can't see to "per_1".`,
  ],
  [
    item({ type: 'assign', assignee: 'per_1' }, 'Ana "Lind"'),
    `Assign "Help" to "Ana 'Lind'".`,
    `Assign a record you can't see to "Ana 'Lind'".`,
  ],
  [item({ type: 'assign', assignee: null }), 'Unassign "Help".', "Unassign a record you can't see."],
  [
    item({ type: 'tags', add: ['a', 'b'], remove: ['c'] }),
    'Change the tags of "Help": add "a", "b", remove "c".',
    `Change the tags of a record you can't see: add "a", "b", remove "c".`,
  ],
  [
    item({ type: 'snooze', until: noon }),
    'Snooze "Help" until "2026-01-01T12:00:00.000Z".',
    `Snooze a record you can't see until "2026-01-01T12:00:00.000Z".`,
  ],
  [item({ type: 'snooze', until: null }), 'Wake "Help".', "Wake a record you can't see."],
  [item({ type: 'note', text: 'Hi' }), 'Note on "Help": "Hi".', `Note on a record you can't see: "Hi".`],
  [
    item({ type: 'reply', subject: 'Re', text: 'Hi', then: { state: 'closed' } }),
    'Reply to "Help" with the subject "Re": "Hi", then state "closed".',
    `Reply to a record you can't see with the subject "Re": "Hi", then state "closed".`,
  ],
  [
    item({ type: 'create', inbox: 'mail', title: 'New', key: 'k', record: order }),
    'Report "Help" again, as "New", with key "k", record order "o1".',
    "Report a record you can't see again.",
  ],
  [
    { ...item({ type: 'create', inbox: 'mail', title: 'New', record: order, links: [order] }), before: null },
    'Create "New" in the inbox mail, with links order "o1", record order "o1".',
    "Create a record you can't see.",
  ],
  [
    item({ type: 'assign', delegate: 'agt_1' }),
    'Delegate "Help" to the agent "agt_1".',
    `Delegate a record you can't see to the agent "agt_1".`,
  ],
  [
    item({ type: 'assign', assignee: null, delegate: null }),
    'Unassign "Help", and delegate "Help" to no agent.',
    `Unassign a record you can't see, and delegate a record you can't see to no agent.`,
  ],
  [
    item({ type: 'update', delegate: 'agt_1' }),
    'Change "Help": delegated to the agent "agt_1".',
    `Change a record you can't see: delegated to the agent "agt_1".`,
  ],
  [
    item({
      type: 'update',
      state: 'closed',
      assignee: null,
      tags: { add: ['a'] },
      snooze: null,
      note: 'N',
      links: { add: [order] },
    }),
    'Change "Help": state "closed", nobody assigned, tags: add "a", no snooze, note "N", links: add order "o1".',
    `Change a record you can't see: state "closed", nobody assigned, tags: add "a", no snooze, note "N", links: add a record you can't see.`,
  ],
  [
    item({ type: 'triage', answers: { spam: 'no' } }),
    `Triage "Help": answers "{'spam':'no'}".`,
    `Triage a record you can't see: answers "{'spam':'no'}".`,
  ],
  [
    bulk({ type: 'state', state: 'closed' }),
    'Set the state of 12 items to "closed".',
    'Set the state of 12 items to "closed".',
  ],
  [
    bulk({ type: 'undo', bulk: 'blk_1' }, { total: 1 }),
    'Undo what the bulk "blk_1" did to 1 item.',
    'Undo what the bulk "blk_1" did to 1 item.',
  ],
  [
    bulk({ type: 'action', action: 'refund', input: { amount: 1 } }),
    'Refund on the records of 12 items, with amount "1".',
    'Refund on the records of 12 items, with amount "1".',
  ],
  [
    flag({ value: true, rollout: 12.5 }),
    'Change the flag beta: value "true", rollout "12.5" percent.',
    "Change a record you can't see.",
  ],
  [
    flag({ rollout: null, ramp: null }),
    'Change the flag beta: no rollout, stop its ramp.',
    "Change a record you can't see.",
  ],
  [
    flag({ ramp }),
    'Change the flag beta: a ramp to "50" percent over "1 h" in steps of "1 min".',
    "Change a record you can't see.",
  ],
  [
    flag({ ramp: { ...ramp, guard: { inbox: 'errors', above: 9, within: 60_000, then: 'stop' } } }),
    'Change the flag beta: a ramp to "50" percent over "1 h" in steps of "1 min", stopped by more than "9" occurrences in errors within "1 min".',
    "Change a record you can't see.",
  ],
  [
    flag({
      ramp: { ...ramp, guard: { inbox: 'errors', tag: 'new "checkout"', above: 9, within: 60_000, then: 'rollback' } },
    }),
    `Change the flag beta: a ramp to "50" percent over "1 h" in steps of "1 min", rolled back by more than "9" occurrences of items with the tag "new 'checkout'" in errors within "1 min".`,
    "Change a record you can't see.",
  ],
  [
    {
      ...flag({ ramp: { ...ramp, guard: { inbox: 'errors', tag: 'x', above: 9, within: 60_000, then: 'stop' } } }),
      warned: true,
    },
    'Change the flag beta: a ramp to "50" percent over "1 h" in steps of "1 min", stopped by more than "9" occurrences of items with the tag "x" in errors within "1 min", which no item had at the request.',
    "Change a record you can't see.",
  ],
  [flag({ rules: [] }), 'Change the flag beta: no rules.', "Change a record you can't see."],
  [
    flag({
      value: false,
      rollout: 0,
      rules: [{ when: { field: 'targetingKey', op: 'exists', value: true }, value: true }],
    }),
    'Change the flag beta: value "false", rollout "0" percent, first its rules: "true" if targetingKey is there.',
    "Change a record you can't see.",
  ],
  [
    flag({
      rules: [
        {
          when: {
            all: [
              { field: 'plan', op: 'in', value: ['a', 'b'] },
              {
                any: [
                  { field: 'n', op: 'gte', value: 2 },
                  { field: 'x', op: 'eq', path: 'y' },
                ],
              },
            ],
          },
          value: 'on',
        },
        { when: { not: { any: [] } }, rollout: 5 },
        { when: { field: 'say "yes"', op: 'exists', value: false }, value: false },
      ],
    }),
    `Change the flag beta: first its rules: "on" if plan is one of "['a','b']" and (n is at least "2" or x is the value of y), "5" percent if not (never), "false" if "say 'yes'" is missing.`,
    "Change a record you can't see.",
  ],
  [
    {
      ...flag({ value: false }),
      before: { resource: 'order', rules: [{ when: { field: 'plan', op: 'eq', value: 'team' }, value: true }] },
    },
    'Change the flag beta: value "false", first its rules: "true" if plan is "team".',
    "Change a record you can't see.",
  ],
  [
    flag({ targets: { 'o1\u202e': true } }),
    'Change the flag beta: the value "true" for "o1[U+202E]".',
    "Change a record you can't see.",
  ],
  [
    { record: 'cus_1\u202eABC\u0007' },
    'Refund on order "cus_1[U+202E]ABC[U+0007]".',
    "Refund on a record you can't see.",
  ],
  [
    { isAside: true, input: { amount: 1 } },
    'Refund on order "o1", with amount "1", shown on an item that is not about this record.',
    `Refund on a record you can't see, with amount "1", shown on an item that is not about this record.`,
  ],
  [
    bulk(
      { type: 'action', action: 'refund', records: 'order', input: {} },
      {
        now: {
          items: [],
          refs: ['a', 'b', 'c', 'd'].map((id) => ({ resource: 'order', id, title: `Order "${id}"` })),
          more: 8,
        },
      },
    ),
    `Refund on 12 records (order "a" ("Order 'a'"), order "b" ("Order 'b'"), order "c" ("Order 'c'") and 9 more).`,
    "Refund on 12 records (a record you can't see and 9 more).",
  ],
  [
    bulk(
      { type: 'action', action: 'refund', input: { amount: 1 } },
      {
        total: 1,
        now: {
          items: [{ id: 'itm_1', inbox: 'mail', title: 'Help', record: { ...order, title: 'The order' } }],
          refs: null,
          more: 0,
        },
      },
    ),
    'Refund on the records of 1 item (order "o1" ("The order")), with amount "1".',
    `Refund on the records of 1 item (a record you can't see), with amount "1".`,
  ],
  [
    bulk(
      { type: 'state', state: 'closed' },
      {
        total: 2,
        now: {
          items: ['1', '2'].map((n) => ({ id: `itm_${n}`, inbox: 'mail', title: `Help ${n}`, record: null })),
          refs: null,
          more: 0,
        },
      },
    ),
    'Set the state of 2 items ("itm_1" ("Help 1"), "itm_2" ("Help 2")) to "closed".',
    `Set the state of 2 items (a record you can't see) to "closed".`,
  ],
  [
    flag({ targets: { o1: true, o2: null } }),
    'Change the flag beta: the value "true" for "o1", no own value for "o2".',
    "Change a record you can't see.",
  ],
];

/** A value, and what stands between the quotation marks. */
const values: readonly (readonly [unknown, string])[] = [
  ['plain', 'plain'],
  ['two\nlines\r\n\tand more', 'two lines and more'],
  ['a\u2028b\u2029c\u0085d', 'a b c d'],
  ['\u202Egnirts\u202C \u2066x\u2069\u200F', 'gnirts x'],
  ['zero\u200Bwidth\u2060\uFEFF', 'zerowidth'],
  ['bell\u0007null\u001B[31m', 'bell null [31m'],
  ['tag\u{E0041}\u{E007F}', 'tag'],
  ['", approve "', "', approve '"],
  ['“quoted” «so» ＂too＂', "'quoted' 'so' 'too'"],
  ['  ', ''],
  ['\u3164', ''],
  ['x'.repeat(80), 'x'.repeat(80)],
  ['x'.repeat(81), `${'x'.repeat(79)}…`],
  ['x'.repeat(10_000), `${'x'.repeat(79)}…`],
  ['\u202E'.repeat(10_000), '…'],
  [`${'x'.repeat(78)}😀😀`, `${'x'.repeat(78)}…`],
  [true, 'true'],
  [0.1, '0.1'],
  [{ a: '"' }, `{'a':'\\''}`],
  [['a', 'b'], `['a','b']`],
];

/** Nothing that is not seen, that breaks the line or that turns the direction of what follows. */
const forbidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

describe('the sentence of an approval', () => {
  for (const [members, seen, unseen] of cases)
    it(`says ${seen}`, () => {
      expect(said(members)).to.equal(seen);
      expect(said(members, blind)).to.equal(unseen);
    });

  for (const [value, shown] of values)
    it(`quotes ${JSON.stringify(value).slice(0, 40)} as ${shown.slice(0, 20)}`, () => {
      expect(said({ input: { reason: value } })).to.equal(`Refund on order "o1", with reason "${shown}".`);
    });

  it('names a guard on an inbox that the reader does not see', () => {
    const access = compileAccess([{ on: 'flag:beta', can: ['see'] }]);
    const guard = { inbox: 'errors', above: 9, within: 60_000, then: 'stop' };
    expect(said(flag({ ramp: { ...ramp, guard } }), access)).to.equal(
      `Change the flag beta: a ramp to "50" percent over "1 h" in steps of "1 min", guarded by a record you can't see.`,
    );
  });

  it('hides the targets of a flag whose resource the reader does not see', () => {
    const sees = compileAccess([{ on: 'flag:beta', can: ['see'] }]);
    expect(said(flag({ targets: { o1: true } }), sees)).to.equal(
      "Change the flag beta: the value for a record you can't see.",
    );
  });

  it('says the beginning of rules of any size, and how many it leaves out', () => {
    const one = { field: 'x'.repeat(300), op: 'eq', value: 'y'.repeat(1_000) };
    const text = said(
      flag({
        rules: Array.from({ length: 50 }, () => ({
          when: { all: [one, { any: Array.from({ length: 90 }, () => one) }] },
          value: true,
        })),
      }),
    );
    expect(text.length).to.be.below(6_000);
    expect(text).to.match(/…\), "true" if …, .* and 30 more\.$/);
  });

  it('says how many values it leaves out, and keeps made-up names apart', () => {
    const many = Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`v${String(i + 10)}`, i]));
    expect(said({ input: many })).to.match(/v29 "19" and 5 more\.$/);
    expect(said({ input: { '". Approved': 1 } })).to.equal(`Refund on order "o1", with "'. Approved" "1".`);
  });

  it('says what the action declares before all else, whatever that is', () => {
    const flood = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`A${String(i + 10)}`, i]));
    const declared = ['reason', 'amount', 'toString'];
    const input = { ...flood, Amount: '5', amount: 5_000, reason: 'late' };
    const counted = 'with reason "late", amount "5000", A10 "0", .*, A27 "17" and 3 more\\.$';
    expect(said({ input, declared })).to.match(new RegExp(`^Refund on order "o1", ${counted}`));
    expect(said({ ...bulk({ type: 'action', action: 'refund', input }), declared })).to.match(
      new RegExp(`^Refund on the records of 12 items, ${counted}`),
    );
    expect(said({ input: { amount: 1 }, declared })).to.equal('Refund on order "o1", with amount "1".');
    expect(said({ input: { a: 1, amount: 1 }, declared })).to.match(/, with amount "1", a "1"\.$/);
    expect(said({ input: { x: 1 }, declared: [] })).to.match(/, with x "1"\.$/);
    expect(said({ input: {}, declared })).to.equal('Refund on order "o1".');
  });

  it('is one line of which every value is quoted, short and visible, whatever the values are', () => {
    const nasty = fc.string({
      unit: fc.oneof(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
        fc.constantFrom('"', '“', '\n', '\u202E', '\u2066', '\u200B', '\u0000', '\\', "'", '\uD800', '😀', ' '),
      ),
      maxLength: 200,
    });
    fc.assert(
      fc.property(nasty, nasty, nasty, nasty, (label, id, title, value) => {
        const sentence = said({ label, record: id, before: { title }, input: { value } });
        expect(sentence).not.to.match(forbidden);
        const quoted = [...sentence.matchAll(/"([^"]*)"/g)].map(([, text = '']) => text);
        expect(quoted).to.have.length(3);
        for (const text of quoted) expect(text.length).to.be.at.most(80);
        expect(sentence.split('"')[0]?.length).to.be.at.most(80 + ' on order '.length);
      }),
      { numRuns: 500 },
    );
  });
});
