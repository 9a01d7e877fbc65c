/**
 * Fills `items` and `item_words` with as many realistic items as a measurement needs: set-based, from a pool of the demo's items, with
 * the indexes built afterwards. Titles, fields and tags are the demo's; times, states, people and numbers are random.
 */
import { environmentSql } from '../../shared/accounts/directory.ts';
import { toEnvironment, type StoredEnvironment } from '../../shared/app/manifest/definition.ts';
import type { Item } from '../../shared/items/model.ts';
import { furtherLexemes, itemLexemes } from '../../shared/items/search/itemWords.ts';
import { bucketSql, fortnightSql, itemTerms } from '../../shared/items/search/terms.ts';
import { openDb, type Db } from '../../shared/platform/db/knex.ts';
import { queryRow, statement } from '../../shared/platform/db/sql.ts';
import { nameCode } from '../../shared/platform/words/searchWords.ts';
import { demoItems } from '../../shared/tools/demo/content.ts';
import { people } from '../../shared/tools/demo/people.ts';
import type { Cast } from '../../shared/tools/demo/story.ts';

export interface LoadOptions {
  readonly env: number;
  readonly rows: number;
  /** Epoch milliseconds; nothing was seen after it. */
  readonly now: number;
  /** The first number; items of several calls get different ids. */
  readonly from?: number;
}

/** Of 10,000 drawn items. */
const shares = { support: 4000, errors: 2500, refunds: 1500, signups: 1500, abuse: 500 } as const;
const poolSize = 10_000;
const separator = '\u001f';
const years = 2;
/** Rows of one statement, which keeps what it makes on the disk until it has ended. */
const partRows = 1_000_000;

export const benchPeople: readonly string[] = Array.from(
  { length: 40 },
  (_, n) => `per_01k0000000e0000000000000${String(n).padStart(2, '0')}`,
);

/** Of ten items one has a note, whose text is another item's title. */
const noteLexemes = (env: number, inbox: string, titles: readonly string[], n: number): string =>
  furtherLexemes(env, inbox, [titles[(n * 31) % titles.length] ?? '']);

/** Words of a pool title, as terms without what varies by row. */
const wordTerms = (item: Item): string[] =>
  itemTerms(1, {
    ...item,
    state: '',
    closed: true,
    tags: [],
    assignee: null,
    lastSeen: 0,
    dueAt: null,
    snoozedUntil: null,
    triaged: false,
  })
    .map((term) => term.slice('1.0000abc'.length))
    .filter((term) => term.startsWith('w'));

const nobody = { type: 'system', id: null, name: 'nobody', role: null, requestId: null, address: null } as const;
const cast: Cast = { people: people.map(() => nobody), agent: nobody, app: nobody, system: nobody };

const storedSql = statement('bench.environment', `${environmentSql} where e.id = $1`);

const fillPool = async (db: Db, env: number, now: number): Promise<void> => {
  await db.raw(`create temp table pool (n int primary key, inbox text, code text, title text, title_key text, words text, tags text[],
    resource text, record_id text, record_title text, fields json, content text, note text)`);
  const stored = await queryRow<StoredEnvironment>(db, storedSql, [env]);
  if (stored === undefined) throw new Error(`There is no environment ${String(env)}.`);
  const left = new Map<string, number>(Object.entries(shares));
  const pool: object[] = [];
  const titles: string[] = [];
  for (const batch of demoItems({ seed: 7, now, items: 200_000, env: toEnvironment(stored), cast })) {
    for (const { item } of batch) {
      const room = left.get(item.inbox) ?? 0;
      if (room === 0) continue;
      left.set(item.inbox, room - 1);
      titles.push(item.title);
      pool.push({
        n: pool.length,
        content: itemLexemes(env, item.inbox, item.title, item.fields),
        note: noteLexemes(env, item.inbox, titles, pool.length),
        inbox: item.inbox,
        code: nameCode(item.inbox),
        title: item.title,
        title_key: item.title.toLowerCase(),
        words: wordTerms(item).join(separator),
        tags: item.tags,
        resource: item.record?.resource ?? null,
        record_id: item.record?.id ?? null,
        record_title: item.record?.title ?? null,
        fields: JSON.parse(item.fields) as unknown,
      });
    }
    if (pool.length === poolSize) break;
  }
  await db.raw(`insert into pool select * from json_populate_recordset(null::pool, ?::json)`, [JSON.stringify(pool)]);
  await db.raw('analyze pool');
};

/** An id with the form of `newId`: 10 characters of time, then a version and variant, then the number in hexadecimal. */
const idSql = `'itm_' || ${[45, 40, 35, 30, 25, 20, 15, 10, 5, 0]
  .map((shift) => `substr('0123456789abcdefghjkmnpqrstvwxyz', ((created_at >> ${String(shift)}) & 31)::int + 1, 1)`)
  .join(' || ')} || 'e0' || lpad(to_hex(n), 14, '0')`;

const states = `case
  when inbox = 'support' then (array['open', 'waiting', 'closed'])[stage]
  when inbox = 'errors' then (array['open', 'awaiting_release', 'resolved'])[stage]
  when inbox = 'refunds' then (array['requested', 'approved', 'paid'])[stage]
  when inbox = 'signups' then (array['review', 'contacted', 'accepted'])[stage]
  else (array['reported', 'warned', 'dismissed'])[stage] end`;

/**
 * Random numbers are drawn in the innermost query, once a row; what depends on them follows from the inside outwards.
 * Rows come in the order of their creation, as they would in life.
 */
