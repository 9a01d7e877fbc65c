/** The texts of approvals: the queue, one request with what it would change, and the decision. */
import type { EndedStatus } from './ended.ts';

export const approvalTexts = {
  title: 'Approvals',
  none: 'Nothing waits for a decision',
  noneAbout: 'What agents and colleagues ask for appears here at once.',
  /** The lists of the page. */
  which: 'Which requests',
  pending: 'Waiting',
  ended: {
    approved: 'Approved',
    rejected: 'Rejected',
    expired: 'Expired',
    cancelled: 'Taken back',
    stale: 'Out of date',
  } satisfies Readonly<Record<EndedStatus, string>>,
  noneEnded: 'No request ended so',
  noneEndedAbout: 'Whatever is decided, expires or is taken back stays listed.',
  nothingOpen: 'Nothing is chosen',
  howToOpen: 'Press j for the first request.',
  howToDecide: 'Press j for the first request; a approves, r asks for a note and rejects.',
  back: '← Queue',
  canNotBeUndone: 'can’t be undone',
  notYours: 'not yours to decide',
  /** `request`: the beginning of it. */
  approved: (request: string) => `Approved: ${request}`,
  cut: (request: string) => `${request}…`,
  undo: 'Undo',
  /** Of an approved change of an item, as the beginning of a sentence. */
  undone: 'Taken back',
  undoneButNote: 'Taken back, but for the note',
  notUndone: 'It can’t be taken back from here any more: what it changed is no longer among the newest of the item.',
  bulkIsUndone: 'The bulk is being undone.',
  /** Opens what was approved, within a notice that names it. */
  show: 'Show',
  rejected: (request: string) => `Rejected: ${request}`,
  notDecided: (request: string, why: string) => `Not decided: ${request}. ${why}`,
};
