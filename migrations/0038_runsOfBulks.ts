/** Index of the unfinished runs of a principal's bulks, which are counted before its bulks make more. */
import type { Knex } from 'knex';

export const config = { transaction: false };

export const up = async (knex: Knex): Promise<void> => {
  // What an interrupted build has left is not valid.
  await knex.raw('drop index concurrently if exists runs_of_bulks');
  await knex.raw(
    "create index concurrently runs_of_bulks on runs (env, actor) where bulk is not null and status in ('queued', 'running')",
  );
};

export const down = (knex: Knex): Promise<unknown> => knex.raw('drop index runs_of_bulks');
