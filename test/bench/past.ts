/** A past of many months for benchmarks: parts of `events` with entries of timelines and of the audit log. Used by suites. */
import { newIdOf } from '../../shared/platform/ids.ts';
import type { Database } from './database.ts';

export interface Past {
  readonly events: number;
  readonly months: number;
  /** How many of the months, from the first on, have events; all of them if it is left out. */
  readonly filled?: number;
}

/** Entries of one item, which lie together in time. */
const entriesOfItem = 10;
/** The flag that changed in the first month. */
export const changedFlag = 'new_checkout';

/** Makes empty parts for `months` until now. */
const makeMonths = async ({ sql }: Database, months: number): Promise<string[]> => {
  const parts = await sql<{ name: string }>(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'events'::regclass",
  );
  const first = `date_trunc('month', now(), 'UTC') - interval '${String(months - 1)} months'`;
  await sql(`
    ${parts.map(({ name }) => `alter table events detach partition ${name}; drop table ${name};`).join('\n')}
    select setval('events_id_seq', 1);
    delete from event_turns;
    select make_event_months(${first});
    do $$ begin for n in 0..${String(months - 1)} loop perform make_event_months(${first} + make_interval(months => n)); end loop; end $$;
  `);
  const made = await sql<{ name: string }>(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'events'::regclass order by 1 limit $1",
    [months],
  );
  return made.map(({ name }) => name);
};

const indexesSql = `
  select indexrelid::regclass::text as name, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as definition
  from pg_index where indrelid = 'events'::regclass and not indisunique`;

/**
 * Fills months evenly, and returns their parts: an entry of the timeline and of the audit log each, ten of an item. The first
 * half of `items` has the first entries, the other half the last ones.
 */
export const fillPast = async (
  database: Database,
  { events, months, filled = months }: Past,
  items: readonly string[],
): Promise<string[]> => {
  const { sql, env } = database;
  const parts = (await makeMonths(database, months)).slice(0, filled);
  const indexes = await sql<{ name: string; definition: string }>(indexesSql);
  await sql(`drop index ${indexes.map(({ name }) => name).join(', ')}`);
  await sql('create table if not exists real_items (place int primary key, id text collate "C" not null)');
  await sql('truncate real_items');
  await sql('insert into real_items select n - 1, id from unnest($1::text[]) with ordinality i (id, n)', [items]);
  const each = Math.floor(events / filled);
  const real = items.length / 2;
  for (const [n, part] of parts.entries())
    await sql(
      `insert into ${part} (id, env, at, actor_type, actor, actor_name, role, verb, target_type, target, inbox, item, entry, type, data, before, after)
       select event_month_starts(m.begins) + 2 + k, $1, (extract(epoch from m.begins) * 1000)::bigint + k * 2500000000 / $3::bigint, 'agent', 'agt_' || lpad((k % 50)::text, 26, '0'), 'Agent', 'admin',
         case k % 5 when 0 then 'item.state' when 1 then 'item.tags' else 'item.note' end, 'item', i.id, 'support', i.id,
         'ent_' || lpad(($2::bigint * $3 + k)::text, 26, '0'), 'note', '{"text":"Noted, and a text as long as people write them."}', '{"state":"open"}', '{"state":"closed"}'
       from (select to_timestamp(replace(substr('${part}', 8), '_', '-'), 'YYYY-MM') at time zone 'UTC' at time zone 'UTC' as begins) m,
         generate_series(0, $3::bigint - 1) k
       cross join lateral (select ($2::bigint * $3 + k) / ${String(entriesOfItem)} as place) g
       left join real_items r on r.place = case when g.place < ${String(real)} then g.place
         when g.place >= $4::bigint - ${String(real)} then g.place - $4::bigint + ${String(items.length)} end
       cross join lateral (select coalesce(r.id, 'itm_' || lpad(g.place::text, 26, '0')) as id) i`,
      [env, n, each, Math.floor((each * filled) / entriesOfItem)],
    );
  await sql(
    `insert into ${parts[0] ?? ''} (id, env, at, actor_type, actor_name, verb, target_type, target, data, before, after)
     select max(id) + n, $1, max(at), 'system', 'ramp', 'flag.change', 'flag', $2, '{"type":"changed"}', '{}', '{}' from ${parts[0] ?? ''}, generate_series(1, 5) n group by n`,
    [env, changedFlag],
  );
  await sql(`set maintenance_work_mem = '512MB'; ${indexes.map(({ definition }) => definition).join('; ')}`);
  await sql('vacuum analyze events');
  return parts;
};

/** Lets `count` items of an inbox have been created `months` ago, and returns them. */
export const itemsCreated = async (
  { sql, env }: Database,
  { inbox, count, months }: { readonly inbox: string; readonly count: number; readonly months: number },
): Promise<string[]> => {
  const at = Date.now() - months * 30.5 * 86_400_000;
  const ids = Array.from({ length: count }, () => newIdOf('itm', at)).sort();
  await sql(
    `update items i set id = n.id, created_at = $2 from (
       select o.id as former, w.id from (select id, row_number() over (order by id) as place from items where env = $1 and inbox = $5 and created_at <> $2 limit $3) o
       join unnest($4::text[]) with ordinality w (id, place) using (place)) n
     where i.env = $1 and i.id = n.former`,
    [env, Math.round(at), count, ids, inbox],
  );
  return ids;
};
