/** Measures reads of timelines, histories and the audit log beside a short past and a long one of many months, with which they must not grow. */
import { newIdOf } from '../../../shared/platform/core/ids.ts';
import type { Suite } from '../bench.ts';
import { environment, type Database } from '../database.ts';
import { median } from '../numbers.ts';
import { atMost, type Figure } from '../report.ts';

interface Past {
  readonly events: number;
  readonly months: number;
}

/** Returns the path of the n-th read. */
type Read = (n: number) => string;

const suite = 'history';
const full: readonly Past[] = [
  { events: 1_000_000, months: 1 },
  { events: 30_000_000, months: 24 },
];
const quick: readonly Past[] = [
  { events: 100_000, months: 1 },
  { events: 1_000_000, months: 24 },
];
/** Entries of one item, which lie together in time. */
const entriesOfItem = 10;
const probed = 200;
const flag = 'new_checkout';
/** A read takes so many times as long beside the long past at most. */
const most = 1.2;
/** Reads nothing of the past: how much slower the machine is than it was is told by how long it takes. */
const control = 'an item of a list';

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

/** Fills the months evenly: an entry of the timeline and of the audit log each, ten of an item; the first and the last items are real ones. */
const fill = async (database: Database, { events, months }: Past, items: readonly string[]): Promise<void> => {
  const { sql, env } = database;
  const parts = await makeMonths(database, months);
  const indexes = await sql<{ name: string; definition: string }>(indexesSql);
  await sql(`drop index ${indexes.map(({ name }) => name).join(', ')}`);
  await sql('create table if not exists real_items (place int primary key, id text collate "C" not null)');
  await sql('truncate real_items');
  await sql('insert into real_items select n - 1, id from unnest($1::text[]) with ordinality i (id, n)', [items]);
  const each = Math.floor(events / months);
  for (const [n, part] of parts.entries())
    await sql(
      `insert into ${part} (id, env, at, actor_type, actor, actor_name, role, verb, target_type, target, inbox, item, entry, type, data, before, after)
       select event_month_starts(m.begins) + 2 + k, $1, (extract(epoch from m.begins) * 1000)::bigint + k * 2500000000 / $3::bigint, 'agent', 'agt_' || lpad((k % 50)::text, 26, '0'), 'Agent', 'admin',
         case k % 5 when 0 then 'item.state' when 1 then 'item.tags' else 'item.note' end, 'item', i.id, 'support', i.id,
         'ent_' || lpad(($2::bigint * $3 + k)::text, 26, '0'), 'note', '{"text":"Noted, and a text as long as people write them."}', '{"state":"open"}', '{"state":"closed"}'
       from (select to_timestamp(replace(substr('${part}', 8), '_', '-'), 'YYYY-MM') at time zone 'UTC' at time zone 'UTC' as begins) m,
         generate_series(0, $3::bigint - 1) k
       cross join lateral (select ($2::bigint * $3 + k) / ${String(entriesOfItem)} as place) g
       left join real_items r on r.place = case when g.place < ${String(probed)} then g.place
         when g.place >= $4::bigint - ${String(probed)} then g.place - $4::bigint + ${String(2 * probed)} end
       cross join lateral (select coalesce(r.id, 'itm_' || lpad(g.place::text, 26, '0')) as id) i`,
      [env, n, each, Math.floor((each * months) / entriesOfItem)],
    );
  await sql(
    `insert into ${parts[0] ?? ''} (id, env, at, actor_type, actor_name, verb, target_type, target, data, before, after)
     select max(id) + n, $1, max(at), 'system', 'ramp', 'flag.change', 'flag', $2, '{"type":"changed"}', '{}', '{}' from ${parts[0] ?? ''}, generate_series(1, 5) n group by n`,
    [env, flag],
  );
  await sql(`set maintenance_work_mem = '512MB'; ${indexes.map(({ definition }) => definition).join('; ')}`);
  await sql('vacuum analyze events');
};

