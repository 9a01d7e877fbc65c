/** The comments on approvals. What a release that knows of none writes has none. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    set local lock_timeout = '3s';
    alter table approvals add column comments jsonb;
    alter table approvals_ended add column comments jsonb;
    ${viewOfApprovals}
  `);

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    drop view all_approvals;
    alter table approvals drop column comments;
    alter table approvals_ended drop column comments;
    ${viewOfApprovals}
  `);

const columns = (table: string): string =>
  `(select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped)`;

/** Makes the view anew of the columns that approvals have now. */
export const viewOfApprovals = `
    do $$ begin
      execute 'create or replace view all_approvals as select ' || ${columns('approvals')} || ' from approvals union all select '
        || ${columns('approvals')} || ' from approvals_ended';
    end $$;`;
