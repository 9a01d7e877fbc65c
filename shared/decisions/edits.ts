/** Edits of what a request asks for, by whoever decides it: checked like a call of their own with these values. For decide.ts. */
import { withoutSupervision, type Caller } from '../accounts/access/principal.ts';
import { approvalNeeds } from '../app/manifest/manifestParts.ts';
import { type Approval, editedMember } from '../approvals/model.ts';
import type { ApproveInput } from '../approvals/schema.ts';
import { fault, invalidAt, type Fault } from '../catalogue/errors.ts';
import { flagChangeAfter } from '../flags/changeFlag.ts';
import { requireMayChangeFlag, requireVisibleFlag } from '../flags/changeFlag.ts';
import { parseFlagChange } from '../flags/flagChangeProblems.ts';
import { editedCreation, editedItemRequest } from '../items/supervised.ts';
import { isObject } from '../platform/json/jsonLimits.ts';
import { inputOfRequest } from '../runs/accept/runApproval.ts';
import { reauthorizeAction } from '../runs/authorizeAction.ts';
import type { ViewDeps } from '../views/deps.ts';

/** The decider's values, which replace those of the request. */
export type Edit = Pick<ApproveInput, 'input' | 'operation' | 'change'>;

/** Returns the values of an edit; undefined: there is none. Throws `invalid` for one that this kind of request does not take. */
export const givenEdit = (approval: Approval, edit: Edit): object | undefined => {
  const member = editedMember(approval);
  const wrong = Object.entries(edit).find(([name, value]) => value !== undefined && name !== member);
  if (wrong !== undefined)
    throw invalidAt(wrong[0], `is not what this request asks for${member === null ? '' : `; edit ${member}`}`);
  return member === null ? undefined : edit[member];
};

/** Returns whether an input differs from the one asked for by nothing but numbers that are lower, and not below zero. */
const onlyLowers = (asked: unknown, edited: unknown): boolean => {
  if (typeof asked === 'number' && typeof edited === 'number')
    return edited === asked || (edited >= 0 && edited < asked);
  if (Array.isArray(asked) && Array.isArray(edited))
    return asked.length === edited.length && asked.every((value, i) => onlyLowers(value, edited[i]));
  if (isObject(asked) && isObject(edited)) {
    const [from, to] = [new Map(Object.entries(asked)), new Map(Object.entries(edited))];
    return from.size === to.size && [...from].every(([name, value]) => to.has(name) && onlyLowers(value, to.get(name)));
  }
  return asked === edited;
};

export interface EditedApproval {
  /** The approval with what is asked for now. */
  readonly approval: Approval;
  /** Whether one more person has to approve it, as the decider's own call with these values would need an approval. */
  readonly needsMore: boolean;
}

/** Returns the fault of an edit of what can't be edited. */
const fixedFault = (path: string): Fault => invalidAt(path, 'must stay as it was asked for');

/**
 * Returns the approval as it is edited: the same action, record, item or flag with other values. Throws what a call of the decider's own
 * would: `invalid`, `forbidden`, `not_found`, `conflict`.
 */
export const editApproval = async (
  deps: ViewDeps,
  caller: Caller,
  approval: Approval,
  given: object,
): Promise<EditedApproval> => {
  const at = deps.clock.now();
  switch (approval.kind) {
    case 'action': {
      const { request } = approval;
      const run = { ...request, input: { ...given }, approved_by: caller.principal };
      const { action, record, input } = await reauthorizeAction(deps, caller, run);
      const fields = record === 'unverified' ? undefined : record?.fields;
      const texts = await inputOfRequest(deps, caller.env, { action, input }, fields);
      const { currencies: _, labels: __, picked: ___, ...rest } = request;
      return {
        approval: { ...approval, request: { ...rest, input, ...texts } },
        needsMore: action.approval && !onlyLowers(request.input, input),
      };
    }
    case 'item': {
      const { type, ...values }: { readonly type?: unknown } = given;
      const { operation, target, inbox } = approval.request;
      if (type !== operation.type) throw fixedFault('operation.type');
      if ('undo' in operation) throw fixedFault('operation');
      const acting: Caller = { ...caller, principal: withoutSupervision(caller.principal) };
      const request =
        target === null
          ? editedCreation(acting, values, inbox)
          : await editedItemRequest(deps, acting, { type: operation.type, values, target });
      return { approval: { ...approval, request: { ...approval.request, ...request } }, needsMore: false };
    }
    case 'flag': {
      const declared = requireVisibleFlag(caller, approval.request.flag);
      requireMayChangeFlag(caller, declared.key);
      const { change } = parseFlagChange(caller, declared, { change: given, confirmed: true }, at);
      const after = await flagChangeAfter(deps, caller, declared, change);
      return {
        approval: { ...approval, request: { ...approval.request, change, after } },
        needsMore: approvalNeeds(declared.approval) !== null,
      };
    }
    case 'bulk':
    case 'question':
      throw fault('conflict', 'This request can’t be edited.');
  }
};
