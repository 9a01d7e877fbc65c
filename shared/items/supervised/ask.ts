/** What a supervised agent asks to do to an item: decided as if it were done, and kept for a person instead of being written. */
import { Fault, fault } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { asApproved, type Caller } from '../../access/principal.ts';
import type { DomainDeps } from '../../settings/deps.ts';
import { readItems, type Item } from '../model.ts';
import { itemJson } from '../present.ts';
import type { CreateInput } from '../operations/create.ts';
import { checkAllowed } from '../perform/create.ts';
import { decideOne } from '../perform/decide.ts';
import type { ItemOperation } from '../operation.ts';
import { momentOf } from '../perform/perform.ts';
import type { SavedAnswer } from '../../platform/journal/answers.ts';
import { requestApproval } from '../../approvals/request.ts';
import { supervisedType } from './operations.ts';

export type Save = (status: number, body: string) => SavedAnswer | null;

export const pendingBody = (approval: string): string => JSON.stringify({ pending: true, approval });

export interface AskedChange<I> {
  readonly operation: ItemOperation<I>;
  readonly id: string;
  readonly input: I;
  readonly ifMatch: number | undefined;
}

/** The approval's id, or the item when there is nothing to do. Throws what the change itself would be refused with. */
export const askItemChange = async <I>(deps: DomainDeps, caller: Caller, { operation, id, input, ifMatch }: AskedChange<I>, save: Save): Promise<{ approval: string } | { unchanged: Item }> => {
  const acting: Caller = { ...caller, principal: asApproved(caller.principal) };
  const item = (await readItems(deps.db, caller.env.id, [id])).get(id);
  const change = decideOne({ caller: acting, operation, input, ifMatch }, item, momentOf(deps, acting));
  if (change instanceof Fault) throw change;
  if (item === undefined) throw fault('not_found');
  if (change === 'unchanged') return { unchanged: item };
  const type = supervisedType(operation);
  const { approval } = await requestApproval(deps, caller, {
    kind: 'item',
    summary: `${type}: ${item.title}`,
    request: { operation: { type, ...(input as object) }, target: id, inbox: item.inbox },
    before: { ...(JSON.parse(itemJson(item, caller.principal.access)) as object), closed: item.closed, triage: item.triage },
    fingerprint: ['item', type, id, input],
    expiresMs: limits.approvalMs,
    item: { id, inbox: item.inbox },
    save: (asked) => save(202, pendingBody(asked.approval)),
  });
  return { approval };
};

/** The same for an item that is to be created. */
export const askItemCreation = async (deps: DomainDeps, caller: Caller, input: CreateInput, save: Save): Promise<string> => {
  const acting: Caller = { ...caller, principal: asApproved(caller.principal) };
  checkAllowed(acting, input);
  const { approval } = await requestApproval(deps, caller, {
    kind: 'item',
    summary: `create: ${input.title}`,
    request: { operation: { type: 'create', ...input }, target: null, inbox: input.inbox },
    before: null,
    fingerprint: ['item', 'create', input],
    expiresMs: limits.approvalMs,
    save: (asked) => save(202, pendingBody(asked.approval)),
  });
  return approval;
};
