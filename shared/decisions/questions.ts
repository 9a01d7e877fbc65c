/** Questions of agents, which people answer: an approval of the kind `question` without an effect. For api/routes/approvals.ts. */
import { findVisibleInbox, requirePerson, type Caller } from '../accounts/access/principal.ts';
import { endApproval, endingByCaller } from '../approvals/endApproval.ts';
import { readApproval } from '../approvals/model.ts';
import { readVisibleApproval } from '../approvals/queries.ts';
import { requestApproval } from '../approvals/requestApproval.ts';
import type { AnswerInput, QuestionInput } from '../approvals/schema.ts';
import { fault, invalidAt } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import { readItems } from '../items/model.ts';
import { insertSavedResponse } from '../platform/journal/changeWriter.ts';
import type { SavedResponse } from '../platform/journal/idempotency.ts';
import { channels, outboxOf } from '../platform/redis/bus.ts';
import { endedApprovalJson } from '../views/approvals/present.ts';
import type { ViewDeps } from '../views/deps.ts';
import { alreadyDecidedFault, requirePending } from './decide.ts';

/** Throws `invalid` for a fallback that is no option, and for a time that has passed or is too far away. */
export const requireQuestion = ({ options, until, fallback }: QuestionInput, at: number): void => {
  if (fallback !== undefined && !options.includes(fallback)) throw invalidAt('fallback', 'must be one of the options');
  if (until === undefined) return;
  if (until <= at) throw invalidAt('until', 'must be in the future');
  if (until > at + limits.questionMs) throw invalidAt('until', 'must be at most 30 days away');
};

/** Returns the item that a question is about. Throws `not_found` when the caller doesn't see it. */
const readAskedItem = async ({ db }: ViewDeps, caller: Caller, id: string): Promise<{ id: string; inbox: string }> => {
  const item = (await readItems(db, caller.env.id, [id])).get(id);
  if (item === undefined || findVisibleInbox(caller, item.inbox) === undefined) throw fault('not_found');
  return { id, inbox: item.inbox };
};

/** Throws `forbidden` for callers that are no agent, or a read-only one. */
export const requireAsker = ({ principal: { type, mode } }: Pick<Caller, 'principal'>): void => {
  if (type !== 'agent') throw fault('forbidden', 'Only agents ask questions.');
  if (mode === 'readonly') throw fault('forbidden', 'This agent is read-only.');
};

/** Inserts a question of an agent and returns the id of its approval. Returns the id of the pending one if the agent has asked the same. */
export const askQuestion = async (
  deps: ViewDeps,
  caller: Caller,
  { text, options, item: about, until, ...given }: QuestionInput,
  save: (approval: string) => SavedResponse | null,
): Promise<string> => {
  const fallback = given.fallback ?? null;
  const item = about === undefined ? null : await readAskedItem(deps, caller, about);
  const { approval } = await requestApproval(deps, caller, {
    kind: 'question',
    summary: text,
    request: { text, options, fallback },
    before: null,
    fingerprint: { question: text, options, item: about ?? null, until: until ?? null, fallback },
    expiresMs: until === undefined ? limits.approvalMs : until - deps.clock.now(),
    item,
    save: (pending) => save(pending.approval),
  });
  return approval;
};

/** Writes the answer to a question and returns the body of the `200`. Every person who sees the question may answer it. Throws `conflict` for another approval. */
export const answerQuestion = async (
  deps: ViewDeps,
  caller: Caller,
  id: string,
  { answer, save }: AnswerInput & { readonly save: (body: string) => SavedResponse | null },
): Promise<string> => {
  requirePerson(caller);
  const approval = await readVisibleApproval(deps.db, caller, id);
  if (approval.kind !== 'question') throw fault('conflict', 'This is no question; approve or reject it.');
  if (!approval.request.options.includes(answer)) throw invalidAt('answer', 'must be one of the options');
  await requirePending(deps, caller, approval);
  const body = await deps.db.transaction(async (tx) => {
    const locked = await readApproval(tx, approval.env, id, true);
    const at = deps.clock.now();
    const ending = { ...endingByCaller(caller, 'answered', null), answer };
    const ended = locked === undefined ? null : await endApproval(tx, locked, ending, at);
    if (ended === null) throw alreadyDecidedFault(caller, locked ?? approval);
    const text = JSON.stringify({
      approval: endedApprovalJson(caller.env.definition, ended, caller.principal.access),
    });
    const saved = save(text);
    if (saved !== null) await insertSavedResponse(tx, saved, at);
    return text;
  });
  deps.bus.publish(channels.workAvailable, outboxOf(caller.env.id));
  return body;
};
