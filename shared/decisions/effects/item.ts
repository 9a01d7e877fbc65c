/** The effect of approving a supervised agent's change of an item, or its new item. */
import { isDeepStrictEqual } from 'node:util';
import { fullAccess } from '../../accounts/access/access.ts';
import { withoutSupervision } from '../../accounts/access/principal.ts';
import { readItems, type Item } from '../../items/model.ts';
import { bindInput } from '../../items/operation.ts';
import { parseCreateInput } from '../../items/operations/create.ts';
import { createItemTx, requireMayCreate } from '../../items/perform/create.ts';
import { performOperationTx } from '../../items/perform/perform.ts';
import { findUndo } from '../../items/perform/undo.ts';
import { presentItem } from '../../items/present.ts';
import { resolveCustomerAddress } from '../../items/replyAddress.ts';
import { supervisedOperations } from '../../items/supervised/supervisedOperations.ts';
import { isObject } from '../../platform/json/jsonLimits.ts';
import { emptyEffects, staleFault, type ApprovalContext, type ApprovalEffect, type PrepareEffect } from './effect.ts';

const prepareCreation = ({ deps, approval, requester }: ApprovalContext<'item'>): ApprovalEffect => {
  const { type: _, ...members } = approval.request.operation;
  const input = parseCreateInput(members);
  requireMayCreate(requester, input);
  return async (tx) => {
    const { item, isNew } = await createItemTx(deps, tx, requester, input);
    if (isNew ? approval.item !== null : item.id !== approval.item)
      throw staleFault('key', 'another item has its key than at the request');
    return { ...emptyEffects, item: presentItem(item, fullAccess) };
  };
};

/** Returns the first of the members that differs from `before`, or undefined. */
const changedMember = (before: object | null, item: Item, members: readonly (keyof Item)[]): string | undefined =>
  members.find(
    (member) =>
      isObject(before) &&
      Object.hasOwn(before, member) &&
      JSON.stringify(before[member]) !== JSON.stringify(item[member]),
  );

/**
 * Returns whether a reply would go to somebody else than at the request, whose item is `before`: occurrences may change the fields of
 * an item. Which of them an app goes by is not known, so that each counts.
 */
const goesElsewhere = ({ approval, requester }: ApprovalContext<'item'>, item: Item): boolean => {
  const { before } = approval;
  const reply = requester.env.definition.inboxes.get(item.inbox)?.reply ?? null;
  if (reply === null || !isObject(before) || !Object.hasOwn(before, 'fields')) return false;
  const fields = JSON.stringify(before['fields']);
  if (reply.via === 'app') return !isDeepStrictEqual(before['fields'], JSON.parse(item.fields));
  return resolveCustomerAddress(reply.to, { id: item.id, fields }) !== resolveCustomerAddress(reply.to, item);
};

/** Performs the operation, or creates the item. Throws `stale` when a member that the operation changes has changed since the request. */
export const prepareItemApproval: PrepareEffect<'item'> = async (approving) => {
  const { deps, approval } = approving;
  const requester = {
    ...approving.requester,
    principal: withoutSupervision(approving.requester.principal),
    approvedBy: approving.decidedBy,
  };
  const {
    target,
    operation: { type, ...members },
  } = approval.request;
  if (type === 'create' || target === null) return prepareCreation({ ...approving, requester });
  const known = supervisedOperations.get(type);
  if (known === undefined) throw staleFault('operation', `there is no operation ${type}`);
  const undo = 'undo' in members && typeof members.undo === 'string' ? members.undo : null;
  const operation =
    undo === null
      ? known.bind(members, deps.clock.now())
      : bindInput(await findUndo(deps, requester, target, undo), {});
  return async (tx) => {
    const item = (await readItems(tx, approval.env, [target], true)).get(target);
    const changed = item === undefined ? undefined : changedMember(approval.before, item, known.members(members));
    if (changed !== undefined)
      throw staleFault(`item.${changed}`, `the item’s ${changed} has changed since the request`);
    if (item !== undefined && type === 'reply' && goesElsewhere(approving, item))
      throw staleFault('item.fields', 'the reply would go to somebody else than at the request');
    const outcome = await performOperationTx(deps, tx, requester, operation, target, null);
    if (outcome.kind === 'fault') throw outcome.fault;
    return { ...emptyEffects, item: presentItem(outcome.item, fullAccess) };
  };
};
