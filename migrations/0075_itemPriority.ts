/** The priority of items. What a release that knows of none makes is of the usual one; its updates leave priorities as they are. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- A constant default takes no rewrite, but the lock of a table that is altered, which gives way where it is not to be had.
    set local lock_timeout = '3s';
    alter table items add column priority text collate "C" not null default 'normal';
  `);

export const down = (knex: Knex): Promise<unknown> => knex.raw('alter table items drop column priority');
