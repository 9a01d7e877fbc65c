/** The changes of items that a supervised agent asks for, by the name that an approval gives them. */
import { assignItem } from '../operations/assign.ts';
import type { Item } from '../model.ts';
import { noteItem } from '../operations/note.ts';
import { replyToItem } from '../operations/reply.ts';
import { setState } from '../operations/setState.ts';
import { snoozeItem } from '../operations/snooze.ts';
import { tagItem } from '../operations/tag.ts';
import { triageItem } from '../operations/triage.ts';
import type { ItemOperation } from '../operation.ts';
import type { BoundOperation } from '../operations/bulkOperations.ts';

interface SupervisedOperation {
  /** Checks the members as they were kept; answers the operation with them in it. Throws `400 invalid`. */
  readonly bind: (members: object, at: number) => BoundOperation;
  /** What of an item has to be as it was when it was asked for: what this operation sets. */
  readonly members: (operation: object) => readonly (keyof Item)[];
}

const defineSupervisedOperation = <I>(
  operation: ItemOperation<I>,
  members: readonly (keyof Item)[] | SupervisedOperation['members'],
): SupervisedOperation => ({
  members: typeof members === 'function' ? members : () => members,
  bind: (given, at) => {
    const input = operation.check(given, at);
    return {
      ...operation,
      check: () => null,
      decide: (item, inbox, _input, moment) => operation.decide(item, inbox, input, moment),
    };
  },
});

/** Besides its answers triage sets what it names. */
const triageMembers: SupervisedOperation['members'] = (operation) => [
  'triage',
  ...('state' in operation || 'close' in operation ? ['state' as const] : []),
  ...('tags' in operation ? ['tags' as const] : []),
  ...('assignee' in operation ? ['assignee' as const] : []),
];

export const supervisedOperations: ReadonlyMap<string, SupervisedOperation> = new Map([
  ['state', defineSupervisedOperation(setState, ['state'])],
  ['assign', defineSupervisedOperation(assignItem, ['assignee'])],
  ['tags', defineSupervisedOperation(tagItem, ['tags'])],
  ['snooze', defineSupervisedOperation(snoozeItem, ['snoozedUntil', 'closed'])],
  ['note', defineSupervisedOperation(noteItem, [])],
  ['reply', defineSupervisedOperation(replyToItem, [])],
  ['triage', defineSupervisedOperation(triageItem, triageMembers)],
]);

/** The name of an operation in approvals: `item.state` is `state`. */
export const supervisedOperationType = ({ name }: Pick<ItemOperation, 'name'>): string => name.slice('item.'.length);
