/** Texts of a change of an item: how it went, and why it is made. Loaded with the page; used by change.ts and useItemCommands. */
export const changeTexts = {
  /** Changes that were made, as the beginning of a sentence. */
  state: (state: string) => `Set to ${state}`,
  stateBack: (state: string) => `Set back to ${state}`,

  /** `change`: what was made, in such words. */
  done: (change: string, title: string) => `${change}: “${title}”`,
  conflict: (change: string, title: string) => `Somebody else changed “${title}” a moment ago; yours was: ${change}.`,
  failed: (change: string, problem: string) => `Not done, ${change.toLowerCase()}: ${problem}`,
  doAnyway: 'Do it anyway',
  tryAgain: 'Try again',
  undo: 'Undo',
  /** Stands in the history as the reason of an undo. */
  undone: (reason: string) => `Undone: ${reason}`,
  askReason: (change: string) => `${change}: why?`,
  askReasonAbout: 'This inbox wants a reason for every change. It stands in the history.',
  reason: 'Reason',
};
