/** Index by which jobs are listed and counted: those of an environment, by how far they are and by kind, in order of time. */
import type { Knex } from 'knex';

export const config = { transaction: false };

export const up = async (knex: Knex): Promise<void> => {
  // An interrupted build leaves an index that is not valid.
  await knex.raw('drop index concurrently if exists staged_jobs_list');
  // Nothing in it depends on the lease, so that a worker's lease and its renewals change no index.
  await knex.raw(`
    create index concurrently staged_jobs_list on staged_jobs (env, (
      case when waits_for_app then 'parked' when enqueued_at is not null then 'given' when due_at is not null then 'scheduled'
        when last_error is not null then 'failed' else 'inLine' end), name, created_at, id)`);
};

export const down = (knex: Knex): Promise<unknown> => knex.raw('drop index staged_jobs_list');
