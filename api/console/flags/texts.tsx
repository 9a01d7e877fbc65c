/** The texts of the page of flags: one flag with its values, targets, rules, ramp and history, and the change of one. */
import type { ReactNode } from 'react';
import { plural } from '../ui/plural.ts';
import { count } from '../ui/time.ts';

export const flagTexts = {
  title: 'Flags',
  howTheyCome: 'The app declares its flags in its manifest; they appear here when it connects.',
  back: '← Flags',
  changed: (when: ReactNode) => <>changed {when}</>,
  changedBy: (when: ReactNode, who: string) => (
    <>
      changed {when} by {who}
    </>
  ),
  needsApproval: 'each change needs an approval',
  needsReason: 'each change needs a reason',
  danger: (danger: string) => `danger: ${danger}`,
  waiting: {
    title: 'Waits for a decision',
    /** `sentence`: what the change would do, which ends with a full stop. */
    asked: (who: string, sentence: string) => `${who} asked for this: ${sentence}`,
    decide: 'Show the request',
    /** Stands in the list, beside what the flag is. */
    inList: (answer: string, n: number) =>
      plural(n, {
        one: `${answer} · ${count(n)} change waits for a decision`,
        other: `${answer} · ${count(n)} changes wait for a decision`,
      }),
  },
  form: {
    title: 'Value and rollout',
    value: 'Value',
    /** As long as there is a rollout, the value decides nothing. */
    valueWithoutRollout: 'Value without a rollout',
    rollout: 'Rollout in %',
    noRollout: 'none',
    save: 'Save',
    discard: 'Discard',
    isNo: (kind: string) => `This is no ${kind}.`,
    isNoRollout: 'A rollout is a number from 0 to 100, or nothing.',
    /** `now`: what it is now, in words. */
    changedMeanwhile: (now: string) => `It became ${now} meanwhile. Saving replaces that.`,
    rolloutAndValue: (rollout: string, value: string) => `${rollout}, ${value}`,
    /** What was changed, as it is told afterwards. */
    toValue: (value: string) => `value ${value}`,
    toRollout: (rollout: string) => `rollout ${rollout}`,
    toNoRollout: 'no rollout',
  },
  targets: {
    title: 'Targets',
    about: (resource: string) => `Decide first: a value for one ${resource} id.`,
    aboutRecords: 'Decide first: a value for one record id.',
    search: 'Search targets',
    searchHint: 'Search',
    remove: 'Remove',
    removeOf: (id: string) => `Remove ${id}`,
    more: (n: number) => `${count(n)} more: search for them.`,
    form: 'New target',
    id: 'Id',
    value: 'Is',
    add: 'Add target',
    isSet: (id: string, value: string) => `${id} is ${value}`,
    isRemoved: (id: string) => `${id} is no target any more`,
  },
  trial: {
    title: 'Try an id',
    id: (resource: string) => `${resource} id`,
    recordId: 'Record id',
    attributes: 'Attributes, one a line',
    attributesExample: 'plan = team',
    isNoAttribute: 'Attributes are lines such as plan = team.',
    deed: 'Try',
    byTarget: (value: ReactNode) => <>{value}, decided by its target</>,
    byRule: (value: ReactNode, n: number) => (
      <>
        {value}, decided by rule {count(n)}
      </>
    ),
    byRollout: (value: ReactNode) => <>{value}, decided by the rollout</>,
    byValue: (value: ReactNode) => <>{value}, decided by the value for everybody</>,
  },
  history: {
    title: 'History',
    none: 'Nobody has changed it yet.',
    more: 'Earlier changes stand in the audit log.',
    ramp: 'The ramp',
    /** `who`: one who changed it, or the ramp. */
    entry: (who: string, what: string) => `${who}: ${what}`,
    step: (change: string) => `a step (${change})`,
    stop: 'the guard stopped it',
    rollback: 'the guard rolled it back',
    steps: (n: number, from: string, to: string) =>
      plural(n, {
        one: `The ramp took ${count(n)} step: rollout ${from} → ${to}`,
        other: `The ramp took ${count(n)} steps: rollout ${from} → ${to}`,
      }),
    approvedBy: (who: string) => `approved by ${who}`,
    restore: 'Back to before this change',
    restoreOf: (change: string) => `Back to before this change: ${change}`,
    restored: (change: string) => `back to before “${change}”`,
    /** Of a ramp that the change had ended: it begins again now. */
    rampGoesOn: (from: string, to: string) => `its ramp goes on from ${from} to ${to}`,
  },
};
