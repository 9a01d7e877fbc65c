/** The parts of live messages stand in a table of their own, written once: rows of outbox and stream lead to them by their id. */
import type { Knex } from 'knex';

/** A transaction for each table: statements lock the two in either order. */
export const config = { transaction: false };

export const up = async (knex: Knex): Promise<void> => {
  const steps = [
    `
    -- The parts of a row of the outbox, by its id, which is also that of its row of the stream.
    create table if not exists stream_parts (
      id     bigint primary key,
      env    int not null,
      parts  text not null
    );
    -- From when on parts are written here, in epoch ms: a day after the migration, as the release before looks for them in the
    -- rows themselves. At once where no worker has run yet.
    create table if not exists stream_parts_begin (
      only_row  boolean primary key default true check (only_row),
      begin_at  bigint not null
    );
    insert into stream_parts_begin (begin_at)
    select case when exists (select from leases) then (extract(epoch from now() + interval '1 day') * 1000)::bigint else 0 end
    on conflict do nothing`,
    // Null: they stand in stream_parts. A publisher that does not know of it can't insert null into stream, and fails.
    'alter table outbox alter column parts drop not null',
    // '': they stand in stream_parts. A row from before has no id.
    'alter table stream add column if not exists id bigint',
  ];
  for (const step of steps)
    await knex.transaction(async (tx) => {
      await tx.raw("set local lock_timeout = '3s'");
      await tx.raw(step);
    });
};

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    update outbox o set parts = p.parts from stream_parts p where o.parts is null and p.id = o.id;
    update stream s set parts = p.parts from stream_parts p where s.parts = '' and p.id = s.id;
    alter table stream drop column id;
    alter table outbox alter column parts set not null;
    drop table stream_parts, stream_parts_begin;
  `);
