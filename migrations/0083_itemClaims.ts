/**
 * Columns of items for the claim and the delegate, both of whoever works on the item, and their indexes: of what is claimed by its end,
 * and of what can be claimed next in its order.
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

const end = "((claim->>'until')::bigint)";
const holder = "(claim->'by'->>'id')";
const owners = "(coalesce(assignee, '') || ' ' || coalesce(delegate, ''))";

export const up = async (knex: Knex): Promise<void> => {
  await knex.raw('alter table items add column if not exists claim jsonb');
  await knex.raw('alter table items add column if not exists delegate text collate "C"');
  for (const [name, columns] of [
    ['items_claim_end', `(${end}) where claim is not null`],
    ['items_claims', `(env, ${holder}, ${end}) where claim is not null`],
    ['items_delegate', '(env, delegate, last_seen, id) where delegate is not null'],
    [
      'items_next',
      `(env, inbox, ${owners}, priority, due_at, last_seen, id) where not closed and snoozed_until is null`,
    ],
  ] as const) {
    await knex.raw(`drop index concurrently if exists ${name}`);
    await knex.raw(`create index concurrently ${name} on items ${columns}`);
  }
};

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw('alter table items drop column claim; alter table items drop column delegate');
