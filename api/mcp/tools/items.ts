/** The rows of the tools that read items and change one of them. */
import { eachEdited } from '../../../shared/app/items/members.ts';
import { itemListQuery } from '../../../shared/app/manifest/itemQuery.ts';
import type { Compactor } from '../answers/compact.ts';
import { compactWholeItem } from '../answers/kinds.ts';
import { getEndpoint } from '../endpoints.ts';
import { requireNewItem, requireNewText } from '../repeatedCalls.ts';
import { canInAnyInbox, canSeeAnyInbox, noCaller } from '../rights.ts';
import { createTool, type Tool } from '../tool.ts';

/** The compact form of an item’s detail. */
const itemDetailKinds: Readonly<Record<string, Compactor>> = { item: compactWholeItem };

/** Filters by fields have names of their own in a URL. */
const whereFields = { where: 'fields.*' };
/** Filters that summarize_items takes as list_items does, which says what they are. */
const summaryFilters = Object.fromEntries(
  [...Object.keys(itemListQuery.properties), 'where'].map((name) => [name, {}]),
);
/** The hints of a change that is idempotent and can be changed back. */
const settles = { idempotentHint: true } as const;

const readTools: readonly Tool[] = [
  createTool({
    name: 'list_inboxes',
    endpoint: getEndpoint('inbox.list'),
    isListed: canSeeAnyInbox,
    description: 'Your inboxes: states, transitions, item fields, what you may do (can).',
  }),
  createTool({
    name: 'list_views',
    endpoint: getEndpoint('view.list'),
    isListed: canSeeAnyInbox,
    description: 'Named filters: view of list_items.',
  }),
  createTool({
    name: 'list_items',
    endpoint: getEndpoint('item.list'),
    isListed: canSeeAnyInbox,
    renamed: whereFields,
    say: {
      inbox: '',
      view: '',
      state: '',
      ...eachEdited(() => ''),
      tags: 'All of them.',
      assignee: 'Name, e-mail, id, me or none.',
      search: 'Words of the title.',
      q: 'Words anywhere: title, fields, reports, notes, replies.',
      record: 'resource:id',
      createdAfter: 'Time; 2h: the last two hours.',
      createdBefore: '',
      seenAfter: '',
      seenBefore: '',
      where: '{ field: value }',
      overdue: '',
      triaged: 'Closed by triage.',
      snoozed: '',
      sort: '-lastSeen unless given.',
    },
    description: 'Items, newest activity first, closed and snoozed ones too unless filtered out.',
  }),
  createTool({
    name: 'summarize_items',
    endpoint: getEndpoint('item.summary'),
    isListed: canSeeAnyInbox,
    renamed: whereFields,
    hidden: ['limit'],
    schemas: summaryFilters,
    say: { by: 'inbox, state, tag, assignee, record, day, fields.<name>; with ,day behind it by both' },
    description: 'Counts items by group, with examples; its filters are those of list_items.',
  }),
  createTool({
    name: 'get_items',
    endpoint: getEndpoint('item.batch'),
    isListed: canSeeAnyInbox,
    say: { ids: '' },
    kinds: { items: compactWholeItem },
    description: 'Up to 100 items by ids, with fields.',
  }),
  createTool({
    name: 'get_item',
    endpoint: getEndpoint('item.get'),
    isListed: canSeeAnyInbox,
    kinds: itemDetailKinds,
    description: 'All about one item: fields, latest report, records, suggested actions, newest timeline.',
  }),
  createTool({
    name: 'get_item_timeline',
    endpoint: getEndpoint('item.timeline'),
    isListed: canSeeAnyInbox,
    description: 'What happened to an item, newest first.',
  }),
  createTool({
    name: 'get_item_occurrences',
    endpoint: getEndpoint('item.occurrences'),
    isListed: canSeeAnyInbox,
    description: 'What each report of an item brought.',
  }),
];

