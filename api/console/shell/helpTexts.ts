/** Texts of the sheet of all keys. Used by HelpDialog. */
export const helpTexts = {
  keys: 'Keys',
  move: 'Move',
  item: 'Item',
  recordAndRun: 'Record, run',
  approval: 'Approval',
  agent: 'Agent',
  job: 'Job',
  conflict: 'Conflict',
  step: 'next and previous item',
  palette: 'go anywhere, find anything, run a command',
  undo: 'undo the last change',
  escape: 'close what is open',
};
