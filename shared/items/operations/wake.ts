/** Wakes an item whose snooze is over. Performed only by workers/sweeps/index.ts. */
import { strictObject } from '../../platform/json/schema.ts';
import { defineItemOperation } from '../operation.ts';

export const wakeItem = defineItemOperation({
  name: 'item.wake',
  verb: null,
  input: strictObject({}),
  decide: (item, _inbox, _input, { at }) =>
    item.snoozedUntil === null || item.snoozedUntil > at
      ? 'unchanged'
      : { item: { ...item, snoozedUntil: null }, entries: [{ type: 'woken', data: { from: item.snoozedUntil } }] },
});
