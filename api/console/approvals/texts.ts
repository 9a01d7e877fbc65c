/** The texts of approvals: the queue, one request with what it would change, and the decision. */

export const approvalTexts = {
  title: 'Approvals',
  none: 'Nothing waits for a decision',
  noneAbout: 'What agents and colleagues ask for appears here at once.',
  nothingOpen: 'Nothing is open',
  howToOpen: 'Press j for the first request; a approves, r rejects.',
  back: '← Queue',
  canNotBeUndone: 'can’t be undone',
  notYours: 'not yours to decide',
  approved: (request: string) => `Approved: ${request}`,
  rejected: (request: string) => `Rejected: ${request}`,
};
