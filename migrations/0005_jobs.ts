/** Tables of staged jobs and of the saved responses of idempotency keys: both commit with the change. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- The row is the job; BullMQ only carries its id. \`due_at\` null: parked until something sets it.
    -- \`tries\` counts starts; \`fence\` and \`lease_until\` say who runs it now. Deleted when done.
    create table staged_jobs (
      id           text collate "C" primary key,
      env          int not null,
      name         text not null,
      payload      jsonb not null,
      subject      text collate "C",
      request_id   text,
      due_at       bigint,
      enqueued_at  bigint,
      enqueues     int not null default 0,
      tries        int not null default 0,
      fence        int not null default 0,
      lease_until  bigint,
      last_error   text,
      created_at   bigint not null
    ) with (fillfactor = 70, vacuum_truncate = off);
    create index staged_jobs_due on staged_jobs (due_at, id) where enqueued_at is null and due_at is not null;
    create index staged_jobs_enqueued on staged_jobs (enqueued_at) where enqueued_at is not null;
    create index staged_jobs_subject on staged_jobs (subject);

    create table idempotency_keys (
      principal    text collate "C" not null,
      key          text collate "C" not null,
      fingerprint  bytea not null,
      status       smallint not null,
      body         text not null,
      etag         text,
      created_at   bigint not null,
      primary key (principal, key)
    );
    create index idempotency_keys_age on idempotency_keys (created_at);
  `);

export const down = (knex: Knex): Promise<unknown> => knex.raw('drop table idempotency_keys, staged_jobs');
