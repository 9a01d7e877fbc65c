/** The texts of jobs in the settings: their states and kinds, the list and its filters. */
import { count } from '../ui/plural.ts';
import type { Job } from '../wire/types.ts';

export const jobTexts = {
  title: 'Jobs',
  about: 'What is done in the background, and why it is not done yet.',
  none: 'No jobs',
  allDone: 'All work is done. What waits, runs or fails in the background appears here.',
  noneMatches: 'No job fits these filters. Show all, or look for another id.',
  noneSoFar: 'None was found among those that were looked at so far.',
  headings: ['Job', 'State', 'Why', 'Attempts', 'Since'],
  tryNow: 'Try now',
  /** The name of the button for those who don't see its row; it begins with what stands on it. */
  tryNowOf: (job: string) => `Try now ${job}`,
  isTried: (job: string) => `Tried now: ${job}.`,
  figures: 'How many there are',
  /** On the button of a state: how many there are of it. */
  figure: (n: number, state: string) => `${count(n)} ${state.toLowerCase()}`,
  /** As many as are counted, and perhaps more. */
  figureOrMore: (n: number, state: string) => `${count(n)}+ ${state.toLowerCase()}`,
  filters: {
    title: 'Filters',
    state: 'State',
    kind: 'Kind',
    any: 'any',
    order: 'Order',
    oldestFirst: 'oldest first',
    newestFirst: 'newest first',
    search: 'Search by id',
    searchHint: 'Id of what it is about',
    showAll: 'Show all',
    error: 'Error contains',
    since: 'Given up',
    anyTime: 'at any time',
    from: (time: string) => `since ${time}`,
    /** By hours. */
    times: [
      ['1', 'in the last hour'],
      ['24', 'in the last day'],
    ] as const,
  },
  selected: {
    title: 'All that failed',
    find: 'Count them',
    retry: (n: string) => `Try ${n} again`,
    discard: (n: string) => `Discard ${n}`,
    /** As many as one call takes, and more are left. */
    andMore: (n: string) => `the first ${n}`,
    done: { retry: (n: string) => `Tried again: ${n}.`, discard: (n: string) => `Discarded: ${n}.` },
  },
  /** In the order of how soon somebody should look. */
  state: {
    failed: 'Failed',
    stalled: 'Stalled',
    delayed: 'Later',
    parked: 'Waits for the app',
    inLine: 'In turn',
    due: 'Due',
    queued: 'Queued',
    running: 'Running',
  } satisfies Readonly<Record<Job['state'], string>>,
  kind: {
    actionRun: 'Run of an action',
    bulkChunk: 'Part of a bulk',
    replySend: 'Reply',
    triageItem: 'Triage',
    rampStep: 'Step of a ramp',
    passwordMail: 'Mail with a link to set a password',
    unassign: 'Items of people without access',
    erase: 'Erasure',
  } satisfies Readonly<Record<Job['kind'], string>>,
};
