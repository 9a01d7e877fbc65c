/** Snoozes an item until a time, or wakes it; and wakes items whose time has come. */
import { fault, invalidAt } from '../../catalogue/errors.ts';
import { nullable, strictObject, timeSchema } from '../../platform/json/schema.ts';
import { defineItemOperation } from '../operation.ts';

export const snoozeItem = defineItemOperation({
  name: 'item.snooze',
  verb: 'snooze',
  input: strictObject({ until: nullable(timeSchema('When it wakes by itself; null wakes it now')) }),
  validate: ({ until }, at) => {
    if (until !== null && until <= at)
      throw invalidAt('until', 'must be in the future, in milliseconds since 1970 UTC');
  },
  needsReason: ({ until }) => until !== null,
  decide: (item, _inbox, { until }) => {
    if (item.snoozedUntil === until) return 'unchanged';
    if (until === null)
      return { item: { ...item, snoozedUntil: null }, entries: [{ type: 'woken', data: { from: item.snoozedUntil } }] };
    if (item.closed) return fault('conflict', 'A closed item can’t be snoozed; open it first.');
    return {
      item: { ...item, snoozedUntil: until },
      entries: [{ type: 'snoozed', data: { from: item.snoozedUntil, to: until } }],
    };
  },
});

export const wakeItem = defineItemOperation({
  name: 'item.wake',
  verb: null,
  input: strictObject({}),
  decide: (item, _inbox, _input, { at }) =>
    item.snoozedUntil === null || item.snoozedUntil > at
      ? 'unchanged'
      : { item: { ...item, snoozedUntil: null }, entries: [{ type: 'woken', data: { from: item.snoozedUntil } }] },
});
