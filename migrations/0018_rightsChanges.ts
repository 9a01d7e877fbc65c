/** The table of who changed the rights of whom, and the columns by which environments and approvals ask for independent deciders. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    alter table environments add column independent_approval boolean not null default false;

    -- The rule of the environment at the time of the request, which a later change of the rule leaves as it was.
    alter table approvals add column independent boolean not null default false;

    -- The newest time at which a person (\`actor\`) made or changed an agent, a role or another person's password
    -- (\`target\`): a small copy of the audit log, which a decision could not search in time.
    create table rights_changes (
      target  text collate "C" not null,
      actor   text collate "C" not null,
      at      bigint not null,
      primary key (target, actor)
    );
  `);

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    drop table rights_changes;
    alter table approvals drop column independent;
    alter table environments drop column independent_approval;
  `);
