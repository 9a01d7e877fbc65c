/** Tables of roles, of principals (people, agents, app keys), of the hashes of their tokens, and of tickets. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    create table roles (
      id          text collate "C" primary key,
      name        text collate "C" not null unique,
      grants      jsonb not null,
      built_in    boolean not null default false,
      created_at  bigint not null,
      updated_at  bigint not null
    );

    -- \`environments\`: names, or the one entry '*'.
    create table people (
      id             text collate "C" primary key,
      email          text collate "C" not null unique,
      name           text not null,
      role           text collate "C" not null references roles,
      password_hash  text,
      environments   text[] not null,
      created_at     bigint not null,
      removed_at     bigint
    );

    create table agents (
      id            text collate "C" primary key,
      name          text not null,
      role          text collate "C" not null references roles,
      mode          text not null check (mode in ('normal', 'readonly', 'supervised')),
      environments  text[] not null,
      created_by    text collate "C",
      expires_at    bigint,
      last_used_at  bigint,
      created_at    bigint not null,
      revoked_at    bigint
    );

    create table app_keys (
      id            text collate "C" primary key,
      env           int not null references environments,
      name          text not null,
      last_used_at  bigint,
      created_at    bigint not null,
      revoked_at    bigint
    );

    -- Only the SHA-256 of a token is kept. \`fresh_until\`: of a person's session, how long its sign-in counts as fresh.
    create table tokens (
      hash         bytea primary key,
      kind         text not null check (kind in ('agent', 'person', 'app')),
      principal    text collate "C" not null,
      expires_at   bigint,
      fresh_until  bigint,
      created_at   bigint not null
    );
    create index tokens_principal on tokens (principal);

    -- Single-use tickets for opening the live stream from a browser.
    create table tickets (
      hash        bytea primary key,
      env         int not null references environments,
      token       bytea not null,
      expires_at  bigint not null
    );
    create index tickets_expiry on tickets (expires_at);
  `);

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw('drop table tickets, tokens, app_keys, agents, people, roles');
