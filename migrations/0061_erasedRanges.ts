/** The index of ranges of the chain by their last event, the function of erasures that looks ranges up by it (0042), and ids that erasures keep. */
import type { Knex } from 'knex';

export const config = { transaction: false };

/** Returns the SQL of the function; `salted`: the ids that have a salt, `ranges`: the ranges that they are in. */
const eraseEvents = (salted: string, ranges: string): string => `
    create or replace function erase_events(env_id int, ids bigint[]) returns int
    language plpgsql security definer set search_path from current as $$
    declare n int; changed bigint[]; range record;
    begin
      if not exists (select from erasures where env = env_id and finished_at is null) then
        raise exception 'no erasure of this environment is under way';
      end if;
      perform set_config('console.erasing', 'on', true);
      with done as (
        update events e set data = erased_json(e.data), before = erased_json(e.before), after = erased_json(e.after)
        where e.id = any(ids) and e.env = env_id
          and (e.verb is null or e.id <= (select c.last from audit_chain c where c.env = env_id order by c.n desc limit 1))
          and (erased_json(e.data), erased_json(e.before), erased_json(e.after)) is distinct from (e.data, e.before, e.after)
        returning e.id, e.verb
      ) select count(*), ${salted} into n, changed from done;
      perform set_config('console.erasing', 'off', true);
      for range in ${ranges}
      loop
        update audit_chain c set salts = (
          select string_agg(case when p.id = any(changed) then decode(repeat('00', 16), 'hex')
            else substring(c.salts from ((p.place - 1) * 16 + 1)::int for 16) end, ''::bytea order by p.place)
          from (
            select e.id, row_number() over (order by e.id) as place from events e
            where e.env = env_id and e.verb is not null and e.id > range.first and e.id <= range.last) p)
        where c.env = env_id and c.n = range.n;
      end loop;
      return n;
    end $$;`;

const lookedUp = eraseEvents(
  'array_agg(id) filter (where verb is not null)',
  `
        select distinct r.n, r.last, coalesce(
          (select p.last from audit_chain p where p.env = env_id and p.last < r.last order by p.last desc limit 1), 0) as first
        from unnest(changed) c(id) cross join lateral (
          select a.n, a.last from audit_chain a where a.env = env_id and a.last >= c.id order by a.last limit 1) r`,
);
const searched = eraseEvents(
  'array_agg(id)',
  `
        select r.n, r.first, r.last
        from (select c.n, c.last, coalesce(lag(c.last) over (order by c.n), 0) as first from audit_chain c where c.env = env_id) r
        where exists (select from unnest(changed) c(id) where c.id > r.first and c.id <= r.last)`,
);

export const up = async (knex: Knex): Promise<void> => {
  await knex.raw('drop index concurrently if exists audit_chain_last');
  await knex.raw('create index concurrently audit_chain_last on audit_chain (env, last)');
  // Ids of other items that name the person, and of approvals: erased rows no longer say whom they named.
  await knex.raw(
    `alter table erasures add column if not exists named text[] not null default '{}', add column if not exists approvals text[] not null default '{}'`,
  );
  await knex.raw(lookedUp);
};

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    ${searched}
    alter table erasures drop column named, drop column approvals;
    drop index audit_chain_last;
  `);
