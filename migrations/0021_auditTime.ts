/** An index of the audit log by time. Made beside running processes, so not in a transaction. */
import type { Knex } from 'knex';

export const config = { transaction: false };

export const up = async (knex: Knex): Promise<void> => {
  // What an interrupted build has left is not valid.
  await knex.raw('drop index concurrently if exists events_audit_time');
  await knex.raw(
    'create index concurrently events_audit_time on events (env, at desc, id desc) where verb is not null',
  );
};

export const down = (knex: Knex): Promise<unknown> => knex.raw('drop index events_audit_time');
