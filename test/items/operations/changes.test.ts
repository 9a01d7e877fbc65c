/** What the operations on one item decide: nothing, a fault, or an effect with its entries. */
import { limits } from '../../../shared/catalogue/limits.ts';
import { assignItem } from '../../../shared/items/operations/assign.ts';
import { noteItem } from '../../../shared/items/operations/note.ts';
import { replyToItem } from '../../../shared/items/operations/reply.ts';
import { setState } from '../../../shared/items/operations/setState.ts';
import { wakeItem, snoozeItem } from '../../../shared/items/operations/snooze.ts';
import { tagItem } from '../../../shared/items/operations/tag.ts';
import { closedItem, decides, hour, now, plainItem, refuses } from './decisions.ts';

const lines = (count: number): string => 'x\n'.repeat(count);
const manyTags = Array.from({ length: limits.tagsPerItem }, (_, i) => `t${String(i).padStart(3, '0')}`);

describe('operations on an item', () => {
  decides(setState, [
    { title: 'nothing for the state that it is in', input: { state: 'new' }, expected: 'unchanged' },
    {
      title: 'nothing for its state even if that is retired',
      item: { state: 'lost' },
      input: { state: 'lost' },
      expected: 'unchanged',
    },
    {
      title: 'a fault for a state that the inbox does not have',
      input: { state: 'open' },
      expected: { fault: 'invalid', path: 'state' },
    },
    { title: 'a fault for a state that is retired', input: { state: 'lost' }, expected: { fault: 'conflict' } },
    {
      title: 'a fault in an inbox that is retired',
      item: { inbox: 'gone', state: 'open' },
      input: { state: 'closed' },
      expected: { fault: 'conflict' },
    },
    {
      title: 'a fault where no transition leads',
      input: { state: 'dropped' },
      expected: { fault: 'invalid_transition', path: 'state' },
    },
    {
      title: 'a fault in a state that nothing leads out of',
      item: { ...closedItem, state: 'dropped' },
      input: { state: 'new' },
      expected: { fault: 'invalid_transition' },
    },
    {
      title: 'the state alone between two that are not closed',
      item: { snoozedUntil: now + hour },
      input: { state: 'parked' },
      expected: { changes: { state: 'parked' }, entries: [{ type: 'state', data: { from: 'new', to: 'parked' } }] },
    },
    {
      title: 'an end of deadline and snooze when it closes',
      item: { snoozedUntil: now + hour },
      input: { state: 'done' },
      expected: {
        changes: { state: 'done', closed: true, dueAt: null, snoozedUntil: null },
        entries: [{ type: 'state', data: { from: 'new', to: 'done' } }],
      },
    },
    {
      title: 'a new deadline and untriaged when it opens',
      item: { ...closedItem, triaged: true },
      input: { state: 'new' },
      expected: {
        changes: { state: 'new', closed: false, dueAt: now + hour, triaged: false },
        entries: [{ type: 'state', data: { from: 'done', to: 'new' } }],
      },
    },
    {
      title: 'no deadline when it opens in an inbox without a response time',
      item: { ...closedItem, inbox: 'plain', state: 'closed' },
      input: { state: 'waiting' },
      expected: {
        changes: { state: 'waiting', closed: false },
        entries: [{ type: 'state', data: { from: 'closed', to: 'waiting' } }],
      },
    },
    {
      title: 'any state out of one that is retired',
      item: { state: 'lost' },
      input: { state: 'dropped' },
      expected: {
        changes: { state: 'dropped', closed: true, dueAt: null },
        entries: [{ type: 'state', data: { from: 'lost', to: 'dropped' } }],
      },
    },
  ]);

  decides(assignItem, [
    { title: 'nothing for who has it', item: { assignee: 'ana' }, input: { assignee: 'ana' }, expected: 'unchanged' },
    { title: 'nothing for nobody when nobody has it', input: { assignee: null }, expected: 'unchanged' },
    {
      title: 'nothing for who has it and has left',
      item: { assignee: 'left' },
      input: { assignee: 'left' },
      expected: 'unchanged',
    },
    ...['nobody', 'blind', 'away'].map((assignee) => ({
      title: `the same fault for whoever is not there, does not see the inbox or works elsewhere: ${assignee}`,
      input: { assignee },
      expected: { fault: 'invalid', path: 'assignee' } as const,
    })),
    {
      title: 'a person',
      item: { assignee: 'ana' },
      input: { assignee: 'bo' },
      expected: { changes: { assignee: 'bo' }, entries: [{ type: 'assigned', data: { from: 'ana', to: 'bo' } }] },
    },
    {
      title: 'nobody',
      item: { assignee: 'left' },
      input: { assignee: null },
      expected: { changes: { assignee: null }, entries: [{ type: 'assigned', data: { from: 'left', to: null } }] },
    },
  ]);

  decides(tagItem, [
    {
      title: 'nothing for tags that it has, and has not',
      input: { add: ['b', 'b'], remove: ['a'] },
      expected: 'unchanged',
    },
    {
      title: 'a fault for more tags than an item holds',
      item: { tags: manyTags },
      input: { add: ['x'] },
      expected: { fault: 'invalid', path: 'add' },
    },
    {
      title: 'sorted tags, each once, and entries of what is new or gone alone',
      item: { tags: ['b', 'c', 'd'] },
      input: { add: ['z', 'a', 'b', 'z'], remove: ['d', 'y', 'd'] },
      expected: {
        changes: { tags: ['a', 'b', 'c', 'z'] },
        entries: [{ type: 'tags', data: { add: ['a', 'z'], remove: ['d'] } }],
      },
    },
    {
      title: 'as many tags as an item holds when some go at once',
      item: { tags: manyTags },
      input: { add: ['x'], remove: ['t000'] },
      expected: {
        changes: { tags: [...manyTags.slice(1), 'x'] },
        entries: [{ type: 'tags', data: { add: ['x'], remove: ['t000'] } }],
      },
    },
  ]);
  refuses(tagItem, [
    ['neither of both', {}, 'add'],
    ['nothing to add or to remove', { add: [], remove: [] }, 'add'],
    ['a tag to add and to remove', { add: ['a', 'b'], remove: ['b'] }, 'add.1'],
  ]);

  decides(snoozeItem, [
    {
      title: 'nothing for the time that it is snoozed until',
      item: { snoozedUntil: now + 1 },
      input: { until: now + 1 },
      expected: 'unchanged',
    },
    { title: 'nothing for an end of no snooze', input: { until: null }, expected: 'unchanged' },
    {
      title: 'a fault for a closed item',
      item: closedItem,
      input: { until: now + 1 },
      expected: { fault: 'conflict' },
    },
    {
      title: 'a snooze, and the deadline stays',
      input: { until: now + 1 },
      expected: {
        changes: { snoozedUntil: now + 1 },
        entries: [{ type: 'snoozed', data: { from: null, to: now + 1 } }],
      },
    },
    {
      title: 'another time',
      item: { snoozedUntil: now + 1 },
      input: { until: now + 2 },
      expected: {
        changes: { snoozedUntil: now + 2 },
        entries: [{ type: 'snoozed', data: { from: now + 1, to: now + 2 } }],
      },
    },
    {
      title: 'an end of the snooze',
      item: { snoozedUntil: now + 1 },
      input: { until: null },
      expected: { changes: { snoozedUntil: null }, entries: [{ type: 'woken', data: { from: now + 1 } }] },
    },
  ]);
  refuses(snoozeItem, [
    ['the present', { until: now }, 'until'],
    ['the past', { until: now - 1 }, 'until'],
  ]);

  decides(wakeItem, [
    { title: 'nothing for an item that is awake', input: {}, expected: 'unchanged' },
    { title: 'nothing while the snooze lasts', item: { snoozedUntil: now + 1 }, input: {}, expected: 'unchanged' },
    {
      title: 'an end of the snooze at its time',
      item: { snoozedUntil: now },
      input: {},
      expected: { changes: { snoozedUntil: null }, entries: [{ type: 'woken', data: { from: now } }] },
    },
  ]);

  decides(noteItem, [
    {
      title: 'an entry, the item as it is',
      input: { text: 'Seen.' },
      expected: { changes: {}, entries: [{ type: 'note', data: { text: 'Seen.' } }] },
    },
    {
      title: 'the same on a closed item',
      item: closedItem,
      input: { text: 'Seen.' },
      expected: { changes: {}, entries: [{ type: 'note', data: { text: 'Seen.' } }] },
    },
  ]);
  refuses(noteItem, [
    ['no text', { text: '' }, 'text'],
    ['more lines than a text holds', { text: lines(limits.textLines) }, 'text'],
    ['more bytes than a text holds', { text: 'ä'.repeat(limits.textBytes / 2 + 1) }, 'text'],
  ]);

  decides(replyToItem, [
    {
      title: 'a fault in an inbox that sends no replies',
      item: { inbox: 'plain', state: 'open' },
      input: { subject: 's', text: 't' },
      expected: { fault: 'conflict' },
    },
    {
      title: 'a fault for an item without an address',
      item: { inbox: 'letters', state: 'open' },
      input: { subject: 's', text: 't' },
      expected: { fault: 'action_failed' },
    },
    {
      title: 'a fault for more than one address',
      item: { inbox: 'letters', state: 'open', fields: '{"email":"a@example.com, b@example.com"}' },
      input: { subject: 's', text: 't' },
      expected: { fault: 'action_failed' },
    },
    ...[
      { title: 'by the app', inbox: 'desk', fields: '{}', to: {} },
      {
        title: 'by mail',
        inbox: 'letters',
        fields: '{"email":"Ada <ada@example.com>"}',
        to: { to: 'ada@example.com' },
      },
    ].map(({ title, inbox, fields, to }) => ({
      title: `${title}: no deadline any more, an entry that is sending, and a job that keeps the deadline`,
      item: { inbox, fields },
      input: { subject: 's', text: 't' },
      expected: {
        changes: { dueAt: null },
        entries: [{ id: 'ent_new1', type: 'reply', data: { subject: 's', text: 't', status: 'sending', error: null } }],
        jobs: [
          {
            id: 'job_new2',
            name: 'replySend',
            payload: { item: 'itm_1', entry: 'ent_new1', dueAt: plainItem.dueAt, ...to },
            subject: 'itm_1',
            dueAt: now,
          },
        ],
      } as const,
    })),
  ]);
  refuses(replyToItem, [
    ['a subject of two lines', { subject: 'a\nb', text: 't' }, 'subject'],
    ['no text', { subject: 'a', text: '' }, 'text'],
  ]);
});
