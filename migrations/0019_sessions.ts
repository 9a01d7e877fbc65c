/** Columns by which people see and end their sessions, and their preferences; the index of who has how much open work. */
import type { Knex } from 'knex';

export const config = { transaction: false };

/** May run again after it was interrupted, as a column or the index may be there by then. */
export const up = async (knex: Knex): Promise<void> => {
  await knex.transaction(async (tx) => {
    await tx.raw("set local lock_timeout = '3s'");
    // Of a person's session: when it was used last, and the address that it was opened from.
    await tx.raw(
      'alter table tokens add column if not exists last_used_at bigint, add column if not exists address text',
    );
    await tx.raw(`alter table people add column if not exists preferences jsonb not null default '{}'`);
  });
  await knex.raw('drop index concurrently if exists items_assigned');
  await knex.raw(`
    create index concurrently items_assigned on items (env, assignee, inbox, state)
    where assignee is not null and not closed`);
};

export const down = async (knex: Knex): Promise<void> => {
  await knex.raw('drop index items_assigned');
  await knex.raw('alter table people drop column preferences');
  await knex.raw('alter table tokens drop column last_used_at, drop column address');
};
