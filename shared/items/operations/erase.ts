/** Records that the content of an item was erased, and tells subscribers its new form. Performed only by shared/erasure, which has erased it. */
import { strictObject } from '../../platform/json/schema.ts';
import { defineItemOperation } from '../operation.ts';

export const noteErasedItem = defineItemOperation({
  name: 'item.erase',
  // Needs no right in the inbox: nothing but an erasure performs it.
  verb: () => [],
  input: strictObject({}),
  needsReason: () => false,
  decide: (item) => ({ item, entries: [] }),
});
