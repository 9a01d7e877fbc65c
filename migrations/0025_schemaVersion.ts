/** Table of the schema's version, by which processes of older and newer builds decide whether they can work on it. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- One row, written by every run of the migrations. \`version\` is the number of the newest migration; \`serves_from\`
    -- the oldest one that a build may need: builds that were made for an older schema use what is gone.
    create table schema_version (
      only_row     boolean primary key default true check (only_row),
      version      int not null,
      serves_from  int not null
    );
  `);

export const down = (knex: Knex): Promise<unknown> => knex.raw('drop table schema_version');
