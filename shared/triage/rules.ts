/**
 * An inbox's triage rules: they are looked at in their order, and the first whose condition holds is the one that
 * applies; the app is asked only when none does. Conditions see `item` and `record`. Called by workers/jobs/triageItem.ts.
 */
import { evaluateCondition, type ConditionExpression } from '../platform/core/conditions.ts';
import type { InboxDefinition } from '../environments/definition.ts';
import type { TriageInput } from '../items/operations/triage.ts';

/** What a rule's condition is asked of: the item as it is shown, and its record (null: none). */
export interface TriageSubject {
  readonly item: Readonly<Record<string, unknown>>;
  readonly record: object | null;
}

/** What the first rule that holds says of the item; null: none holds. */
export const findTriageRule = (
  { triage }: Pick<InboxDefinition, 'triage'>,
  subject: TriageSubject,
): TriageInput | null => {
  const rule = (triage?.rules ?? []).find(({ when }) => evaluateCondition(when as ConditionExpression, subject));
  if (rule === undefined) return null;
  const { when: _, answers = {}, ...rest } = rule;
  return { answers: answers as Record<string, unknown>, ...rest };
};
