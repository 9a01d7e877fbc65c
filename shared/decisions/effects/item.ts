/** Approving what a supervised agent asked to do to an item, or an item that it asked to create. */
import { asApproved } from '../../access/principal.ts';
import { fullAccess } from '../../access/access.ts';
import { readItems, type Item } from '../../items/model.ts';
import { itemJson } from '../../items/present.ts';
import { checkCreate } from '../../items/operations/create.ts';
import { checkAllowed, performCreateIn } from '../../items/perform/create.ts';
import { performIn } from '../../items/perform/perform.ts';
import { supervisable } from '../../items/supervised/operations.ts';
import { noEffects, stale, type Approving, type Effect, type Prepare } from './effect.ts';

const shown = (item: Item): unknown => JSON.parse(itemJson(item, fullAccess));

const create = ({ deps, approval, requester }: Approving<'item'>): Effect => {
  const { type: _, ...members } = approval.request.operation;
  const input = checkCreate(members);
  checkAllowed(requester, input);
  return async (tx) => ({ ...noEffects, item: shown((await performCreateIn(deps, tx, requester, input)).item) });
};

/** Whether the members that the operation is about are as they were. */
const unchanged = (before: Readonly<Record<string, unknown>> | null, item: Item, members: readonly (keyof Item)[]): string | undefined =>
  members.find((member) => before !== null && Object.hasOwn(before, member) && JSON.stringify(before[member]) !== JSON.stringify(item[member]));

export const approveItem: Prepare<'item'> = async (approving) => {
  const { deps, approval } = approving;
  const requester = { ...approving.requester, principal: asApproved(approving.requester.principal), approvedBy: approving.decidedBy };
  const { target, operation: { type, ...members } } = approval.request;
  if (type === 'create' || target === null) return create({ ...approving, requester });
  const known = supervisable.get(type);
  if (known === undefined) throw stale('operation', `there is no operation ${type}`);
  const operation = known.bind(members, deps.clock.now());
  return async (tx) => {
    const item = (await readItems(tx, approval.env, [target], true)).get(target);
    const changed = item === undefined ? undefined : unchanged(approval.before, item, known.members(members));
    if (changed !== undefined) throw stale(`item.${changed}`, `the item’s ${changed} has been changed since it was asked for`);
    const outcome = await performIn(deps, tx, requester, operation, target, null);
    if (outcome.kind === 'fault') throw outcome.fault;
    return { ...noEffects, item: shown(outcome.item) };
  };
};