/** Lets items of an inbox have been created `months` ago, and returns them. */
const itemsOf = async ({ sql, env }: Database, inbox: string, months: number): Promise<string[]> => {
  const at = Date.now() - months * 30.5 * 86_400_000;
  const ids = Array.from({ length: probed }, () => newIdOf('itm', at)).sort();
  await sql(
    `update items i set id = n.id, created_at = $2 from (
       select o.id as former, w.id from (select id, row_number() over (order by id) as place from items where env = $1 and inbox = $5 and created_at <> $2 limit $3) o
       join unnest($4::text[]) with ordinality w (id, place) using (place)) n
     where i.env = $1 and i.id = n.former`,
    [env, Math.round(at), probed, ids, inbox],
  );
  return ids;
};

export const history: Suite = {
  name: suite,
  run: async (bench) => {
    const { database, options, say } = bench;
    const { token } = await database.token('admin');
    const at = (list: readonly string[], n: number): string => list[n % list.length] ?? '';
    const readsOf = (old: readonly string[], young: readonly string[]): Readonly<Record<string, Read>> => ({
      'timeline of an old item': (n) => `/items/${at(old, n)}/timeline?limit=10`,
      'timeline of a new item': (n) => `/items/${at(young, n)}/timeline?limit=10`,
      'audit log': () => '/audit?limit=20',
      'audit of an actor': (n) => `/audit?limit=20&actor=agt_${String(n % 50).padStart(26, '0')}`,
      'audit of a verb': () => '/audit?limit=20&verb=item.tags',
      'audit of an old item': (n) => `/audit?limit=10&target=${at(old, n)}`,
      'audit of a new item': (n) => `/audit?limit=10&target=${at(young, n)}`,
      'audit of a time': (n) =>
        `/audit?limit=20&from=${String(Date.now() - 20 * 86_400_000)}&to=${String(Date.now() - n * 60_000)}`,
      'history of a flag': () => `/flags/${flag}/history?limit=5`,
      [control]: () => '/items?limit=1',
    });
    const rounds = options.quick ? 100 : 400;
    const times = new Map<string, number[]>();
    for (const past of options.quick ? quick : full) {
      const since = performance.now();
      // The first months' and the last month's.
      const old = await itemsOf(database, 'support', past.months);
      const young = await itemsOf(database, 'errors', 0);
      await fill(database, past, [...old, ...young]);
      say(
        `${past.events.toLocaleString('en-US')} events in ${String(past.months)} months, loaded in ${((performance.now() - since) / 1_000).toFixed(0)} s`,
      );
      const api = await bench.api();
      const base = `http://127.0.0.1:${String(api.port)}/api/env/${environment}`;
      const headers = { authorization: `Bearer ${token}` };
      const read = async (path: string): Promise<number> => {
        const sentAt = performance.now();
        const answer = await fetch(`${base}${path}`, { headers });
        const text = await answer.text();
        if (!answer.ok || !/^\{"(?:entries|items)":\[\{/.test(text)) throw new Error(`${path}: ${text.slice(0, 200)}`);
        return performance.now() - sentAt;
      };
      const reads = readsOf(old, young);
      const taken = new Map(Object.keys(reads).map((name) => [name, [] as number[]]));
      // In turn, so that what else the machine does falls on all of them.
      for (let n = -rounds / 2; n < rounds; n++)
        for (const [name, path] of Object.entries(reads)) {
          const ms = await read(path(n + rounds));
          if (n >= 0) taken.get(name)?.push(ms);
        }
      for (const [name, all] of taken) times.set(name, [...(times.get(name) ?? []), median(all)]);
      await bench.clear();
    }
    const [before = Number.NaN, after = Number.NaN] = times.get(control) ?? [];
    const slower = after / before;
    times.delete(control);
    return [...times].map(([name, [short = Number.NaN, long = Number.NaN]]): Figure => ({
      suite,
      what: `${name}, beside 24 months`,
      unit: '× of the short past',
      ...atMost(long / short / slower, most, '×'),
      note: `p50 ${short.toFixed(2)} → ${long.toFixed(2)} ms, ${control} ${before.toFixed(2)} → ${after.toFixed(2)}`,
    }));
  },
};
