/** Index of the bulks of a principal, newest first. */
import type { Knex } from 'knex';

export const config = { transaction: false };

export const up = async (knex: Knex): Promise<void> => {
  await knex.raw('drop index concurrently if exists bulks_actor');
  await knex.raw('create index concurrently bulks_actor on bulks (env, actor, id desc)');
};

export const down = (knex: Knex): Promise<unknown> => knex.raw('drop index bulks_actor');
