/** What one can do to a selection, as keys and buttons name it. Used by InboxPage and SelectionBar. */
export type BulkPick = 'close' | 'state' | 'assign' | 'tags' | 'snooze';
