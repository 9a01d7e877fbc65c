/** Questions of agents among approvals, and what people answered. A release that knows of none writes none. */
import type { Knex } from 'knex';
import { viewOfApprovals } from './0090_approvalComments.ts';

const constraint = (column: string, values: readonly string[]): string =>
  `drop constraint approvals_${column}_check, add constraint approvals_${column}_check check (${column} in ('${values.join("', '")}')) not valid`;

const kinds = ['action', 'bulk', 'flag', 'item'];
const statuses = ['pending', 'approved', 'rejected', 'expired', 'cancelled', 'stale'];

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    set local lock_timeout = '3s';
    alter table approvals add column answer text, ${constraint('kind', [...kinds, 'question'])},
      ${constraint('status', [...statuses, 'answered'])};
    alter table approvals_ended add column answer text;
    ${viewOfApprovals}
  `);

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    drop view all_approvals;
    delete from approvals where kind = 'question';
    delete from approvals_ended where kind = 'question';
    alter table approvals drop column answer, ${constraint('kind', kinds)}, ${constraint('status', statuses)};
    alter table approvals_ended drop column answer;
    ${viewOfApprovals}
  `);
