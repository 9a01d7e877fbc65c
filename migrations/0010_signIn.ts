/** The table of recent sign-in tries: rows, so that the throttle applies over all processes and restarts. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- \`subject\`: an account (by the SHA-256 of the address that was typed, whether it exists or not) or a client's address.
    -- A try counts as failed until it has succeeded. \`free_at\`: when the next one is let through.
    create table sign_in_tries (
      subject   text collate "C" primary key,
      failures  int not null,
      last_at   bigint not null,
      free_at   bigint not null
    ) with (fillfactor = 50);
    create index sign_in_tries_age on sign_in_tries (last_at);
  `);

export const down = (knex: Knex): Promise<unknown> => knex.raw('drop table sign_in_tries');
