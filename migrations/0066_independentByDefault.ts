/** The column by which a new environment asks for independent deciders as soon as a second person can decide. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw('alter table environments add column independent_by_default boolean not null default false');

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw('alter table environments drop column independent_by_default');
