/** Texts at the end of what is listed from the newest on. Used by ArchivedNote and ShowEarlier. */
import type { ReactNode } from 'react';

export const earlierTexts = {
  /** By what is listed. */
  show: {
    acts: 'Show earlier acts',
    entries: 'Show earlier entries',
    ones: 'Show earlier ones',
  },
  archived: (before: ReactNode) => (
    <>What happened before {before} may be archived. Whoever operates this service can bring it back.</>
  ),
};
