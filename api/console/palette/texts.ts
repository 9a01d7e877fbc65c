/** Texts of the palette: its commands and places, with what each is. Used by the files of this folder. */
export const paletteTexts = {
  title: 'Go to',
  placeholder: 'Go to a page, find an item or a person, run a command…',
  none: 'There is no such page or command.',
  noneFound: 'Nothing has this name: no page, command, item, record or person.',

  moreMayMatch: 'More may match: search on',

  undo: 'Undo the last change',
  keys: 'Keys',
  signOut: 'Sign out',
  shownRequest: (copy: string) => `${copy}: what is shown`,
  lastChange: (copy: string) => `${copy}: the last change`,

  /** What stands beside the name of a command or a place. */
  hints: {
    here: 'here',
    copy: 'copy',
    command: 'command',
    help: 'help',
    goTo: 'go to',
    inbox: 'inbox',
    view: 'view',
    page: 'page',
    records: 'records',
    settings: 'settings',
    action: 'action',
    actionOn: (resource: string) => `action, ${resource}`,
    flag: 'flag',
    theirItems: 'their items',
    allItems: 'in all items',
    item: (inbox: string, state: string) => `${inbox}, ${state}`,
  },

  /** Headings of what was found. */
  groups: {
    withId: 'With this id',
    people: 'People',
    items: 'Items',
    records: 'Records',
    closedItems: 'Closed items',
  },
};
