/** The table of the keys that seal messages between processes. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- \`day\`: days since 1970 by PostgreSQL's clock. Yesterday's, today's and tomorrow's key are kept; any process makes
    -- those that are missing and deletes older ones.
    create table redis_keys (
      day  int primary key,
      key  bytea not null
    );
  `);

export const down = (knex: Knex): Promise<unknown> => knex.raw('drop table redis_keys');
