/** Texts of states without content, of parts, searches, lists and forms, and in the place of a name. Loaded with the page; used everywhere. */
import type { ReactNode } from 'react';
import { count, counted } from './plural.ts';

export const uiTexts = {
  tryAgain: 'Try again',
  close: 'Close',
  done: 'Done',
  undo: 'Undo',
  back: '← List',
  nothingOpen: 'Nothing is chosen',
  clearSearch: 'Clear the search',
  readAgain: 'Read again',
  /** Where a role that may change something has the controls for it. */
  readOnly: 'Your role can read this, not change it.',
  search: 'Search',
  loading: 'Loading',
  slow: 'The server is slow to answer. What you ask for comes as soon as it is there.',
  showNew: (n: number) => counted(n, 'new, show it', 'new, show them'),
  /** Headings of problems by the API's status; 0: there is no answer. */
  problems: {
    0: 'No connection',
    403: 'Your role may not see this',
    404: 'Not here, or not visible to you',
    413: 'Too large to be sent',
    429: 'Too many requests',
    503: 'The service is not ready',
  },
  otherProblem: 'This could not be shown',
  needs: (right: string) => `It needs ${right}. Who manages roles can grant it.`,
  outdated: 'The console has been updated',
  outdatedAbout: 'Reload the page to go on with the new version. What you typed is kept.',
  reload: 'Reload the page',
  notLoaded: 'This part could not be loaded',
  notLoadedAbout: 'The connection may be broken, or the service is being updated. What you typed is kept.',
  /** Texts in the place of a person's name. */
  people: { nobody: 'Nobody', unknown: 'A colleague' },
  /** Texts at the end of what is listed from the newest on. */
  earlier: {
    /** By what is listed. */
    show: {
      acts: 'Show earlier acts',
      entries: 'Show earlier entries',
      ones: 'Show earlier ones',
      jobs: 'Show more jobs',
      events: 'Show what happened earlier',
    },
    archived: (before: ReactNode) => (
      <>What happened before {before} may be archived. Whoever operates this service can bring it back.</>
    ),
  },
  /** Texts of forms, wherever they stand. */
  form: {
    cancel: 'Cancel',
    optional: 'optional',
    restored: 'This is what you had typed before.',
    discard: 'Discard it',
    reason: 'Reason',
    /** Begins the sentence that says that it is too long. */
    theReason: 'The reason',
    /** `what`: the text that is meant, such as "The reason". */
    tooLong: (what: string, excess: number, most: number) =>
      `${what} is ${counted(excess, 'character', 'characters')} too long; at most ${count(most)} can be sent.`,
  },
};
