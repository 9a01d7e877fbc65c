/** Tables of runs, of the items that wait for a run, and of approvals. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- What a person decides; the column \`request\` holds what \`kind\` needs: a run, a bulk, a flag's or an item's change.
    create table approvals (
      id            text collate "C" primary key,
      env           int not null references environments,
      kind          text not null check (kind in ('action', 'bulk', 'flag', 'item')),
      status        text not null default 'pending' check (status in ('pending', 'approved', 'rejected', 'expired', 'cancelled', 'stale')),
      summary       text not null,
      actor_type    text not null,
      actor         text collate "C" not null,
      actor_name    text not null,
      requested_at  bigint not null,
      expires_at    bigint not null,
      decided_by    jsonb,
      decided_at    bigint,
      note          text,
      -- The same request by the same principal while one is pending answers with that one.
      fingerprint   bytea not null,
      request       jsonb not null,
      before        jsonb,
      run           text collate "C",
      bulk          text collate "C",
      item          text collate "C",
      inbox         text collate "C",
      entry         text collate "C",
      request_id    text,
      address       text
    );
    create unique index approvals_same on approvals (env, actor, fingerprint) where status = 'pending';
    create index approvals_list on approvals (env, status, id desc);
    create index approvals_expiry on approvals (expires_at) where status = 'pending';

    -- \`fence\` rises with every hand-over: only the hand-over that it stands for may settle the run. \`handed_at\`: when the
    -- app was given it; \`lost_at\`: since when its answer is missing; \`due_at\`: when it may be handed over (again).
    -- \`lane\`: queued runs of one record start one after the other. \`waiting_until\`: a call waits for the result so long.
    create table runs (
      id             text collate "C" primary key,
      env            int not null references environments,
      action         text collate "C" not null,
      label          text not null,
      resource       text collate "C",
      record         text collate "C",
      item           text collate "C",
      inbox          text collate "C",
      entry          text collate "C",
      input          jsonb not null,
      confirmed      boolean not null default false,
      status         text not null check (status in ('pending', 'queued', 'running', 'succeeded', 'failed', 'unknown', 'rejected', 'expired', 'cancelled')),
      background     boolean not null,
      repeatable     boolean not null,
      timeout_ms     bigint not null,
      lane           text collate "C",
      attempts       int not null default 0,
      attempt        int not null default 1,
      failures       int not null default 0,
      progress       real,
      message        text,
      blocks         jsonb,
      error          text,
      code           text,
      actor_type     text not null,
      actor          text collate "C" not null,
      actor_name     text not null,
      role           text,
      approval       text collate "C",
      approved_by    jsonb,
      bulk           text collate "C",
      requested_at   bigint not null,
      due_at         bigint,
      expires_at     bigint,
      started_at     bigint,
      finished_at    bigint,
      handed_at      bigint,
      lost_at        bigint,
      instance       text,
      connection     text collate "C",
      fence          int not null default 0,
      waiting_until  bigint,
      once_principal text collate "C",
      once_key       text collate "C",
      request_id     text,
      address        text
    ) with (fillfactor = 80);
    create index runs_list on runs (env, id desc);
    create index runs_actor on runs (env, actor, id desc);
    create index runs_action on runs (env, action, id desc);
    create index runs_open on runs (env, status, id) where status in ('pending', 'queued', 'running');
    create index runs_lane on runs (env, lane, id) where lane is not null and status in ('queued', 'running');
    create index runs_expiry on runs (expires_at) where status = 'queued';
    create index runs_handed on runs (connection) where status = 'running';
    create index runs_once on runs (once_principal, once_key) where waiting_until is not null;
    create index runs_of_bulk on runs (bulk) where bulk is not null and status in ('pending', 'queued', 'running');
    create unique index runs_bulk on runs (bulk, record) where bulk is not null;

    -- The items of a bulk that get the outcome of a run, each with its place in the bulk and its timeline entry.
    create table run_items (
      run    text collate "C" not null references runs,
      seq    int not null,
      item   text collate "C" not null,
      inbox  text collate "C" not null,
      entry  text collate "C" not null,
      primary key (run, seq)
    );

    -- A chunk whose items all have their runs waits for these.
    alter table bulk_chunks drop constraint bulk_chunks_status_check;
    alter table bulk_chunks add constraint bulk_chunks_status_check check (status in ('pending', 'running', 'waiting', 'done', 'cancelled'));

    -- Who approved it; null: nobody had to.
    alter table bulks add column approved_by jsonb;

    -- What an event is about besides its item: '<resource>/<record id>', for a record's history.
    alter table events add column about text collate "C";
    create index events_about on events (env, about, id desc) where about is not null and not is_update;
  `);

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    drop index events_about;
    alter table events drop column about;
    alter table bulks drop column approved_by;
    update bulk_chunks set status = 'running' where status = 'waiting';
    alter table bulk_chunks drop constraint bulk_chunks_status_check;
    alter table bulk_chunks add constraint bulk_chunks_status_check check (status in ('pending', 'running', 'done', 'cancelled'));
    drop table run_items, runs, approvals`);
