/** Makes a table of months to which runs move once they have ended, each with its reason and the items of its bulk. */
import type { Knex } from 'knex';

/** A run whose retry waits for an approval stays. */
const held = "p.id in (select a.run from approvals a where a.status = 'pending' and a.run is not null)";

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- \`reason\`: that of run_reasons, \`items\`: the rows of run_items.
    create table runs_ended (
      ended_at  bigint not null,
      reason    text,
      items     json,
      like runs including defaults,
      primary key (id)
    ) partition by range (id);
    create index runs_ended_list on runs_ended (env, id desc);
    create index runs_ended_actor on runs_ended (env, actor, id desc);
    create index runs_ended_action on runs_ended (env, action, id desc);
    create index runs_ended_time on runs_ended (env, ended_at);
    insert into ended_tables values ('runs', 'runs_ended', 'run', $held$${held}$held$);

    do $$ begin
      execute (
        select 'create view all_runs as select ' || string_agg('r.' || quote_ident(attname), ', ' order by attnum)
          || ', (select w.reason from run_reasons w where w.run = r.id) as reason from runs r union all select '
          || string_agg('e.' || quote_ident(attname), ', ' order by attnum) || ', e.reason from runs_ended e'
        from pg_attribute where attrelid = 'runs'::regclass and attnum > 0 and not attisdropped);
    end $$;
  `);

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    insert into runs select (json_populate_record(null::runs, row_to_json(e))).* from runs_ended e;
    insert into run_reasons select id, reason from runs_ended where reason is not null;
    insert into run_items select e.id, i.* from runs_ended e
      cross join json_to_recordset(e.items) as i(seq int, item text, inbox text, entry text);
    drop view all_runs;
    drop table runs_ended;
    delete from ended_tables where kind = 'runs';
    delete from retentions where kind = 'runs';
  `);
