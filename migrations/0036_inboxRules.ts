/** Lets the rules in force also stand for inboxes, whose declarations can require reasons. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    alter table definition_rules drop constraint definition_rules_type_check,
      add constraint definition_rules_type_check check (type in ('action', 'flag', 'inbox')) not valid;
  `);

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    delete from definition_rules where type = 'inbox';
    alter table definition_rules drop constraint definition_rules_type_check,
      add constraint definition_rules_type_check check (type in ('action', 'flag'));
  `);
