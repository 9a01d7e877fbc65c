/** Columns that carry the trace of a request to its jobs and to the publisher. */
import type { Knex } from 'knex';

/** A transaction for each table: statements lock the two in either order. */
export const config = { transaction: false };

export const up = async (knex: Knex): Promise<void> => {
  // W3C Trace Context; null: the request is not traced.
  const changes = [
    'alter table staged_jobs add column if not exists traceparent text',
    'alter table outbox add column if not exists traceparent text',
  ];
  for (const change of changes)
    await knex.transaction(async (tx) => {
      await tx.raw("set local lock_timeout = '3s'");
      await tx.raw(change);
    });
};

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw('alter table staged_jobs drop column traceparent; alter table outbox drop column traceparent');
