/** Columns that keep the members of a declaration in the order in which the app declares them, which `jsonb` does not keep. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- The same as \`manifest\` and \`definition\`, in the declared order; null or another value: an earlier release wrote the row last.
    alter table definitions add column manifest_in_order json, add column definition_in_order json;
  `);

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw('alter table definitions drop column manifest_in_order, drop column definition_in_order');
