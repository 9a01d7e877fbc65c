/** The texts of one request: who asks, why, and what it would change. */
import type { ReactNode } from 'react';

export const requestTexts = {
  /** `type`: the API's name of what asked, such as "agent". */
  asked: (who: ReactNode, type: string, when: ReactNode) => (
    <>
      {who} ({type}) asked {when}
    </>
  ),
  expires: (when: string) => `expires ${when}`,
  undo: {
    unknown: 'The app doesn’t say whether it can be undone',
    possible: 'Can be undone',
    impossible: 'Can’t be undone',
  },
  /** The numbers are texts such as "12" and "more than 100". */
  recordCounts: (approved: string, rejected: string, pending: string) =>
    `Of this requester’s requests ${approved} were approved, ${rejected} rejected, and ${pending} wait.`,
  noReason: 'No reason was given.',
  input: 'Input',
  change: 'Change',
  /** Beside the name of a record: what it is, and that it is shown as it is now. */
  now: (resource: string) => `${resource}, now`,
  others: 'Also waiting on the same target',
  difference: {
    title: 'What it changes',
    before: 'When asked',
    now: 'Now',
    after: 'After',
    unknown: 'not known',
  },
};
