/** Tables of bulk operations: the request, its chunks and one result per item. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    create table bulks (
      id           text collate "C" primary key,
      env          int not null references environments,
      status       text not null check (status in ('pending', 'queued', 'running', 'done', 'cancelled')),
      operation    json  not null,
      total        int not null,
      actor_type   text not null,
      actor        text collate "C" not null,
      actor_name   text not null,
      undo_of      text collate "C" references bulks,
      cancelled    boolean not null default false,
      request_id   text,
      address      text,
      created_at   bigint not null,
      started_at   bigint,
      finished_at  bigint
    );
    create index bulks_unfinished on bulks (created_at) where finished_at is null;

    create table bulk_chunks (
      bulk       text collate "C" not null references bulks,
      n          int not null,
      first      int not null,
      ids        text[] collate "C" not null,
      status     text not null default 'pending' check (status in ('pending', 'running', 'done', 'cancelled')),
      changed    int not null default 0,
      unchanged  int not null default 0,
      failed     int not null default 0,
      primary key (bulk, n)
    ) with (fillfactor = 50);

    -- Written in the statement of the effect and never twice: the primary key is what makes a bulk happen once.
    create table bulk_results (
      bulk     text collate "C" not null,
      seq      int not null,
      item     text collate "C" not null,
      outcome  text not null,
      error    text,
      code     text,
      before   jsonb,
      after    jsonb,
      primary key (bulk, seq)
    );
    create index bulk_results_outcome on bulk_results (bulk, outcome, seq);
  `);

export const down = (knex: Knex): Promise<unknown> => knex.raw('drop table bulk_results, bulk_chunks, bulks');
