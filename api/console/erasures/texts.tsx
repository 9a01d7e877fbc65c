/** The texts of erasures in the settings: what is asked for, what is counted, and what became of each. */
import type { ReactNode } from 'react';
import { inRow, counted } from '../ui/plural.ts';

export const erasureTexts = {
  title: 'Erasures',
  about: 'Remove what identifies a person, wherever it is, and keep who did what when. Delete them in the app first.',
  ask: 'Erase a person',
  none: 'Nobody was erased',
  noneAbout: 'What is asked for and done appears here.',
  headings: ['Record', 'State', 'Asked for'],
  asked: (who: string, when: ReactNode) => (
    <>
      by {who}, {when}
    </>
  ),
  underWay: 'under way',
  /** `counts`: some of those below. */
  waitsFor: (counts: readonly string[]) => `waits for ${inRow(counts)}`,
  erased: (counts: readonly string[], when: ReactNode) => (
    <>
      {inRow(counts)} erased {when}
    </>
  ),
  nothingErased: (when: ReactNode) => <>found nothing to erase {when}</>,
  form: {
    about:
      'What identifies them is removed for ever; who did what when is kept. First it is counted, and nothing is done.',
    deed: 'Count what there is',
    deedAllTheSame: 'Count all the same',
    resource: 'What they are',
    id: 'Id of their record; a name or an e-mail finds it',
    /** What speaks against an id, by what came of looking it up. `kind`: such as customer. */
    doubts: {
      known: (_: string): string | null => null,
      missing: (kind: string) =>
        `There is no ${kind} with this id. If the app has deleted them already, count all the same.`,
      unclear: (kind: string) =>
        `Whether there is a ${kind} with this id can’t be looked up now, as the app does not answer.`,
    },
    users: 'Further ids in reports, with commas',
    linked: 'Also items that only link to the record',
  },
  confirm: {
    title: (record: string) => `Erase ${record}?`,
    titleOf: (title: string, id: string) => `Erase ${title} (${id})?`,
    items: 'Items of this record',
    moreItems: 'and more',
    type: (id: string) => `Type ${id} to erase it`,
    isOther: 'This is another id.',
    deed: 'Erase for ever',
    found: (counts: readonly string[]) => `${inRow(counts)} will be erased. This can’t be undone.`,
    nothingFound: 'Nothing is found, and what comes meanwhile will be erased. This can’t be undone.',
    /** Of a record that was not found. `kind`: such as customer. */
    doubts: {
      missing: (kind: string) => `There is no ${kind} with this id.`,
      unclear: (kind: string) => `Whether there is a ${kind} with this id could not be looked up.`,
    },
    isMeant: 'This is the id that was theirs, although nothing is found by it',
    left: (n: number) =>
      counted(n, 'item links to the record and will stay.', 'items link to the record and will stay.'),
    archived: (months: readonly string[]) =>
      `What is archived (${inRow(months)}) is not reached: have it restored before.`,
  },
  begun: (record: string) => `${record} is being erased.`,
  /** By the API's names of what is counted. */
  counts: {
    records: (n: number) => counted(n, 'stored record', 'stored records'),
    items: (n: number) => counted(n, 'item', 'items'),
    occurrences: (n: number) => counted(n, 'report of another item', 'reports of other items'),
    runs: (n: number) => counted(n, 'run', 'runs'),
    approvals: (n: number) => counted(n, 'approval', 'approvals'),
    bulks: (n: number) => counted(n, 'bulk', 'bulks'),
    triages: (n: number) => `the triage of ${counted(n, 'item', 'items')}`,
    replies: (n: number) => counted(n, 'reply', 'replies'),
    entries: (n: number) => counted(n, 'entry of the history', 'entries of the history'),
  },
};
