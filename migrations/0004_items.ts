/** Tables of items, of the users that an item occurred to, and of the records of stored resources. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- \`terms\` holds what lists are searched by (shared/items/search/terms.ts): words, tags, state, assignee and flags, each after
    -- the fortnight of last_seen and the inbox, so that a common word never touches more rows than a fortnight has
    -- (docs/performance.md). Orders other than that of activity are indexed by state, as people sort what is not closed.
    create table items (
      env               int not null,
      id                text collate "C" not null,
      inbox             text collate "C" not null,
      title             text not null,
      title_key         text collate "C" not null,
      state             text collate "C" not null,
      closed            boolean not null,
      record_resource   text collate "C",
      record_id         text collate "C",
      record_title      text,
      links             jsonb not null default '[]',
      tags              text[] not null default '{}',
      assignee          text collate "C",
      occurrences       int not null default 1,
      users             int not null default 0,
      first_seen        bigint not null,
      last_seen         bigint not null,
      due_at            bigint,
      fields            json not null default '{}',
      snoozed_until     bigint,
      triaged           boolean not null default false,
      triage            jsonb,
      key               text collate "C",
      occurred_entry    jsonb,
      created_at        bigint not null,
      updated_at        bigint not null,
      version           int not null default 1,
      terms             tsvector not null,
      primary key (env, id)
    ) with (fillfactor = 90);

    create unique index items_key on items (env, inbox, key) where key is not null;
    create index items_seen on items (env, inbox, last_seen desc, id desc);
    create index items_state on items (env, inbox, state, last_seen desc, id desc);
    create index items_assignee on items (env, inbox, assignee, last_seen desc, id desc) where assignee is not null;
    create index items_unassigned on items (env, inbox, last_seen desc, id desc) where assignee is null;
    create index items_over on items (env, inbox, last_seen desc, id desc) include (due_at) where due_at is not null and not closed;
    create index items_due on items (env, inbox, state, closed, due_at, id) where due_at is not null;
    create index items_undue on items (env, inbox, state, id) where due_at is null;
    create index items_snoozed on items (env, inbox, last_seen desc, id desc) where snoozed_until is not null;
    create index items_wake on items (snoozed_until) where snoozed_until is not null;
    create index items_triaged on items (env, inbox, last_seen desc, id desc) where triaged;
    create index items_first on items (env, inbox, state, first_seen, id);
    create index items_occurrences on items (env, inbox, state, occurrences, id);
    create index items_users on items (env, inbox, state, users, id);
    create index items_title on items (env, inbox, state, title_key, id);
    create index items_record on items (env, record_resource, record_id, last_seen desc, id desc) where record_id is not null;
    create index items_terms on items using gin (terms) with (fastupdate = off);

    -- Distinct users per item, by whom \`users\` counts.
    create table item_users (
      env   int not null,
      item  text collate "C" not null,
      who   text collate "C" not null,
      primary key (env, item, who)
    );

    create table records (
      env         int not null,
      resource    text collate "C" not null,
      id          text collate "C" not null,
      title       text not null,
      subtitle    text,
      fields      jsonb not null,
      updated_at  bigint not null,
      primary key (env, resource, id)
    );
  `);

export const down = (knex: Knex): Promise<unknown> => knex.raw('drop table records, item_users, items');
