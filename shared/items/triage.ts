/** Triage: what an inbox's rules decide for an item, and the principals that it is performed for, the service or the app. For workers/jobs/triageItem.ts. */
import { appAccess, fullAccess } from '../accounts/access/access.ts';
import type { Principal } from '../accounts/access/principal.ts';
import type { InboxDefinition } from '../app/manifest/definition.ts';
import { type ConditionExpression, evaluateCondition } from '../platform/conditions/conditions.ts';
import { isObject } from '../platform/json/jsonLimits.ts';
import { createTurns } from '../platform/turns/turns.ts';
import type { TriageInput } from './operations/triage.ts';

export const rulesPrincipal: Principal = {
  type: 'system',
  id: null,
  name: 'triage',
  mode: 'normal',
  role: null,
  access: fullAccess,
  environments: ['*'],
};

/** Has no id, as instances with different app keys may have answered. */
export const appPrincipal: Principal = {
  type: 'app',
  id: null,
  name: 'app',
  mode: 'normal',
  role: null,
  access: appAccess,
  environments: ['*'],
};

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
