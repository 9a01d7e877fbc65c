/** Columns by which the counts of active items (neither closed nor snoozed) stay exact. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- The deadline that can become overdue while the item is active, before and after the change. \`whole\`: \`deltas\` has
    -- every measure; rows of releases without these columns have not.
    alter table outbox add column awake_from bigint, add column awake_to bigint, add column whole boolean not null default false;
    -- The sum of position and overdue_mark up to which every measure is counted. With any other value the publisher counts
    -- the environment's active items anew: a release without the column has moved the stream, or written to the outbox.
    alter table streams add column counted bigint not null default 0;
  `);

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    alter table streams drop column counted;
    alter table outbox drop column whole, drop column awake_to, drop column awake_from;
  `);
