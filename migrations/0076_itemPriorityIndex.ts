/** Index of items by priority, for lists in that order and for those of some priorities alone. */
import type { Knex } from 'knex';

export const config = { transaction: false };

export const up = async (knex: Knex): Promise<void> => {
  await knex.raw('drop index concurrently if exists items_priority');
  await knex.raw('create index concurrently items_priority on items (env, inbox, priority, state, id)');
};

export const down = (knex: Knex): Promise<unknown> => knex.raw('drop index items_priority');
