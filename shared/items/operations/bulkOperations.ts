/** The operations that bulks may perform and undo, by the name that requests use. For bulk/ and workers/jobs/bulkChunk.ts. */
import type { TObject } from '../../platform/core/schema.ts';
import type { ItemOperation } from '../operation.ts';
import { assignItem } from './assign.ts';
import { restoreItem, type PreviousValues, type RestoreVerb } from './restore.ts';
import { setState } from './setState.ts';
import { snoozeItem } from './snooze.ts';
import { tagItem } from './tag.ts';

/** An operation with its input bound, so that operations of different inputs have one type. */
export type BoundOperation = ItemOperation<null>;

const bindInput = <I>(operation: ItemOperation<I>, input: I): BoundOperation => ({
  ...operation,
  check: () => null,
  decide: (item, inbox, _input, moment) => operation.decide(item, inbox, input, moment),
});

interface BulkOperation {
  readonly schema: TObject;
  /** Checks the operation's members and returns them as the bulk stores them. Throws `invalid`. */
  readonly check: (members: unknown, at: number) => object;
  /** Returns the operation with members that `check` has returned. */
  readonly bind: (members: object) => BoundOperation;
  /** Returns the operation that restores the values which the bulk changed, by item id. */
  readonly restore: (formers: ReadonlyMap<string, PreviousValues>) => BoundOperation;
}

const defineBulkOperation = <I extends object>(
  verb: RestoreVerb,
  operation: ItemOperation<I>,
  defaults: Partial<I> = {},
): BulkOperation => {
  const restoring = restoreItem(verb);
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an operation whose input is an object has an object's schema
    schema: operation.schema as TObject,
    check: (members, at) => ({ ...defaults, ...operation.check(members, at) }),
    // Stored members are not checked a second time, as a time that was in the future then may be past now.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members have passed `check` before they were stored
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
