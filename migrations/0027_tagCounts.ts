/** The table of how many items have each tag, and what makes the publisher fill it. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- Moved by the publisher like \`counts\`; apart from these, as an environment may have any number of tags.
    create table tag_counts (
      env    int not null,
      inbox  text collate "C" not null,
      tag    text collate "C" not null,
      n      bigint not null,
      primary key (env, inbox, tag)
    ) with (fillfactor = 50);
    -- Items that are there already are counted as soon as a publisher starts that knows the table.
    update streams set counted = -1;
  `);

export const down = (knex: Knex): Promise<unknown> => knex.raw('drop table tag_counts');
