/** The table of links by which people set their password: an invitation, and a reset, one of each for a person. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- A new link of a kind takes the place of the former one, which is void by that.
    create table if not exists password_links (
      person      text collate "C" not null references people,
      kind        text collate "C" not null,
      -- SHA-256 of its token; null: a mail is going to have it.
      hash        bytea unique,
      expires_at  bigint not null,
      created_at  bigint not null,
      primary key (person, kind)
    );
  `);

export const down = (knex: Knex): Promise<unknown> => knex.raw('drop table password_links');
