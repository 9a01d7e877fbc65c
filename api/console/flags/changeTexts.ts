/** The texts of a change of a flag: what it would do, and what came of it. */
import { inRow } from '../ui/plural.ts';

export const changeTexts = {
  title: (flag: string, change: string) => `${flag}: ${change}`,
  pends: 'This flag wants a person’s approval: the change waits until somebody decides.',
  isSoAlready: 'It is so already: nothing would change.',
  happensAtOnce: 'This happens at once, for everybody whom the flag decides for.',
  ask: 'Ask for it',
  change: 'Change the flag',
  /** The name of a ramp among the members of a flag. */
  ramp: 'ramp',
  none: 'none',
  reason: 'Reason',
  reasonOptional: 'Reason (optional)',
  /** Begins the sentence that says that it is too long. */
  theReason: 'The reason',
  typeToConfirm: (flag: string) => `Type ${flag} to confirm`,
  done: (flag: string, change: string) => `${flag}: ${change}`,
  wasSo: (flag: string) => `${flag} was so already.`,
  asked: (change: string) => `Asked for: ${change}. It waits under Approvals.`,
  undo: 'Undo',
  undone: (change: string) => `taken back: ${change}`,
  conflict: (flag: string) => `Somebody else changed ${flag} a moment ago. Look at it again; what you typed is kept.`,
  /** Stands in the dialog of a change that is still wanted. */
  conflictToConfirm: (flag: string) =>
    `Somebody else changed ${flag} a moment ago. What the change would do now stands above: confirm it again.`,
  /** Of a change of the rules, or an undo, that is not possible any more. */
  changedMeanwhile: (flag: string) => `${flag} has been changed meanwhile: look at it again. Nothing was done.`,
  /** Changes that are told together. */
  together: (changes: readonly string[]) => inRow(changes),
};
