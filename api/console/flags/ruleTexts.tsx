/** The texts of the rules of a flag, and of the form of one. */
import type { ReactNode } from 'react';
import { count } from '../ui/time.ts';

export const ruleTexts = {
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
};
