/** The texts of the audit log: its page, its filters, and what an entry changed. Used by its page and the ledger of agents. */
import type { ReactNode } from 'react';
import { count, plural } from '../ui/plural.ts';
import type { AuditEntry } from '../wire/types.ts';

export const auditTexts = {
  title: 'Audit',
  about: 'Everything that was done here, and what was refused; newest first.',
  saveAsFile: 'Save as CSV',
  reading: (n: number) => `${count(n)} read…`,
  fileHasAll: (n: number) =>
    plural(n, {
      one: `The file has all there is: ${count(n)} entry.`,
      other: `The file has all ${count(n)} entries.`,
    }),
  fileHasNewest: (n: number) => `The file has the newest ${count(n)} entries; choose an earlier time for the others.`,
  /** Of the list, as its heading and as the name of its table. */
  entries: 'Entries',
  none: 'Nothing found',
  noneMatches: 'Nothing was done that fits these filters. Show all, or another time.',
  noneOfVerb: 'Nothing was done under this name; choose from the list what was done.',
  noneOfTarget:
    'No entry has this as its target. Items and records are found by their titles or ids, such as order:1234; runs, flags and the like by their whole id.',
  noneOfRecord: 'No action was run on this record. What was done to its items stands under these.',
  headings: ['When', 'Who', 'Did', 'To what', 'Outcome', 'Reason'],
  /** The button that shows what an entry changed. */
  details: 'Details',
  hideDetails: 'Hide details',
  /** The name of this button for those who don't see its row: it begins with what stands on it. */
  detailsOf: (label: string, verb: string) => `${label}: ${verb}`,
  onlyOf: (who: string) => `Only what ${who} did`,
  onlyVerb: (verb: string) => `Only ${verb}`,
  onlyTo: (target: string) => `Only what was done to ${target}`,
  outcome: { ok: 'done', denied: 'refused', failed: 'failed' } satisfies Readonly<
    Record<AuditEntry['outcome'], string>
  >,
  /** Of what is not done yet, instead of "done". */
  waits: 'waits for a person',
  wasAskedFor: 'was asked for',
  queued: 'queued',
  begun: 'begun',
  approvedBy: (who: string) => `approved by ${who}`,
  ofBulk: 'with many others',
  times: (n: number) => `×${count(n)}`,
  change: {
    title: 'Before and after',
    member: 'Member',
    before: 'Before',
    after: 'After',
    request: (id: ReactNode) => <>request {id}</>,
    from: (address: string) => `from ${address}`,
  },
  /** The texts of the filters of the audit log. */
  filters: {
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
  },
};
