/** The votes on approvals, how many they need and from whom, and what was asked for before somebody edited it. */
import type { Knex } from 'knex';
import { viewOfApprovals } from './0090_approvalComments.ts';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    set local lock_timeout = '3s';
    alter table approvals add column if not exists votes jsonb, add column if not exists needed int not null default 1, add column if not exists roles jsonb, add column if not exists asked jsonb;
    alter table approvals_ended add column if not exists votes jsonb, add column if not exists needed int not null default 1, add column if not exists roles jsonb, add column if not exists asked jsonb;
    ${viewOfApprovals}
  `);

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    drop view all_approvals;
    alter table approvals drop column votes, drop column needed, drop column roles, drop column asked;
    alter table approvals_ended drop column votes, drop column needed, drop column roles, drop column asked;
    ${viewOfApprovals}
  `);
