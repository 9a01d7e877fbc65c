/** Table of the views that people save: filters and an order of item lists under a name. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- \`query\`: filters as the API has them; \`inbox\` null: all inboxes; \`sort\` null: the default order.
    create table saved_views (
      id          text collate "C" primary key,
      env         int not null references environments on delete cascade,
      owner       text collate "C" not null references people on delete cascade,
      name        text collate "C" not null,
      inbox       text collate "C",
      query       jsonb not null,
      sort        text collate "C",
      shared      boolean not null,
      created_at  bigint not null,
      updated_at  bigint not null,
      constraint saved_views_name unique (env, owner, name)
    );
    create index saved_views_shared on saved_views (env) where shared;
    create index saved_views_owner on saved_views (owner);
  `);

export const down = (knex: Knex): Promise<unknown> => knex.raw('drop table saved_views');
