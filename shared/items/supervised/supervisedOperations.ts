/** The operations on items that supervised agents may request, by the name that approvals use. For requestItemChange.ts and decisions/. */
import { isObject } from '../../platform/json/jsonLimits.ts';
import type { Item } from '../model.ts';
import { bindInput, type BoundOperation, type ItemOperation } from '../operation.ts';
import { assignItem } from '../operations/assign.ts';
import { noteItem } from '../operations/note.ts';
import { replyToItem } from '../operations/reply.ts';
import { setState } from '../operations/setState.ts';
import { snoozeItem } from '../operations/snooze.ts';
import { tagItem } from '../operations/tag.ts';
import { triageItem } from '../operations/triage.ts';
import { updatedMembers, updateItem } from '../operations/update.ts';

interface SupervisedOperation {
  /** Checks the stored members and returns the operation bound to them. Throws `invalid`. */
  readonly bind: (members: object, at: number) => BoundOperation;
  /** Returns the members of an item that the operation sets, which must not change between request and approval. */
  readonly members: (operation: object) => readonly (keyof Item)[];
}

const defineSupervisedOperation = <I>(
  operation: ItemOperation<I>,
  members: readonly (keyof Item)[] | SupervisedOperation['members'],
): SupervisedOperation => ({
  members: typeof members === 'function' ? members : () => members,
  bind: (given, at) => bindInput(operation, operation.check(given, at)),
});

/** Triage sets its answers, and the members that its input names. */
const triageMembers: SupervisedOperation['members'] = (operation) => [
  'triage',
  ...('state' in operation || 'close' in operation ? ['state' as const] : []),
  ...('tags' in operation ? ['tags' as const] : []),
  ...('assignee' in operation ? ['assignee' as const] : []),
];

/** A reply sets what is to follow it. */
const replyMembers: SupervisedOperation['members'] = (operation) =>
  'then' in operation && isObject(operation.then) ? updatedMembers(operation.then) : [];

export const supervisedOperations: ReadonlyMap<string, SupervisedOperation> = new Map([
  ['state', defineSupervisedOperation(setState, ['state'])],
  ['assign', defineSupervisedOperation(assignItem, ['assignee'])],
  ['tags', defineSupervisedOperation(tagItem, ['tags'])],
  ['snooze', defineSupervisedOperation(snoozeItem, ['snoozedUntil', 'closed'])],
  ['note', defineSupervisedOperation(noteItem, [])],
  ['reply', defineSupervisedOperation(replyToItem, replyMembers)],
  ['triage', defineSupervisedOperation(triageItem, triageMembers)],
  ['update', defineSupervisedOperation(updateItem, updatedMembers)],
]);

/** Returns the name of an operation in approvals: `state` for `item.state`. */
export const supervisedOperationType = ({ name }: Pick<ItemOperation, 'name'>): string => name.slice('item.'.length);
