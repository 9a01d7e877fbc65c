/** The table of identities: whom an OpenID Connect provider knows under which subject. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- A subject is one person's for ever, and a person has one subject of a provider: whoever gets their e-mail address
    -- later is somebody else.
    create table identities (
      issuer      text collate "C" not null,
      subject     text collate "C" not null,
      person      text collate "C" not null references people,
      created_at  bigint not null,
      primary key (issuer, subject),
      unique (person, issuer)
    );
  `);

export const down = (knex: Knex): Promise<unknown> => knex.raw('drop table identities');
