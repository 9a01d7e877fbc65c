/** Texts of a change of an item: how it went, and why it is made. Loaded with the page; used by change.ts and useItemCommands. */
export const changeTexts = {
  /** Changes that were made, as the beginning of a sentence. */
  state: (state: string) => `Set to ${state}`,
  stateBack: (state: string) => `Set back to ${state}`,

  /** `change`: what was made, in such words. */
  done: (change: string, title: string) => `${change}: “${title}”`,
  failed: (change: string, title: string, problem: string) =>
    `Not done, ${change.toLowerCase()}: “${title}”. ${problem}`,
  unknown: (change: string, title: string, problem: string) =>
    `Perhaps not done, ${change.toLowerCase()}: “${title}”. ${problem}`,
  unreachable: 'The server could not be reached.',
  retry: 'Retry',
  undo: 'Undo',
  /** Stands in the history as the reason of an undo. */
  undone: (reason: string) => `Undone: ${reason}`,
  askReason: (change: string) => `${change}: why?`,
  askReasonAbout: 'This inbox wants a reason for every change. It stands in the history.',
  reason: 'Reason',

  /** Where somebody else was faster; `who`: a name, null: the timeline does not tell. */
  conflict: {
    same: (change: string, title: string, who: string | null) =>
      `${change}: “${title}”, by ${who ?? 'somebody else'} a moment ago`,
    other: (title: string, who: string | null) => `“${title}” was changed by ${who ?? 'somebody else'} a moment ago.`,
    theirs: 'Theirs',
    mine: 'Mine',
    doMine: 'Do mine',
    leaveTheirs: 'Leave theirs',
  },
};