const changeTools: readonly Tool[] = [
  createTool({
    name: 'create_item',
    endpoint: getEndpoint('item.create'),
    isListed: canInAnyInbox('create'),
    say: {
      inbox: '',
      title: '',
      data: 'Fields, as list_inboxes has them.',
      tags: '',
      key: 'An item with it gets an occurrence instead.',
      user: 'Who is affected.',
    },
    schemas: {
      record: { type: 'object', description: '{resource, id}' },
      links: { type: 'array', items: { type: 'object' }, description: 'More records.' },
    },
    kinds: { item: compactWholeItem },
    requireNew: requireNewItem,
    description: 'Creates an item in an inbox.',
  }),
  createTool({
    name: 'claim_next',
    endpoint: getEndpoint('item.claimNext'),
    isListed: canInAnyInbox('claim'),
    say: { query: 'Filters of list_items.', sort: '', lease: 'How long, in ms or 10m.', count: '' },
    kinds: { items: compactWholeItem },
    description: 'Takes the next items to work on; nobody else gets them until the claim ends. Empty: nothing to do.',
  }),
  createTool({
    name: 'claim_item',
    endpoint: getEndpoint('item.claim'),
    isListed: canInAnyInbox('claim'),
    hidden: ['takeOver'],
    hints: settles,
    say: { lease: '' },
    description: 'Takes an item to work on, or keeps it for longer.',
  }),
  createTool({
    name: 'release_item',
    endpoint: getEndpoint('item.release'),
    isListed: canInAnyInbox('claim'),
    hints: settles,
    description: 'Gives an item back to be taken by another.',
  }),
  createTool({
    name: 'update_item',
    endpoint: getEndpoint('item.update'),
    isListed: canInAnyInbox('state', 'assign', 'tags', 'snooze', 'note', 'edit'),
    say: {
      state: '',
      ...eachEdited(() => ''),
      assignee: 'Name, e-mail, id or me; null: nobody.',
      snooze: 'Time or 2h; null wakes it.',
      note: '',
      undo: 'Entry to undo with all of its change; alone. dryRun names the parts.',
    },
    schemas: {
      tags: { type: 'object', description: '{ add: [], remove: [] }' },
      links: { type: 'object', description: '{ add: [{ resource, id }], remove: [] }' },
    },
    requireNew: (call, { id, note }) => requireNewText(call, { id, text: note }, 'note'),
    description: 'Changes an item, all or nothing.',
  }),
  createTool({
    name: 'set_item_state',
    endpoint: getEndpoint('item.state'),
    isListed: noCaller,
    hints: settles,
    say: { state: '' },
    description: 'Moves an item into another state; invalid_transition names those in reach.',
  }),
  createTool({
    name: 'assign_item',
    endpoint: getEndpoint('item.assign'),
    isListed: noCaller,
    hints: settles,
    say: { assignee: 'Name, e-mail, id or me; null: nobody.' },
    description: 'Assigns an item to a person.',
  }),
  createTool({
    name: 'tag_item',
    endpoint: getEndpoint('item.tags'),
    isListed: noCaller,
    hints: settles,
    say: { add: '', remove: '' },
    description: 'Adds tags to an item and removes others.',
  }),
  createTool({
    name: 'snooze_item',
    endpoint: getEndpoint('item.snooze'),
    isListed: noCaller,
    hints: settles,
    say: { until: 'Time, or a duration such as 2h; null wakes it.' },
    description: 'Puts an item away until a time.',
  }),
  createTool({
    name: 'add_note',
    endpoint: getEndpoint('item.note'),
    isListed: canInAnyInbox('note'),
    say: { text: '' },
    requireNew: (call, given) => requireNewText(call, given, 'note'),
    description: 'Writes a note for colleagues; no customer sees it.',
  }),
  createTool({
    name: 'reply_to_item',
    endpoint: getEndpoint('item.reply'),
    isListed: canInAnyInbox('reply'),
    hints: { destructiveHint: true, openWorldHint: true },
    say: { subject: '', text: '' },
    schemas: { then: { type: 'object', description: '{ state, snooze } once it is accepted.' } },
    requireNew: (call, given) => requireNewText(call, given, 'reply'),
    description: 'Sends a reply to the customer of an item: it can’t be taken back.',
  }),
  createTool({
    name: 'triage_item',
    endpoint: getEndpoint('item.triage'),
    isListed: canInAnyInbox('triage'),
    hints: settles,
    say: { answers: 'By question.', close: '', state: '', tags: '', assignee: '', reason: '' },
    description: 'Records triage’s answers; closes, moves, tags or assigns the item.',
  }),
];

export const itemTools: readonly Tool[] = [...readTools, ...changeTools];
