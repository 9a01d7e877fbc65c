/** The operations that bulks may perform and undo, by the name that requests use. For bulk/ and workers/jobs/bulkChunk.ts. */
import { invalidAt } from '../../catalogue/errors.ts';
import type { InboxVerb } from '../../catalogue/permissions.ts';
import { strictObject, type TObject } from '../../platform/json/schema.ts';
import { bindInput, type BoundOperation, type ItemOperation } from '../operation.ts';
import { assignItem } from './assign.ts';
import { restoreItem, restoreUpdated, type PreviousValues, type RestoreVerb } from './restore.ts';
import { setState } from './setState.ts';
import { snoozeItem } from './snooze.ts';
import { tagItem } from './tag.ts';
import { updateInput, updateItem, updateVerbs, type UpdateInput } from './update.ts';

type Formers = ReadonlyMap<string, PreviousValues>;

interface BulkOperation {
  readonly schema: TObject;
  /** Checks the operation's members and returns them as the bulk stores them. Throws `invalid`. */
  readonly check: (members: unknown, at: number) => object;
  /** Returns the operation with members that `check` has returned. */
  readonly bind: (members: object) => BoundOperation;
  /** Returns the verbs that the operation with these members needs. */
  readonly verbs: (members: object) => readonly InboxVerb[];
  /** Returns the operation that restores the values which a bulk with these members changed, by item id. */
  readonly restore: (members: object, formers: Formers) => BoundOperation;
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
    verbs: () => [verb],
    restore: (_members, formers) => bindInput(restoring, formers),
  };
};

const { note: _, undo: __, ...ofBulks } = updateInput.properties;

/** All that an update of one item may have but a note, which an undo could not take back, and the undo of one change. */
const bulkUpdate: BulkOperation = {
  schema: strictObject(ofBulks),
  check: (members, at) => {
    for (const name of ['note', 'undo'])
      if (typeof members === 'object' && members !== null && name in members)
        throw invalidAt(name, 'is not taken in bulks');
    return updateItem.check(members, at);
  },
  bind: (members) => bindInput<UpdateInput>(updateItem, members),
  verbs: updateVerbs,
  restore: (members, formers) => bindInput(restoreUpdated(members), formers),
};

export const bulkOperations: ReadonlyMap<string, BulkOperation> = new Map<string, BulkOperation>([
  ['state', defineBulkOperation('state', setState)],
  ['assign', defineBulkOperation('assign', assignItem)],
  ['tags', defineBulkOperation('tags', tagItem, { add: [], remove: [] })],
  ['snooze', defineBulkOperation('snooze', snoozeItem)],
  ['update', bulkUpdate],
]);
