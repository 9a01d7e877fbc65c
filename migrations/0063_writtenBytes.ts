/** Table of the bytes that principals have written, by day and environment: they are limited by it, and the settings show it. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- Counted in the processes and added up every few seconds, so that no change waits for a row that others update.
    create table written_bytes (
      day        int not null,
      principal  text collate "C" not null,
      env        int not null references environments,
      bytes      bigint not null,
      primary key (day, principal, env)
    ) with (fillfactor = 50)`);

export const down = (knex: Knex): Promise<unknown> => knex.raw('drop table written_bytes');
