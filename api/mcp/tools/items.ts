/** Tools for items: what there is to see, the list, one, and what can be done to it. */
import { endpointNamed } from '../endpoints.ts';
import { always, doesBulks, mayInInbox, seesInbox } from '../rights.ts';
import { tool, type Tool } from '../tool.ts';

const item = { id: 'The item’s id, such as itm_01jd….' };
const bulk = { id: 'The bulk’s id, such as blk_01jd….' };
/** A change that leads to the same again, of what can be changed back. */
const settles = { idempotentHint: true } as const;
const supervised = 'If it answers pending, a person has to approve it first: ask get_approval.';

export const itemTools: readonly Tool[] = [
  tool({
    name: 'get_me', title: 'Who am I', endpoint: endpointNamed('me'), listed: always,
    description: 'Answers who you are here, your mode (normal, readonly, or supervised: each change waits for a person) and what your role grants. Begin with this.',
  }),
  tool({
    name: 'list_inboxes', title: 'List inboxes', endpoint: endpointNamed('inbox.list'), listed: seesInbox,
    description: 'Answers the inboxes that you see, each with its states and transitions, the JSON Schema of its items’ fields, and what you may do there (can). Look here before you create items or set states.',
  }),
  tool({
    name: 'list_views', title: 'List views', endpoint: endpointNamed('view.list'), listed: seesInbox,
    description: 'Answers the named filters that list_items takes as view.',
  }),
  tool({
    name: 'list_people', title: 'List people', endpoint: endpointNamed('person.list'), listed: mayInInbox('assign'),
    description: 'Answers the people whom items can be assigned to, with the ids that assign_item takes.',
  }),
  tool({
    name: 'list_items', title: 'List items', endpoint: endpointNamed('item.list'), listed: seesInbox,
    description: 'Answers items, newest activity first unless sorted otherwise, as { items, cursor }. Pass cursor back for the next page; null is the last. Closed and snoozed items are in the list unless state or snoozed leaves them out. For all about one item ask get_item.',
  }),
  tool({
    name: 'get_item', title: 'Get an item', endpoint: endpointNamed('item.get'), listed: seesInbox, params: item,
    description: 'Answers all about one item: its fields, blocks, linked records, suggested actions, triage’s answers, and the newest 100 entries of its timeline (what was said and done).',
  }),
  tool({
    name: 'get_item_timeline', title: 'Get an item’s timeline', endpoint: endpointNamed('item.timeline'), listed: seesInbox, params: item,
    description: 'Answers what happened to an item, newest first, page by page: changes, notes, replies, runs of actions, approvals.',
  }),
  tool({
    name: 'create_item', title: 'Create an item', endpoint: endpointNamed('item.create'), listed: mayInInbox('create'),
    description: `Creates an item in an inbox and answers it. With a key that an item of that inbox already has, that item gets one more occurrence instead. data has to fit the inbox’s fields (list_inboxes). ${supervised}`,
  }),
  tool({
    name: 'set_item_state', title: 'Set an item’s state', endpoint: endpointNamed('item.state'), listed: mayInInbox('state'), params: item, hints: settles,
    description: `Moves an item into another state of its inbox, such as closed; invalid_transition names those that can be reached. changed: false means that it was there already. ${supervised}`,
  }),
  tool({
    name: 'assign_item', title: 'Assign an item', endpoint: endpointNamed('item.assign'), listed: mayInInbox('assign'), params: item, hints: settles,
    description: `Assigns an item to a person (ids: list_people), or to nobody with null. ${supervised}`,
  }),
  tool({
    name: 'tag_item', title: 'Tag an item', endpoint: endpointNamed('item.tags'), listed: mayInInbox('tags'), params: item, hints: settles,
    description: `Adds tags to an item and removes others, at least one of them. ${supervised}`,
  }),
  tool({
    name: 'snooze_item', title: 'Snooze an item', endpoint: endpointNamed('item.snooze'), listed: mayInInbox('snooze'), params: item, hints: settles,
    description: `Puts an item away until a time (milliseconds since 1970 UTC), when it wakes by itself; null wakes it now. ${supervised}`,
  }),
  tool({
    name: 'add_note', title: 'Add a note', endpoint: endpointNamed('item.note'), listed: mayInInbox('note'), params: item,
    description: `Writes a note on an item’s timeline, for colleagues; no customer sees it. ${supervised}`,
  }),
  tool({
    name: 'reply_to_item', title: 'Reply to the customer', endpoint: endpointNamed('item.reply'), listed: mayInInbox('reply'), params: item, hints: { openWorldHint: true },
    description: `Sends a reply to the customer whom an item is from: it can’t be taken back. Answers its entry; data.status of that entry in get_item_timeline becomes sent, failed or unknown. ${supervised}`,
  }),
  tool({
    name: 'triage_item', title: 'Triage an item', endpoint: endpointNamed('item.triage'), listed: mayInInbox('triage'), params: item, hints: settles,
    description: `Records answers to triage’s questions on an item and does what follows from them: close it, set a state, add tags, assign it. ${supervised}`,
  }),
  tool({
    name: 'bulk_items', title: 'Change many items', endpoint: endpointNamed('bulk.create'), listed: doesBulks, hints: { destructiveHint: true, openWorldHint: true },
    description: 'Does one thing (state, assign, tags, snooze, or an action on each item’s record) to up to 10,000 items. dryRun: true only says what would happen: try that first. Otherwise it answers a bulk at once and goes on in the background: ask get_bulk until its status is done, then get_bulk_results for what failed.',
  }),
  tool({
    name: 'get_bulk', title: 'Get a bulk', endpoint: endpointNamed('bulk.get'), listed: doesBulks, params: bulk,
    description: 'Answers how far a bulk is: status (done and cancelled are final), and how many items were changed, unchanged and failed.',
  }),
  tool({
    name: 'get_bulk_results', title: 'Get a bulk’s results', endpoint: endpointNamed('bulk.results'), listed: doesBulks, params: bulk,
    description: 'Answers what became of each item of a bulk, with the reason where it failed; outcome leaves one kind.',
  }),
  tool({
    name: 'cancel_bulk', title: 'Cancel a bulk', endpoint: endpointNamed('bulk.cancel'), listed: doesBulks, params: bulk, hints: settles,
    description: 'Stops what a bulk has not begun. What it has done stays done; undo_bulk takes that back.',
  }),
  tool({
    name: 'undo_bulk', title: 'Undo a bulk', endpoint: endpointNamed('bulk.undo'), listed: doesBulks, params: bulk,
    description: 'Gives each item that a bulk changed its former value back, within 7 days, and answers a new bulk that does it. Items that have changed since are left alone.',
  }),
];
