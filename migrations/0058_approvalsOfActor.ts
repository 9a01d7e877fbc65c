/** Index of the approvals that a principal has asked for, by status, newest first. */
import type { Knex } from 'knex';

export const config = { transaction: false };

export const up = async (knex: Knex): Promise<void> => {
  await knex.raw('drop index concurrently if exists approvals_actor');
  await knex.raw('create index concurrently approvals_actor on approvals (env, actor, status, id desc)');
};

export const down = (knex: Knex): Promise<unknown> => knex.raw('drop index approvals_actor');
