/** What commands do, by scope and key, in the order in which they are listed. Used by keyNames.ts. */
export const keyTexts = {
  list: {
    '/': 'search',
    l: 'show what is new',
  },
  item: {
    e: 'close',
    w: 'set the state',
    a: 'assign',
    t: 'tags',
    s: 'snooze',
    r: 'reply',
    n: 'note',
    x: 'select',
    X: 'select everything from the last one to here',
    '*': 'select all that match',
  },
  actions: {
    d: 'run an action',
  },
  run: {
    c: 'cancel the run',
    r: 'run again',
  },
  approval: {
    a: 'approve',
    r: 'reject',
    n: 'write a note',
  },
  agent: {
    s: 'supervised',
    m: 'normal',
    o: 'read-only',
    r: 'show what it reads',
    Backspace: 'revoke',
  },
  notice: {
    y: 'do mine, where somebody else was faster',
    h: 'leave theirs',
  },
  job: {
    r: 'try the job now',
    o: 'open what the job is about',
  },
};
