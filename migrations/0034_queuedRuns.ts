/** Index of the queued runs of a principal that belong to no bulk, which are counted before one more is queued. */
import type { Knex } from 'knex';

export const config = { transaction: false };

export const up = async (knex: Knex): Promise<void> => {
  // What an interrupted build has left is not valid.
  await knex.raw('drop index concurrently if exists runs_queued_actor');
  await knex.raw(
    "create index concurrently runs_queued_actor on runs (env, actor) where status = 'queued' and bulk is null",
  );
};

export const down = (knex: Knex): Promise<unknown> => knex.raw('drop index runs_queued_actor');
