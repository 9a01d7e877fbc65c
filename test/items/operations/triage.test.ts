/** What triage decides, in a request and in the job that does it first. */
import { limits } from '../../../shared/catalogue/limits.ts';
import { triageFirst, triageItem } from '../../../shared/items/operations/triage.ts';
import { by, closedItem, decides, hour, now, refuses } from './decisions.ts';

const answer = (question: string, text: string) => ({ question, answer: text, by, at: 7 });
const entry = (answers: object, closed = false, reason: string | null = null) =>
  ({ type: 'triage', data: { answers, closed, reason } }) as const;
const answered = { triage: { answers: [answer('spam', 'no')], closed: false } };

describe('operations of triage', () => {
  decides(triageItem, [
    { title: 'nothing without answers and effects', input: { answers: {} }, expected: 'unchanged' },
    {
      title: 'nothing for an answer that is there',
      item: answered,
      input: { answers: { spam: 'no' } },
      expected: 'unchanged',
    },
    {
      title: 'nothing for closing what triage has closed',
      item: { ...closedItem, triaged: true, triage: { answers: [], closed: true } },
      input: { answers: {}, close: true },
      expected: 'unchanged',
    },
    {
      title: 'triaged for closing what is closed, which keeps its state',
      item: { ...closedItem, state: 'dropped' },
      input: { answers: {}, close: true },
      expected: {
        changes: { triaged: true, triage: { answers: [], closed: true } },
        entries: [entry({}, true)],
      },
    },
    {
      title: 'triaged for the closed state that it has',
      item: closedItem,
      input: { answers: {}, state: 'done' },
      expected: {
        changes: { triaged: true, triage: { answers: [], closed: true } },
        entries: [entry({}, true)],
      },
    },
    {
      title: 'nothing for tags and a person that it has',
      item: { assignee: 'ana' },
      input: { answers: {}, tags: ['b'], assignee: 'ana', state: 'new' },
      expected: 'unchanged',
    },
    {
      title: 'a fault for closing in an inbox without a closed state',
      item: { inbox: 'endless' },
      input: { answers: {}, close: true },
      expected: { fault: 'conflict' },
    },
    {
      title: 'a fault for a state that the inbox does not have',
      input: { answers: {}, state: 'open' },
      expected: { fault: 'invalid', path: 'state' },
    },
    {
      title: 'a fault where no transition leads',
      input: { answers: {}, state: 'dropped' },
      expected: { fault: 'invalid_transition' },
    },
    {
      title: 'a fault for a person who does not see the inbox',
      input: { answers: {}, assignee: 'blind' },
      expected: { fault: 'invalid', path: 'assignee' },
    },
    {
      title: 'a fault for more tags than an item holds',
      input: { answers: {}, tags: Array.from({ length: limits.tagsPerItem }, (_, i) => `t${String(i)}`) },
      expected: { fault: 'invalid', path: 'add' },
    },
    {
      title: 'a fault for more answers than an item holds',
      item: { triage: { answers: [answer('spam', 'x'.repeat(limits.dataBytes / 2))], closed: false } },
      input: { answers: { severity: 'x'.repeat(limits.dataBytes / 2) } },
      expected: { fault: 'invalid', path: 'answers' },
    },
    {
      title: 'answers with who gave them and when; a later one replaces the earlier',
      item: { triage: { answers: [answer('spam', 'no'), answer('severity', 'low')], closed: false } },
      input: { answers: { severity: 'high', spam: 'no' }, reason: 'It burns.' },
      expected: {
        changes: {
          triage: {
            answers: [answer('spam', 'no'), { question: 'severity', answer: 'high', by, at: now }],
            closed: false,
          },
        },
        entries: [entry({ severity: 'high', spam: 'no' }, false, 'It burns.')],
      },
    },
    {
      title: 'the first closed state for closing, with an end of the deadline',
      input: { answers: { spam: 'yes' }, close: true },
      expected: {
        changes: {
          state: 'done',
          closed: true,
          dueAt: null,
          triaged: true,
          triage: { answers: [{ question: 'spam', answer: 'yes', by, at: now }], closed: true },
        },
        entries: [entry({ spam: 'yes' }, true), { type: 'state', data: { from: 'new', to: 'done' } }],
      },
    },
    {
      title: 'an open state: triaged no more, with a deadline again',
      item: { ...closedItem, triaged: true, triage: { answers: [], closed: true } },
      input: { answers: {}, state: 'new' },
      expected: {
        changes: {
          state: 'new',
          closed: false,
          dueAt: now + hour,
          triaged: false,
          triage: { answers: [], closed: false },
        },
        entries: [entry({}), { type: 'state', data: { from: 'done', to: 'new' } }],
      },
    },
    {
      title: 'tags and a person, each with an entry',
      input: { answers: {}, tags: ['a', 'b'], assignee: 'ana' },
      expected: {
        changes: { tags: ['a', 'b'], assignee: 'ana', triage: { answers: [], closed: false } },
        entries: [
          entry({}),
          { type: 'tags', data: { add: ['a'], remove: [] } },
          { type: 'assigned', data: { from: null, to: 'ana' } },
        ],
      },
    },
  ]);
  refuses(triageItem, [
    ['closing and a state at once', { answers: {}, close: true, state: 'new' }, 'state'],
    ['an empty question', { answers: { '': 'x' } }, 'answers.'],
    ['more answers than an item holds', { answers: { spam: 'x'.repeat(limits.dataBytes) } }, 'answers'],
  ]);

  decides(triageFirst, [
    {
      title: 'nothing where somebody has answered meanwhile',
      item: answered,
      input: { answers: { spam: 'yes' }, close: true },
      expected: 'unchanged',
    },
    {
      title: 'no state for an item that was closed meanwhile',
      item: closedItem,
      input: { answers: { spam: 'no' }, state: 'parked' },
      expected: {
        changes: { triage: { answers: [{ question: 'spam', answer: 'no', by, at: now }], closed: false } },
        entries: [entry({ spam: 'no' })],
      },
    },
    {
      title: 'triaged without another state for closing an item that was closed meanwhile',
      item: closedItem,
      input: { answers: {}, state: 'dropped' },
      expected: {
        changes: { triaged: true, triage: { answers: [], closed: true } },
        entries: [entry({}, true)],
      },
    },
    {
      title: 'the state for an item that is open',
      input: { answers: {}, state: 'parked' },
      expected: {
        changes: { state: 'parked', triage: { answers: [], closed: false } },
        entries: [entry({}), { type: 'state', data: { from: 'new', to: 'parked' } }],
      },
    },
  ]);
});
