/** What the undo of a bulk decides for one item: back to what it was, as far as nobody has changed it since. */
import { limits } from '../../../shared/catalogue/limits.ts';
import type { Item } from '../../../shared/items/model.ts';
import { restoreItem, type PreviousValues } from '../../../shared/items/operations/restore.ts';
import { closedItem, decides, now } from './decisions.ts';

const was = (before: Partial<Item>, after: Partial<Item>): ReadonlyMap<string, PreviousValues> =>
  new Map([['itm_1', { before, after }]]);
const none: ReadonlyMap<string, PreviousValues> = new Map([['itm_2', { before: {}, after: {} }]]);
const closing = was(
  { state: 'new', closed: false, dueAt: now + 1, snoozedUntil: now + 2 },
  { ...closedItem, snoozedUntil: null },
);
const manyTags = Array.from({ length: limits.tagsPerItem }, (_, i) => `t${String(i).padStart(3, '0')}`);

describe('operations of an undo', () => {
  for (const verb of ['state', 'assign', 'tags', 'snooze'] as const)
    decides(restoreItem(verb), [
      { title: 'nothing for an item that the bulk did not change', input: none, expected: 'unchanged' },
    ]);

  decides(restoreItem('state'), [
    {
      title: 'a fault when the state has changed since',
      item: { state: 'parked' },
      input: closing,
      expected: { fault: 'conflict' },
    },
    {
      title: 'a fault when the former state is retired',
      item: closedItem,
      input: was({ state: 'lost', closed: false }, closedItem),
      expected: { fault: 'conflict' },
    },
    {
      title: 'a fault in an inbox that is retired',
      item: { inbox: 'gone', state: 'closed', closed: true },
      input: was({ state: 'open', closed: false }, { state: 'closed', closed: true }),
      expected: { fault: 'conflict' },
    },
    {
      title: 'the state, deadline and snooze of before',
      item: closedItem,
      input: closing,
      expected: {
        changes: { state: 'new', closed: false, dueAt: now + 1, snoozedUntil: now + 2 },
        entries: [{ type: 'state', data: { from: 'done', to: 'new' } }],
      },
    },
    {
      title: 'the state alone where a member beside it was changed since',
      item: { ...closedItem, dueAt: now + 9 },
      input: closing,
      expected: {
        changes: { state: 'new', closed: false, dueAt: now + 9, snoozedUntil: now + 2 },
        entries: [{ type: 'state', data: { from: 'done', to: 'new' } }],
      },
    },
  ]);

  decides(restoreItem('assign'), [
    {
      title: 'a fault when somebody else has it since',
      item: { assignee: 'bo' },
      input: was({ assignee: null }, { assignee: 'ana' }),
      expected: { fault: 'conflict' },
    },
    {
      title: 'who had it, whoever that is',
      item: { assignee: 'ana' },
      input: was({ assignee: 'left' }, { assignee: 'ana' }),
      expected: { changes: { assignee: 'left' }, entries: [{ type: 'assigned', data: { from: 'ana', to: 'left' } }] },
    },
  ]);

  decides(restoreItem('tags'), [
    {
      title: 'a fault when an added tag has gone since',
      item: { tags: ['b'] },
      input: was({ tags: ['b'] }, { tags: ['a', 'b'] }),
      expected: { fault: 'conflict' },
    },
    {
      title: 'a fault when a removed tag is there again',
      item: { tags: ['b'] },
      input: was({ tags: ['b'] }, { tags: [] }),
      expected: { fault: 'conflict' },
    },
    {
      title: 'a fault when too many tags would be left',
      item: { tags: manyTags },
      input: was({ tags: ['x'] }, { tags: [] }),
      expected: { fault: 'invalid', path: 'add' },
    },
    {
      title: 'the tags of before, and those that came since',
      item: { tags: ['a', 'later'] },
      input: was({ tags: ['b'] }, { tags: ['a'] }),
      expected: { changes: { tags: ['b', 'later'] }, entries: [{ type: 'tags', data: { add: ['b'], remove: ['a'] } }] },
    },
  ]);

  decides(restoreItem('snooze'), [
    {
      title: 'a fault when it was snoozed otherwise since',
      item: { snoozedUntil: now + 3 },
      input: was({ snoozedUntil: null }, { snoozedUntil: now + 2 }),
      expected: { fault: 'conflict' },
    },
    {
      title: 'awake again',
      item: { snoozedUntil: now + 2 },
      input: was({ snoozedUntil: null }, { snoozedUntil: now + 2 }),
      expected: { changes: { snoozedUntil: null }, entries: [{ type: 'woken', data: { from: now + 2 } }] },
    },
    {
      title: 'snoozed as it was',
      item: { snoozedUntil: null },
      input: was({ snoozedUntil: now + 2 }, { snoozedUntil: null }),
      expected: {
        changes: { snoozedUntil: now + 2 },
        entries: [{ type: 'snoozed', data: { from: null, to: now + 2 } }],
      },
    },
  ]);
});
