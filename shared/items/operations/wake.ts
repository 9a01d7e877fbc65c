/** Wakes an item whose snooze is over; performed by the sweep alone. */
import { closed } from '../../platform/core/schema.ts';
import { itemOperation } from '../operation.ts';

export const wakeItem = itemOperation({
  name: 'item.wake',
  verb: null,
  input: closed({}),
  decide: (item, _inbox, _input, { at }) =>
    item.snoozedUntil === null || item.snoozedUntil > at
      ? 'unchanged'
      : { item: { ...item, snoozedUntil: null }, entries: [{ type: 'woken', data: { from: item.snoozedUntil } }] },
});
