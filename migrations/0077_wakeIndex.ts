/** Index of snoozed items by the end of their snooze, for the sweep that wakes them. */
import type { Knex } from 'knex';

export const config = { transaction: false };

export const up = async (knex: Knex): Promise<void> => {
  await knex.raw('drop index concurrently if exists items_wake');
  await knex.raw('create index concurrently items_wake on items (snoozed_until) where snoozed_until is not null');
};

export const down = (knex: Knex): Promise<unknown> => knex.raw('drop index items_wake');
