/**
 * Finds the triage rule that applies to an item: the first in the inbox's order whose condition holds. The app is called
 * only when none does. Conditions read `item` and `record`. Called by workers/jobs/triageItem.ts.
 */
import type { InboxDefinition } from '../../app/manifest/definition.ts';
import { evaluateCondition, type ConditionExpression } from '../../platform/conditions/conditions.ts';
import { isObject } from '../../platform/json/jsonLimits.ts';
import { createTurns } from '../../platform/turns/turns.ts';
import type { TriageInput } from '../operations/triage.ts';

/** The values that conditions read: the item as responses show it, and its record (null: none). */
export interface TriageSubject {
  readonly item: Readonly<Record<string, unknown>>;
  readonly record: object | null;
}

/** Returns the triage of the first rule whose condition holds, or null. */
export const findTriageRule = async (
  { triage }: Pick<InboxDefinition, 'triage'>,
  subject: TriageSubject,
): Promise<TriageInput | null> => {
  const inTurn = createTurns(null);
  for (const { when, answers = {}, ...rest } of triage?.rules ?? []) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- conditions are checked when the app declares them
    const holds = await inTurn(() => evaluateCondition(when as ConditionExpression, subject));
    if (holds) return { answers: isObject(answers) ? answers : {}, ...rest };
  }
  return null;
};
