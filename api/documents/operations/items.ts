/** The operations on items, bulks and what leads to them, for the documents. Read by index.ts. */
import type { OperationTexts } from './work.ts';

export const itemOperations: OperationTexts = {
  me: {
    id: 'get_me',
    description: 'Who you are, what you may do, and your environments. Begin here.',
  },
  'person.updateSelf': {
    id: 'update_me',
    description: 'Changes what is given; a new password needs the present one.',
  },
  'person.sessions': {
    id: 'list_my_sessions',
    description: 'Where you are signed in. For people.',
  },
  'person.endSession': {
    id: 'end_my_session',
    description: 'Ends a session of yours and its streams.',
  },
  'view.saved': {
    id: 'list_my_views',
    description: 'Your saved views, and shared ones that you see.',
  },
  'view.create': {
    id: 'save_view',
    description: 'Keeps filters under a name, for people.',
  },
  'view.update': {
    id: 'update_view',
    description: 'Changes a view of yours.',
  },
  'view.delete': {
    id: 'delete_view',
    description: 'Deletes a view.',
  },
  'inbox.list': {
    id: 'list_inboxes',
    description: 'The inboxes, and what you may do there.',
  },
  'item.claimNext': {
    id: 'claim_next',
    description:
      'Takes the next items that nobody works on: the most urgent, then the earliest due, then the oldest. Nobody else gets them until the claim ends.',
  },
  'item.claim': {
    id: 'claim_item',
    description: 'Takes an item to work on, or keeps it for longer. 409 claimed names who has it.',
  },
  'item.release': {
    id: 'release_item',
    description: 'Gives an item back, so that another can take it.',
  },
  'view.list': {
    id: 'list_views',
    description: 'The app’s named filters; `GET /items?view=` takes them.',
  },
  'person.list': {
    id: 'list_people',
    description: 'People whom you may assign items to.',
  },
  'count.get': {
    id: 'get_counts',
    description: 'How many items and approvals there are.',
  },
  'tag.list': {
    id: 'list_tags',
    description: 'The 50 most frequent tags of the inboxes that you see.',
  },
  'item.summary': {
    id: 'summarize_items',
    description: 'Counts of groups; beyond 50,000 items scaled up.',
  },
  'item.batch': {
    id: 'get_items',
    description: 'Items by their ids, as far as you see them.',
  },
  'item.list': {
    id: 'list_items',
    description: 'Items, closed and snoozed too. All filters hold; values of one are alternatives.',
  },
  search: {
    id: 'search',
    description: 'What has all the words, with the text that matched.',
  },
  'item.get': {
    id: 'get_item',
    description: 'An item, with its newest 100 timeline entries.',
  },
  'item.timeline': {
    id: 'get_item_timeline',
    description: 'Its changes, notes, replies, runs and approvals.',
  },
  'item.occurrences': {
    id: 'get_item_occurrences',
    description: 'The reports that became this item.',
  },
  'item.create': {
    id: 'create_item',
    description: 'Creates an item (201), or adds an occurrence to that of the key (200).',
  },
  'item.update': {
    id: 'update_item',
    description: 'Changes what is given: one version, an entry for each part.',
  },
  'item.state': {
    id: 'set_item_state',
    description: 'Moves an item into another state; 422 names those in reach.',
  },
  'item.assign': {
    id: 'assign_item',
    description: 'Gives an item to a person, or to nobody.',
  },
  'item.tags': {
    id: 'tag_item',
    description: 'Adds tags to an item and removes others.',
  },
  'item.snooze': {
    id: 'snooze_item',
    description: 'Puts an item away until a time.',
  },
  'item.note': {
    id: 'add_note',
    description: 'Writes a note, which no customer sees.',
  },
  'item.reply': {
    id: 'reply_to_item',
    description: 'Replies in the background; `data.status` says how it ended.',
  },
  'item.triage': {
    id: 'triage_item',
    description: 'Records triage’s answers; closes, moves, tags or assigns.',
  },
  'bulk.create': {
    id: 'bulk_items',
    description: 'Changes many items in the background, each as by a single call.',
  },
  'bulk.list': {
    id: 'list_bulks',
    description: 'Your bulks, newest first; all for `audit: see`.',
  },
  'bulk.get': {
    id: 'get_bulk',
    description: 'How far a bulk is.',
  },
  'bulk.results': {
    id: 'get_bulk_results',
    description: 'What became of each item.',
  },
  'bulk.cancel': {
    id: 'cancel_bulk',
    description: 'Leaves out what has not begun.',
  },
  'bulk.undo': {
    id: 'undo_bulk',
    description: 'Restores within 7 days what was not changed since.',
  },
};