const insertSql = (at: string): string => `
  with made as materialized (
  select env, ${idSql} as id, content, note, n, env || '.' || code as place, number as numbered, inbox, title || number as title, title_key || number as title_key, state, closed, resource, record_id, record_title, tags, assignee, occurrences,
    1 + (occurrences - 1) / 2 as users, created_at as first_seen, last_seen, due_at, fields, snoozed_until, triaged, created_at, last_seen as updated_at, version,
    array_to_tsvector(string_to_array(prefix || replace(concat_ws('${separator}', words,
      case when number <> '' then 'w#' || n || '${separator}' || 'w' || n end,
      's' || state, 'a' || coalesce(assignee, ''),
      case when due_at is not null and not closed then 'd' end, case when snoozed_until is not null then 'z' end, case when triaged then 'x' end,
      case when tags <> '{}' then 't' || array_to_string(tags, '${separator}t') end), '${separator}', '${separator}' || prefix), '${separator}')) as terms
  from (
    select *, env || '.' || ${bucketSql(fortnightSql('last_seen'), 'code')} as prefix, ${states} as state, closed and r5 < 0.06 as triaged,
      case when r6 < 0.3 then ' #' || n else '' end as number,
      case when not closed and inbox in ('support', 'refunds') and r5 < 0.8 then last_seen + case inbox when 'support' then 14400000 else 86400000 end end as due_at,
      case when not closed and r5 > 0.95 then ${at} + 3600000 + (r2 * 14 * 86400000)::bigint end as snoozed_until
    from (
      select *, least(${at}, created_at + (case when r4 < 0.5 then 0 else 60 * 86400000.0 * (2 * r4 - 1) ^ 4 end)::bigint) as last_seen,
        stage = 3 as closed, case when inbox = 'errors' then 1 + floor(1 / (r4 * r4 + 0.00001))::int else 1 + floor(3 * r4 * r4)::int end as occurrences,
        1 + floor(4 * r5)::int as version
      from (
        select r.*, p.inbox, p.code, p.title, p.title_key, p.words, p.resource, p.record_id, p.record_title, p.fields, p.content, p.note,
          ${at} - (${String(years)} * 365 * 86400000.0 * r1 ^ 1.2)::bigint as created_at,
          case when r3 < case when r1 < 0.05 then 0.4 else 0.05 end then 1 when r3 < case when r1 < 0.05 then 0.6 else 0.08 end then 2 else 3 end as stage,
          case when r7 < 0.45 then null else (:people::text[])[1 + floor(40 * ((r7 - 0.45) / 0.55) ^ 2)::int] end as assignee,
          p.tags || case when r8 < 0.002 then '{seldom}'::text[] when r8 < 0.032 then '{vip}'::text[] when r8 > 0.99999 then '{once-in-a-while}'::text[] else '{}'::text[] end as tags
        from (
          select :env::int as env, n, floor(random() * ${String(poolSize)})::int as pick, ((:rows::bigint - (n - :from::bigint) - random()) / :rows::bigint) as r1, random() as r2, random() as r3, random() as r4,
            random() as r5, random() as r6, random() as r7, random() as r8
          from generate_series(:first::bigint, :last::bigint) as g(n) offset 0
        ) r join pool p on p.n = r.pick
      ) a
    ) b
  ) c),
  contents as (
    insert into item_words (env, item, source, words)
    select env, id, '', array_to_tsvector(string_to_array(content || case when numbered <> '' then E'\\n' || place || 'w#' || n || E'\\n' || place || 'w' || n else '' end, E'\\n')) from made
    union all
    select env, id, 'ent_' || substr(id, 5), array_to_tsvector(string_to_array(note, E'\\n')) from made where n % 10 = 0)
  insert into items (env, id, inbox, title, title_key, state, closed, record_resource, record_id, record_title, tags, assignee, occurrences, users,
    first_seen, last_seen, due_at, fields, snoozed_until, triaged, created_at, updated_at, version, terms)
  select env, id, inbox, title, title_key, state, closed, resource, record_id, record_title, tags, assignee, occurrences, users,
    first_seen, last_seen, due_at, fields, snoozed_until, triaged, created_at, updated_at, version, terms from made`;

interface IndexRow {
  readonly name: string;
  readonly definition: string;
}

/**
 * `ownerUrl` names a database that is migrated and that nobody else uses meanwhile. Returns the seconds it took.
 */
export const loadItems = async (ownerUrl: string, { env, rows, now, from = 0 }: LoadOptions): Promise<number> => {
  const started = performance.now();
  // One connection, so that what is set holds for all that follows.
  const db = openDb({ url: ownerUrl, poolSize: 1, applicationName: 'console-bench-load' });
  try {
    await db.raw(
      `set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set maintenance_work_mem = '512MB'; select setseed(0.5)`,
    );
    const indexes = await db.raw<{ rows: IndexRow[] }>(
      `select c.relname as name, pg_get_indexdef(x.indexrelid) as definition from pg_index x join pg_class c on c.oid = x.indexrelid
       where x.indrelid in ('items'::regclass, 'item_words'::regclass) and not x.indisprimary`,
    );
    await fillPool(db, env, now);
    await db.transaction(async (tx) => {
      for (const { name } of indexes.rows) await tx.raw('drop index ??', [name]);
      for (let first = from; first < from + rows; first += partRows) {
        const last = Math.min(first + partRows, from + rows) - 1;
        await tx.raw(insertSql(':now::bigint'), { env, from, rows, first, last, now, people: benchPeople as string[] });
      }
      for (const { definition } of indexes.rows) await tx.raw(definition);
    });
    await db.raw(
      `
      insert into counts (env, inbox, measure, n) select env, inbox, 'total', count(*) from items where env = :env group by env, inbox
      on conflict (env, inbox, measure) do update set n = excluded.n`,
      { env },
    );
    await db.raw('vacuum (analyze) items, item_words, counts');
  } finally {
    await db.destroy();
  }
  return (performance.now() - started) / 1000;
};
