/** The texts of the page of flags: one flag with its values, targets, rules, ramps and history. Used by the files of this folder. */
import type { ReactNode } from 'react';
import { count, counted } from '../ui/plural.ts';

export const flagTexts = {
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
    inList: (answer: string, n: number) => `${answer} · ${counted(n, 'change waits', 'changes wait')} for a decision`,
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
      `The ramp took ${counted(n, 'step', 'steps')}: rollout ${from} → ${to}`,
    approvedBy: (who: string) => `approved by ${who}`,
    restore: 'Back to before this change',
    restoreOf: (change: string) => `Back to before this change: ${change}`,
    restored: (change: string) => `back to before “${change}”`,
    /** Of a ramp that the change had ended: it begins again now. */
    rampGoesOn: (from: string, to: string) => `its ramp goes on from ${from} to ${to}`,
  },
  /** The texts of what a change of a flag ends: beforehand, on the button, and afterwards. */
  ending: {
    everybody: 'everybody',
    nobody: 'nobody',
    /** `to`: everybody, nobody or a percentage. */
    moves: (from: string, to: string) => `from ${from} to ${to} at once`,
    moved: (from: string, to: string) => `from ${from} to ${to}`,
    stays: (at: string) => `it stays on for ${at}`,
    /** `move`: one of those above. */
    ramp: {
      will: (move: string) => `Ends the ramp: ${move}.`,
      deed: 'End the ramp and save',
      done: (move: string) => `ramp ended (${move})`,
    },
    guardedRamp: {
      will: (move: string) => `Ends the ramp and its guard: ${move}.`,
      deed: 'End the ramp and save',
      done: (move: string) => `ramp and guard ended (${move})`,
    },
    guard: {
      will: (move: string) => `Ends the watch of the ramp’s guard: ${move}.`,
      deed: 'End the guard and save',
      done: (move: string) => `guard ended (${move})`,
    },
    rollout: {
      will: (move: string) => `Ends the rollout: ${move}.`,
      deed: 'End the rollout and save',
      done: (move: string) => `rollout ended (${move})`,
    },
  },
  /** The texts of a flag's ramp: how far it is, its guard, and the form of a new one. */
  ramps: {
    title: 'Ramp',
    none: 'None: the rollout stays until somebody changes it.',
    step: (n: number, of: number) => `step ${count(n)} of ${count(of)}`,
    stepAndNext: (n: number, of: number, next: string) => `step ${count(n)} of ${count(of)}, the next at ${next}`,
    guard: (guard: string) => `Guard: ${guard}.`,
    /** `stay`: where the flag stays, such as "stays at 25 %". */
    end: (stay: string) => `End the ramp: ${stay}`,
    ended: (stay: string) => `ramp ended, ${stay}`,
    begin: 'Start a ramp',
    replace: 'Replace the ramp',
    chart: {
      label: (from: string, to: string, now: string) => `Planned from ${from} to ${to}; now ${now}`,
      legend: 'dashed: planned, solid: done',
      at: (when: string, rollout: string) => `${when}: ${rollout}`,
    },
    form: {
      title: 'New ramp',
      to: 'To in %',
      over: 'Over',
      every: 'A step every',
      at: 'Starts at (empty: now)',
      unit: (label: string) => `${label}: unit`,
      units: { seconds: 'seconds', minutes: 'minutes', hours: 'hours', days: 'days' },
      guard: 'Guard',
      noGuard: 'none',
      watches: (inbox: string) => `watches ${inbox}`,
      tag: 'Only tagged (empty: all)',
      above: 'More than',
      within: 'Within',
      consequence: 'Then',
      rollback: 'roll back',
      stop: 'stop',
      isWrong: 'A ramp goes to 0 to 100 %, takes at least one step, and a step at least a second.',
      begin: 'Start the ramp',
      begun: (to: string, over: string) => `ramp to ${to} over ${over}`,
    },
    /** What the guard of a new ramp would count now. */
    counted: {
      nothing: (span: string) => `Nothing came there in the last ${span}, which counts too.`,
      noTag: (tag: string) => `No item there has the tag “${tag}”: the guard counts nothing until one has.`,
      some: (n: number, span: string) => `At least ${count(n)} came there in the last ${span}, which counts too.`,
      stops: (n: number, span: string) =>
        `At least ${count(n)} came there in the last ${span}, which counts too: the ramp would stop at once.`,
      rollsBack: (n: number, span: string) =>
        `At least ${count(n)} came there in the last ${span}, which counts too: the ramp would be rolled back at once.`,
    },
  },
  /** The texts of the rules of a flag, and of the form of one. */
  rules: {
    title: 'Rules',
    about: 'Decide after the targets: the first whose condition holds.',
    add: 'Add a rule',
    rule: (n: number, condition: string, value: ReactNode) => (
      <>
        {count(n)}. When {condition}: {value}
      </>
    ),
    up: (n: number) => `Move rule ${count(n)} up`,
    edit: 'Edit',
    editOf: (n: number) => `Edit rule ${count(n)}`,
    remove: 'Remove',
    removeOf: (n: number) => `Remove rule ${count(n)}`,
    isAdded: (condition: string, value: string) => `new rule: when ${condition}, ${value}`,
    isChanged: (n: number, condition: string, value: string) => `rule ${count(n)}: when ${condition}, ${value}`,
    isMoved: (from: number, to: number) => `rule ${count(from)} is now ${count(to)}`,
    isRemoved: (n: number) => `rule ${count(n)} removed`,
    /** The rule that is edited is not in the list any more. */
    conflict: {
      about: 'This rule was changed or removed meanwhile. Yours is kept here, and not saved.',
      theirs: 'Theirs',
      mine: 'Mine',
      isGone: 'The rule is gone.',
      said: (condition: string, value: string) => `when ${condition}: ${value}`,
      add: 'Add mine as a rule of its own',
      replace: 'Put mine in place of theirs',
      discard: 'Discard mine',
    },
    form: {
      title: 'Rule',
      whenAsJson: 'When (as JSON)',
      value: 'Then it is',
      rollout: 'or on for % of them',
      save: 'Save the rule',
      discard: 'Discard',
      isNoJson: 'The condition is no JSON.',
      needsField: 'Each line needs a field, such as plan.',
      isNoRollout: 'A rollout is a number from 0 to 100.',
      isNo: (kind: string) => `The value is no ${kind}.`,
    },
    condition: {
      title: 'When',
      join: 'How the lines go together',
      all: 'all of these hold',
      any: 'any of these holds',
      field: (n: number) => `Field ${count(n)}`,
      fieldExample: 'plan',
      comparison: (n: number) => `Comparison ${count(n)}`,
      value: (n: number) => `Value ${count(n)}`,
      valueExample: 'team',
      valuesExample: 'team, enterprise',
      remove: (n: number) => `Remove line ${count(n)}`,
      add: 'Add a line',
    },
  },
};
