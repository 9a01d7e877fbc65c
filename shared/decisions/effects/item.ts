/** Approving what a supervised agent asked to do to an item, or an item that it asked to create. */
import { withoutSupervision } from '../../access/principal.ts';
import { fullAccess } from '../../access/access.ts';
import { readItems, type Item } from '../../items/model.ts';
import { itemJson } from '../../items/present.ts';
import { parseCreateInput } from '../../items/operations/create.ts';
import { requireMayCreate, createItemTx } from '../../items/perform/create.ts';
import { performOperationTx } from '../../items/perform/perform.ts';
import { supervisedOperations } from '../../items/supervised/supervisedOperations.ts';
import { emptyEffects, staleFault, type ApprovalContext, type ApprovalEffect, type PrepareEffect } from './effect.ts';

const itemJsonValue = (item: Item): unknown => JSON.parse(itemJson(item, fullAccess));

const prepareCreation = ({ deps, approval, requester }: ApprovalContext<'item'>): ApprovalEffect => {
  const { type: _, ...members } = approval.request.operation;
  const input = parseCreateInput(members);
  requireMayCreate(requester, input);
  return async (tx) => ({
    ...emptyEffects,
    item: itemJsonValue((await createItemTx(deps, tx, requester, input)).item),
  });
};

/** Whether the members that the operation is about are as they were. */
const changedMember = (
  before: Readonly<Record<string, unknown>> | null,
  item: Item,
  members: readonly (keyof Item)[],
): string | undefined =>
  members.find(
    (member) =>
      before !== null &&
      Object.hasOwn(before, member) &&
      JSON.stringify(before[member]) !== JSON.stringify(item[member]),
  );

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
  const operation = known.bind(members, deps.clock.now());
  return async (tx) => {
    const item = (await readItems(tx, approval.env, [target], true)).get(target);
    const changed = item === undefined ? undefined : changedMember(approval.before, item, known.members(members));
    if (changed !== undefined)
      throw staleFault(`item.${changed}`, `the item’s ${changed} has been changed since it was asked for`);
    const outcome = await performOperationTx(deps, tx, requester, operation, target, null);
    if (outcome.kind === 'fault') throw outcome.fault;
    return { ...emptyEffects, item: itemJsonValue(outcome.item) };
  };
};
