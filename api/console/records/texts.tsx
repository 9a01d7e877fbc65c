/** Texts of the pages of records. Used by the files of this folder. */
import type { ReactNode } from 'react';
import { listed } from '../ui/plural.ts';

export const recordsTexts = {
  searchAll: 'Search all records',
  none: 'No records',
  noResources: 'The app declares no resource that your role sees.',
  readEachTime: 'Read from the app each time.',
  notSearched: (resources: readonly string[]) =>
    `Not searched, as the app did not answer in time: ${listed(resources)}.`,
  nothingFound: 'Nothing found',
  nothingFoundAbout: 'No record has all of these words.',

  noResource: 'There is no such resource, or your role does not see it.',
  noneStored: 'The app has stored none yet.',
  noneMatches: 'No record matches. Take a filter away, or search for fewer words.',
  openFirst: 'Press j for the first record.',
  sort: 'Sort',
  byTitle: 'Title',
  byChange: 'Changed last',
  ascending: (field: string) => `${field} ↑`,
  descending: (field: string) => `${field} ↓`,
  filter: 'Filter',
  unreadableFilters: 'The filters of this address can’t be read ×',
  removeFilter: (filter: string) => `Remove the filter ${filter}`,

  noRecord: 'This record does not exist any more, or your role does not see it.',
  /** `subtitle`, `changed`: null where a record has none. */
  about: ({ subtitle, id, changed }: Readonly<Record<'subtitle' | 'id' | 'changed', ReactNode>>) => (
    <>
      {subtitle !== null && <>{subtitle} · </>}
      {id}
      {changed !== null && <> · changed {changed}</>}
    </>
  ),
  itemAbout: (inbox: string, state: string, activity: ReactNode) => (
    <>
      {inbox} · {state} · {activity}
    </>
  ),
  /** A value of a record beside its title, such as "Total 129 EUR". */
  values: 'Values',
  items: 'Items',
  history: 'History',
  noHistory: 'Nothing has been done here yet.',
  noneRelated: 'None.',
  /** Of a button that shows and hides what was done to a related record. */
  historyOf: (record: string) => `History of ${record}`,
  wholeHistory: 'All of it',
  showMore: 'Show more',
  /** Texts of the filters of records. */
  filters: {
    title: 'Filter',
    about: 'Only records of which this is true are listed; several filters have to hold together.',
    add: 'Add filter',
    field: 'Field',
    comparison: 'Comparison',
    value: 'Value',
    values: 'Values, with commas between them',
    yes: 'Yes',
    no: 'No',
    noNumber: 'Write a number like 12.5.',
    noValue: 'Write a value first.',

    /** Comparisons as the dialog offers them. */
    ops: {
      eq: 'is',
      ne: 'is not',
      in: 'is one of',
      contains: 'contains',
      startsWith: 'begins with',
      exists: 'is given',
      gte: 'at least',
      lte: 'at most',
      from: 'from',
      before: 'before',
    },
    /** A filter that is set; `op`: one of the comparisons. */
    said: (field: string, op: string, value: string) => `${field} ${op} ${value}`,
    given: (field: string) => `${field} is given`,
    notGiven: (field: string) => `${field} is not given`,
    isTrue: 'yes',
    isFalse: 'no',
    oneOf: (values: readonly string[]) => values.join(' or '),
  },
};
