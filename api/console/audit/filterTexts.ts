/** The texts of the filters of the audit log. */
export const filterTexts = {
  title: 'Filters',
  who: 'Who (name or id)',
  doneBy: 'Done by',
  anybody: 'anybody',
  kinds: { agent: 'agents', person: 'people', app: 'the app', system: 'the system' },
  verb: 'Did',
  verbHint: 'such as Reply',
  target: 'To what (title, name or id)',
  from: 'From',
  to: 'Before',
  show: 'Show',
  showAll: 'Show all',
  ranges: 'Time',
  today: 'Today',
  yesterday: 'Yesterday',
  lastDays: 'Last 7 days',
  /** Of what is typed and is no name, by its field. */
  unknown: {
    actor: {
      none: (typed: string) => `Nobody is called “${typed}” here.`,
      several: (typed: string) => `Several are called “${typed}”:`,
      nearest: 'Nearest:',
    },
    verb: {
      none: (typed: string) => `Nothing that can be done is called “${typed}”.`,
      several: (typed: string) => `Several acts have “${typed}”:`,
      nearest: 'Nearest:',
    },
  },
};
