/** Columns and a table of the reasons that principals give for what they ask. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    alter table bulks add column reason text;

    -- Only of runs with a reason. A table of its own, as releases before read the columns of runs whole.
    create table run_reasons (
      run     text collate "C" primary key,
      reason  text not null
    );
  `);

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    drop table run_reasons;
    alter table bulks drop column reason;
  `);
