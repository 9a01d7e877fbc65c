/** Table of occurrences: what each report of an item brought. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- One row per report, the item's creation among them, in the order in which they are listed. Items from before this
    -- table, and occurrences that a release without it adds, have none. \`data\` as the report gave it, \`who\`: the affected
    -- user. \`overflow\`: the item may have more rows than its inbox keeps; a sweep looks for it.
    create table occurrences (
      env       int not null,
      item      text collate "C" not null,
      at        bigint not null,
      id        text collate "C" not null,
      title     text not null,
      data      json not null,
      who       text,
      overflow  boolean not null default false,
      primary key (env, item, at, id)
    );
    create index occurrences_overflow on occurrences (env, item) where overflow;
  `);

export const down = (knex: Knex): Promise<unknown> => knex.raw('drop table occurrences');
