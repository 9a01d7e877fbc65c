/** The two forms of an action's `when`: a condition, or a condition with the reason that is given where it does not hold. */
import type { FaultDetail } from '../../catalogue/errors.ts';
import { subjectProblems, type NumericFields } from './orderedTexts.ts';

/** Characters of a reason. */
const otherwiseMax = 500;

/** Whether a `when` is `{ if, otherwise }`; a condition has neither member. */
const hasReason = (when: object): when is { readonly if?: unknown; readonly otherwise?: unknown } =>
  Object.hasOwn(when, 'if') || Object.hasOwn(when, 'otherwise');

/** Returns the condition of a `when`. */
export const conditionOf = (when: object): unknown => (hasReason(when) ? when.if : when);

/** Returns why the action does not apply where its condition does not hold; null: the declaration does not say. */
export const otherwiseOf = (when: object): string | null =>
  hasReason(when) && typeof when.otherwise === 'string' ? when.otherwise : null;

const otherwiseProblems = (otherwise: unknown, path: string): FaultDetail[] =>
  typeof otherwise === 'string' && /\S/.test(otherwise) && otherwise.length <= otherwiseMax
    ? []
    : [{ path, message: `must say why the action does not apply, in 1 to ${String(otherwiseMax)} characters` }];

/** Returns the problems of a `when`, with paths below `path`. `numeric`: the fields of numbers that it may read. */
export const whenProblems = (when: object, path: string, numeric: NumericFields): FaultDetail[] => {
  if (!hasReason(when)) return subjectProblems(when, path, numeric);
  const { if: condition, otherwise, ...unknown } = when;
  return [
    ...Object.keys(unknown).map((member) => ({
      path: `${path}.${member.slice(0, 100)}`,
      message: 'is not known here; there are if and otherwise',
    })),
    ...otherwiseProblems(otherwise, `${path}.otherwise`),
    ...subjectProblems(condition, `${path}.if`, numeric),
  ];
};
