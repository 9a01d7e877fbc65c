/** A function by which the service's role has tables analyzed that have outgrown their statistics; a sweep calls it. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- Only the owner of a table may analyze it. PostgreSQL itself looks once a minute; until then plans are those for empty tables.
    create function analyze_grown_tables() returns int language plpgsql security definer set search_path from current
      as $$
      declare grown regclass; analyzed int := 0;
      begin
        for grown in
          select c.oid from pg_stat_user_tables s join pg_class c on c.oid = s.relid
          where s.schemaname = current_schema() and s.n_mod_since_analyze > 1000
            and s.n_mod_since_analyze > greatest(c.reltuples, 0)
        loop
          execute format('analyze %s', grown);
          analyzed := analyzed + 1;
        end loop;
        return analyzed;
      end $$;
  `);

export const down = (knex: Knex): Promise<unknown> => knex.raw('drop function analyze_grown_tables()');
