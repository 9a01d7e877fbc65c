/** The texts of the page of runs: its list, its filters and the run beside it. */
export const runsTexts = {
  status: 'Status',
  anyStatus: 'Any status',
  action: 'Action',
  anyAction: 'Any action',
  none: 'No runs',
  noneYet: 'There is no run that you see. Actions are run from records and items, and their runs stand here.',
  noneMatches: 'No run matches these filters. Take one away, or look at all.',
  older: 'Show older runs',
  howToOpen: 'Press j for the newest run.',
  notFound: 'This run does not exist, or your role does not see it.',
  run: 'Run',
};
