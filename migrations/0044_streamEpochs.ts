/** Earlier epochs of the streams that are still good for resuming, and which PostgreSQL the publisher has worked on. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- An epoch that ended as PostgreSQL failed over or was restored. Up to \`last\` its positions are the stream's own; those
    -- after it were lost with the server that had them, and mean something else in the epochs that follow.
    create table stream_epochs (
      env    int not null references environments,
      epoch  int not null,
      last   bigint not null,
      primary key (env, epoch)
    );

    -- The server and its timeline, as the publisher found them; null before it has looked.
    alter table leases add column timeline text;
  `);

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw('alter table leases drop column timeline; drop table stream_epochs');
