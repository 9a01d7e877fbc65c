/** The table of repeated refusals that are counted; and a trigger by which events can't be emptied. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- A row since the first denial of a principal, verb and target; a sweep turns it into one event a minute later.
    -- \`count\`: denials after the first, which has an event of its own. \`actor\` and \`target\` are '' where there is none.
    create table refusals (
      env          int not null references environments,
      actor_type   text collate "C" not null,
      actor        text collate "C" not null,
      verb         text collate "C" not null,
      target_type  text collate "C" not null,
      target       text collate "C" not null,
      since        bigint not null,
      last_at      bigint not null,
      count        int not null,
      code         text not null,
      inbox        text collate "C",
      actor_name   text not null,
      role         text,
      request_id   text,
      address      text,
      primary key (env, actor_type, actor, verb, target_type, target)
    ) with (fillfactor = 50);
    create index refusals_since on refusals (since);

    create trigger events_not_emptied before truncate on events
      for each statement execute function events_append_only();
  `);

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw('drop trigger events_not_emptied on events; drop table refusals');
