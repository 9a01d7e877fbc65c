/** Texts of forms, wherever they stand. Used by FormDialog, Optional and TooLong. */
import { plural } from './plural.ts';
import { count } from './time.ts';

export const formTexts = {
  cancel: 'Cancel',
  optional: 'optional',
  /** `what`: the text that is meant, such as "The reason". */
  /** `label`: of the field of a prompt. */
  theAnswer: (label: string) => `The ${label.toLowerCase()}`,
  tooLong: (what: string, excess: number, most: number) =>
    plural(excess, {
      one: `${what} is ${count(excess)} character too long; at most ${count(most)} can be sent.`,
      other: `${what} is ${count(excess)} characters too long; at most ${count(most)} can be sent.`,
    }),
};
