/** Columns of approvals that say why somebody asks, what the action or flag is called, and whether its effect can be undone. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- \`reason\`: the requester's. \`label\`, \`reversible\`: as declared at the time of the request.
    alter table approvals add column reason text, add column label text, add column reversible boolean;
  `);

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw('alter table approvals drop column reversible, drop column label, drop column reason');
