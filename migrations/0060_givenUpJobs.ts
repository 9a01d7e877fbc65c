/** The time at which a job was given up: it is kept for some days from then on, not from when it was staged. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> => knex.raw('alter table staged_jobs add column given_up_at bigint');

export const down = (knex: Knex): Promise<unknown> => knex.raw('alter table staged_jobs drop column given_up_at');
