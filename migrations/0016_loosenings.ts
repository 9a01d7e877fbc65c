/** Tables of the rules that actions and flags were ever declared with, and of declarations that loosen them; how far an environment trusts its app. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- One row for each name that was ever declared, also after it is left out: the rule in force. Never deleted.
    create table definition_rules (
      env   int not null references environments,
      type  text collate "C" not null check (type in ('action', 'flag')),
      name  text collate "C" not null,
      rule  jsonb not null,
      at    bigint not null,
      primary key (env, type, name)
    );

    -- \`ended_at\`: since when the question no longer stands, because something else is declared.
    create table loosenings (
      id          text collate "C" primary key,
      env         int not null references environments,
      type        text collate "C" not null,
      name        text collate "C" not null,
      member      text not null,
      value_from  jsonb,
      value_to    jsonb,
      since       bigint not null,
      status      text not null check (status in ('waiting', 'accepted', 'refused', 'noted')),
      decided_by  jsonb,
      decided_at  bigint,
      ended_at    bigint
    );
    create index loosenings_list on loosenings (env, id desc);
    create index loosenings_status on loosenings (env, status, id desc);
    create index loosenings_open on loosenings (env, type, name) where ended_at is null and status in ('waiting', 'refused');

    alter table environments add column trust_app boolean not null default false;
    alter table environments add column accept_new boolean not null default false;

    -- \`updated_at\` of the declaration that the rules were compared with. An earlier release leaves it as it was.
    alter table definitions add column ruled_at bigint;
  `);

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    alter table definitions drop column ruled_at;
    alter table environments drop column accept_new, drop column trust_app;
    drop table loosenings, definition_rules;
  `);
