/** Tables of the connections of customers' apps, and of the results of their reports, which a repeated report gets again. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- One row per socket of an app, written by the API process that holds it and gone with it. \`seen_at\` is by
    -- PostgreSQL's clock: one that is older than 15 s counts as gone. \`declares\`: 'action:refund', 'resource:order', …
    create table app_connections (
      id            text collate "C" primary key,
      env           int not null references environments,
      app_key       text collate "C" not null,
      instance      text not null,
      process       text not null,
      declares      text[] collate "C" not null,
      started_at    bigint not null,
      connected_at  bigint not null,
      seen_at       bigint not null,
      busy          int not null default 0
    ) with (fillfactor = 50);
    create index app_connections_env on app_connections (env);

    -- What \`items.report\` answered to a delivery, kept 24 hours.
    create table deliveries (
      env         int not null,
      delivery    text collate "C" not null,
      item        text collate "C" not null,
      created     boolean not null,
      created_at  bigint not null,
      primary key (env, delivery)
    );
    create index deliveries_age on deliveries (created_at);

    -- A job that can't go on without the app: parked, and due again once an instance is connected.
    alter table staged_jobs add column waits_for_app boolean not null default false;
    -- Replies that were staged before there was anyone to send them.
    update staged_jobs set due_at = created_at where name = 'replySend' and due_at is null and last_error is null;
    create index staged_jobs_app on staged_jobs (env, created_at, id) where waits_for_app;
  `);

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw('alter table staged_jobs drop column waits_for_app; drop table deliveries, app_connections');
