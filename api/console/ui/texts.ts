/** Texts of states without content, of parts and of searches. Loaded with the page; used by the files of this folder. */
import { plural } from './plural.ts';
import { count } from './time.ts';

export const uiTexts = {
  tryAgain: 'Try again',
  close: 'Close',
  done: 'Done',
  /** Where a role that may change something has the controls for it. */
  readOnly: 'Your role can read this, not change it.',
  search: 'Search',
  loading: 'Loading',
  slow: 'The server is slow to answer. What you ask for comes as soon as it is there.',
  showNew: (n: number) => plural(n, { one: `${count(n)} new, show it`, other: `${count(n)} new, show them` }),
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
};
