/** Texts of the dialog that saves a view. Used by SaveView. */
export const saveViewTexts = {
  save: 'Save view',
  change: 'Change view',
  saveChanges: 'Save changes',
  about: 'It keeps the filters and the order that are set now, and has an address of its own.',
  aboutUnchanged: 'Set filters or another order first to change what it shows.',
  name: 'Name',
  shareWithAll: 'Shared with everyone who sees every inbox',
  shareWith: (inbox: string) => `Shared with everyone who sees ${inbox}`,
  asNew: 'As a new view',
  remove: (view: string) => `Delete ${view}`,
  saved: (view: string) => `The view ${view} is saved.`,
  savedAndShared: (view: string) => `The view ${view} is saved and shared.`,
  removed: (view: string) => `The view ${view} is deleted.`,
  undo: 'Undo',
};
