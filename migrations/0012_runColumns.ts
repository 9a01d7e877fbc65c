/** Drops two columns of runs: a run is written only after its confirmation, and its staged job has the due time. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw('alter table runs drop column confirmed, drop column due_at');

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw('alter table runs add column confirmed boolean not null default false, add column due_at bigint');
