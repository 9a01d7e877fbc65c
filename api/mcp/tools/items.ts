/** The rows of the tools for items: the overview, the list, one item, and its changes. */
import { getEndpoint } from '../endpoints.ts';
import { anyCaller, canInAnyInbox, canSeeAnyInbox, canStartBulks } from '../rights.ts';
import { createTool, type Tool } from '../tool.ts';

const item = { id: 'The item’s id, such as itm_01jd….' };
const bulk = { id: 'The bulk’s id, such as blk_01jd….' };
/** The hints of a change that is idempotent and can be changed back. */
const settles = { idempotentHint: true } as const;
const supervised = 'If it answers pending, a person has to approve it first: ask get_approval.';

export const itemTools: readonly Tool[] = [
  createTool({
    name: 'get_me',
    title: 'Who am I',
    endpoint: getEndpoint('me'),
    isListed: anyCaller,
    description:
      'Answers who you are here, your mode (normal, readonly, or supervised: each change waits for a person) and what your role grants. Begin with this.',
  }),
  createTool({
    name: 'list_inboxes',
    title: 'List inboxes',
    endpoint: getEndpoint('inbox.list'),
    isListed: canSeeAnyInbox,
    description:
      'Answers the inboxes that you see, each with its states and transitions, the JSON Schema of its items’ fields, and what you may do there (can). Look here before you create items or set states.',
  }),
  createTool({
    name: 'list_views',
    title: 'List views',
    endpoint: getEndpoint('view.list'),
    isListed: canSeeAnyInbox,
    description: 'Answers the named filters that list_items takes as view.',
  }),
  createTool({
    name: 'list_people',
    title: 'List people',
    endpoint: getEndpoint('person.list'),
    isListed: canInAnyInbox('assign'),
    description:
      'Answers the people whom items can be assigned to, those who can work on them (canWork) first, each with the role and how many open items they have; assign_item takes their ids.',
  }),
  createTool({
    name: 'list_items',
    title: 'List items',
    endpoint: getEndpoint('item.list'),
    isListed: canSeeAnyInbox,
    description:
      'Answers items, newest activity first unless sorted otherwise, as { items, cursor }. Pass cursor back for the next page; null is the last. Closed and snoozed items are in the list unless state or snoozed leaves them out. For all about one item ask get_item.',
  }),
  createTool({
    name: 'get_item',
    title: 'Get an item',
    endpoint: getEndpoint('item.get'),
    isListed: canSeeAnyInbox,
    params: item,
    description:
      'Answers all about one item: its fields, blocks, linked records, suggested actions, triage’s answers, what its newest occurrence brought (latestOccurrence: the customer’s last message, the latest error), and the newest 100 entries of its timeline (what was said and done).',
  }),
  createTool({
    name: 'get_item_timeline',
    title: 'Get an item’s timeline',
    endpoint: getEndpoint('item.timeline'),
    isListed: canSeeAnyInbox,
    params: item,
    description:
      'Answers what happened to an item, newest first, page by page: changes, notes, replies, runs of actions, approvals.',
  }),
  createTool({
    name: 'get_item_occurrences',
    title: 'Get an item’s occurrences',
    endpoint: getEndpoint('item.occurrences'),
    isListed: canSeeAnyInbox,
    params: item,
    description:
      'Answers what each report of an item brought (title, data, user), newest first, page by page: the messages of a conversation, the single errors of a group. The last one is the item’s creation.',
  }),
  createTool({
    name: 'create_item',
    title: 'Create an item',
    endpoint: getEndpoint('item.create'),
    isListed: canInAnyInbox('create'),
    description: `Creates an item in an inbox and answers it. With a key that an item of that inbox already has, that item gets one more occurrence instead. data has to fit the inbox’s fields (list_inboxes). ${supervised}`,
  }),
  createTool({
    name: 'set_item_state',
    title: 'Set an item’s state',
    endpoint: getEndpoint('item.state'),
    isListed: canInAnyInbox('state'),
    params: item,
    hints: settles,
    description: `Moves an item into another state of its inbox, such as closed; invalid_transition names those that can be reached. changed: false means that it was there already. ${supervised}`,
  }),
  createTool({
    name: 'assign_item',
    title: 'Assign an item',
    endpoint: getEndpoint('item.assign'),
    isListed: canInAnyInbox('assign'),
    params: item,
    hints: settles,
    description: `Assigns an item to a person (ids: list_people), or to nobody with null. ${supervised}`,
  }),
  createTool({
    name: 'tag_item',
    title: 'Tag an item',
    endpoint: getEndpoint('item.tags'),
    isListed: canInAnyInbox('tags'),
    params: item,
    hints: settles,
    description: `Adds tags to an item and removes others, at least one of them. ${supervised}`,
  }),
  createTool({
    name: 'snooze_item',
    title: 'Snooze an item',
    endpoint: getEndpoint('item.snooze'),
    isListed: canInAnyInbox('snooze'),
    params: item,
    hints: settles,
    description: `Puts an item away until a time (milliseconds since 1970 UTC), when it wakes by itself; null wakes it now. ${supervised}`,
  }),
  createTool({
    name: 'add_note',
    title: 'Add a note',
    endpoint: getEndpoint('item.note'),
    isListed: canInAnyInbox('note'),
    params: item,
    description: `Writes a note on an item’s timeline, for colleagues; no customer sees it. ${supervised}`,
  }),
  createTool({
    name: 'reply_to_item',
    title: 'Reply to the customer',
    endpoint: getEndpoint('item.reply'),
    isListed: canInAnyInbox('reply'),
    params: item,
    hints: { openWorldHint: true },
    description: `Sends a reply to the customer whom an item is from: it can’t be taken back. Answers its entry; data.status of that entry in get_item_timeline becomes sent, failed or unknown. ${supervised}`,
  }),
  createTool({
    name: 'triage_item',
    title: 'Triage an item',
    endpoint: getEndpoint('item.triage'),
    isListed: canInAnyInbox('triage'),
    params: item,
    hints: settles,
    description: `Records answers to triage’s questions on an item and does what follows from them: close it, set a state, add tags, assign it. ${supervised}`,
  }),
  createTool({
    name: 'bulk_items',
    title: 'Change many items',
    endpoint: getEndpoint('bulk.create'),
    isListed: canStartBulks,
    hints: { destructiveHint: true, openWorldHint: true },
    description:
      'Does one thing (state, assign, tags, snooze, or an action on each item’s record) to up to 10,000 items. dryRun: true only says what would happen: try that first. Otherwise it answers a bulk at once and goes on in the background: ask get_bulk until its status is done, then get_bulk_results for what failed.',
  }),
  createTool({
    name: 'get_bulk',
    title: 'Get a bulk',
    endpoint: getEndpoint('bulk.get'),
    isListed: canStartBulks,
    params: bulk,
    description:
      'Answers how far a bulk is: status (done and cancelled are final), and how many items were changed, unchanged and failed.',
  }),
  createTool({
    name: 'get_bulk_results',
    title: 'Get a bulk’s results',
    endpoint: getEndpoint('bulk.results'),
    isListed: canStartBulks,
    params: bulk,
    description:
      'Answers what became of each item of a bulk, with the reason where it failed; outcome leaves one kind.',
  }),
  createTool({
    name: 'cancel_bulk',
    title: 'Cancel a bulk',
    endpoint: getEndpoint('bulk.cancel'),
    isListed: canStartBulks,
    params: bulk,
    hints: settles,
    description: 'Stops what a bulk has not begun. What it has done stays done; undo_bulk takes that back.',
  }),
  createTool({
    name: 'undo_bulk',
    title: 'Undo a bulk',
    endpoint: getEndpoint('bulk.undo'),
    isListed: canStartBulks,
    params: bulk,
    description:
      'Gives each item that a bulk changed its former value back, within 7 days, and answers a new bulk that does it. Items that have changed since are left alone.',
  }),
];
