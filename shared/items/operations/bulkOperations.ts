/** The operations that can be done to many items at once, by the name that a request gives them. */
import type { TObject } from '../../platform/core/schema.ts';
import { assignItem } from './assign.ts';
import { restoreItem, type PreviousValues, type RestoreVerb } from './restore.ts';
import { setState } from './setState.ts';
import { snoozeItem } from './snooze.ts';
import { tagItem } from './tag.ts';
import type { ItemOperation } from '../operation.ts';

/** An operation whose input is in it already, so that operations of different inputs are of one type. */
export type BoundOperation = ItemOperation<null>;

const bindInput = <I>(operation: ItemOperation<I>, input: I): BoundOperation => ({
  ...operation,
  check: () => null,
  decide: (item, inbox, _input, moment) => operation.decide(item, inbox, input, moment),
});

interface BulkOperation {
  readonly schema: TObject;
  /** Checks the operation's members; answers them as they are stored. Throws `400 invalid`. */
  readonly check: (members: unknown, at: number) => object;
  /** The operation with members that `check` answered. */
  readonly bind: (members: object) => BoundOperation;
  /** Gives items back what the operation changed. */
  readonly restore: (formers: ReadonlyMap<string, PreviousValues>) => BoundOperation;
}

const defineBulkOperation = <I extends object>(
  verb: RestoreVerb,
  operation: ItemOperation<I>,
  defaults: Partial<I> = {},
): BulkOperation => {
  const restoring = restoreItem(verb);
  return {
    schema: operation.schema as TObject,
    check: (members, at) => ({ ...defaults, ...operation.check(members, at) }),
    // What was stored had passed `check`; it isn't checked again, as a time that was in the future then may be past now.
    bind: (members) => bindInput(operation, members as I),
    restore: (formers) => bindInput(restoring, formers),
  };
};

export const bulkOperations: ReadonlyMap<string, BulkOperation> = new Map<RestoreVerb, BulkOperation>([
  ['state', defineBulkOperation('state', setState)],
  ['assign', defineBulkOperation('assign', assignItem)],
  ['tags', defineBulkOperation('tags', tagItem, { add: [], remove: [] })],
  ['snooze', defineBulkOperation('snooze', snoozeItem)],
]);
