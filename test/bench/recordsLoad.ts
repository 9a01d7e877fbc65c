/**
 * Fills `records` of an environment of its own with as many contacts as a measurement needs: set-based, from a pool of
 * names, with the indexes built afterwards. Words and values from frequent to unique.
 */
import { compileDefinition, mergeDefinition, type Definition } from '../../shared/app/manifest/definition.ts';
import { type ManifestResource } from '../../shared/app/manifest/manifest.ts';
import { parseManifest } from '../../shared/app/manifest/readManifest.ts';
import { openDb } from '../../shared/platform/db/knex.ts';
import { newSealKey } from '../../shared/platform/listing/seal.ts';
import { firstStamp, getIndexing, recordTerms, recordTermSeparator } from '../../shared/records/terms.ts';
import type { Database } from './database.ts';

export const recordsEnvironment = 'records';
export const recordsResource = 'contact';

const manifest = parseManifest({
  resources: [
    {
      name: recordsResource,
      source: 'stored',
      fields: [
        { name: 'email', type: 'text', filter: true },
        { name: 'city', type: 'text', filter: true, search: true },
        { name: 'plan', type: 'text', filter: true, sort: true },
        { name: 'spent', type: 'money', filter: true, sort: true },
        { name: 'joined', type: 'time', filter: true, sort: true },
        { name: 'vip', type: 'boolean', filter: true },
      ],
    },
  ],
});

const firstNames = [
  'Ana',
  'Ben',
  'Chloe',
  'David',
  'Elif',
  'Finn',
  'Grace',
  'Hugo',
  'Ines',
  'Jonas',
  'Kira',
  'Liam',
  'Maya',
  'Noah',
  'Olga',
  'Paul',
  'Quinn',
  'Rosa',
  'Sami',
  'Tara',
];
const lastNames = ['Lindgren', 'Okafor', 'Berg', 'Silva', 'Tanaka', 'Novak', 'Haddad', 'Moreau', 'Khan', 'Weber'];
const cities = ['Oslo', 'Lagos', 'Porto', 'Kyoto', 'Brno'];
const poolSize = 10_000;

/** Spread over the pool by each other number, so that no value stands together with another or with titles. */
const spread = (n: number, by: number, of: number): number => Math.floor((((n * by) % 65_521) / 65_521) * of);

/** Of the pool: plans of 60, 30, 9.9 and 0.1 %; a city of 0.01 %; one in twenty is a VIP. */
const pooled = (n: number): { title: string; plan: string; city: string; vip: boolean } => {
  const share = spread(n, 40_503, 1000);
  return {
    title: `${firstNames[n % 20] ?? ''} ${lastNames[Math.floor(n / 20) % 10] ?? ''}`,
    plan: share < 600 ? 'Free' : share < 900 ? 'Team' : share < 999 ? 'Business' : 'Legacy',
    city: n === 4_711 ? 'Ytterby' : (cities[spread(n, 26_029, 5)] ?? ''),
    vip: spread(n, 50_021, 20) === 0,
  };
};

const insertRecords = `
  insert into records (env, resource, id, title, subtitle, fields, updated_at, title_key, terms, shape, stamp)
  select :env, :resource, id, p.title || ' ' || n, null,
    jsonb_build_object('email', 'p' || n || '@example.com', 'city', p.city, 'plan', p.plan, 'vip', p.vip, 'spent', spent, 'joined', joined),
    joined + 1000, lower(p.title) || ' ' || n,
    array_to_tsvector(string_to_array(p.terms, E'\\x1e') || array[:prefix || 'i' || id, :prefix || 'w' || id, :prefix || 'wcon', :prefix || 'w' || split_part(id, '_', 2), :prefix || 'w' || n, :prefix || 'eemail', :prefix || 'femail=p' || n || '@example.com',
      :prefix || 'espent', :prefix || 'fspent=' || spent, :prefix || 'ejoined', :prefix || 'fjoined=' || joined]), :shape, ${String(firstStamp + 1)}
  from (select n, 'con_' || lpad(n::text, 8, '0') as id, (n * 7919::bigint) % 1000003 as spent, 1600000000000 + (n * 104729::bigint) % 150000000000 as joined
    from generate_series(0::bigint, :rows::bigint - 1) as g(n)) g
  join record_pool p on p.pick = g.n % ${String(poolSize)}`;

/** One contact in ten has no `spent` among its keys: such as have none come last. */
const insertKeys = `
  insert into record_keys (env, resource, field, missing, num, text, id, stamp)
  select env, resource, k.field, k.missing, k.num, k.text, id, ${String(firstStamp + 1)} from records r cross join lateral (values
    ('plan', false, 0::float8, fields ->> 'plan'),
    ('spent', right(id, 1) = '3', case when right(id, 1) = '3' then 0 else (fields ->> 'spent')::float8 end, ''),
    ('joined', false, (fields ->> 'joined')::float8, '')) as k(field, missing, num, text)
  where env = :env`;

export interface RecordsSite {
  readonly env: number;
  readonly definition: Definition;
  readonly resource: ManifestResource;
  /** Seconds that loading took; 0: they were there. */
  readonly took: number;
}

const define = async ({ sql }: Database): Promise<number> => {
  const [known] = await sql<{ id: number }>('select id from environments where name = $1', [recordsEnvironment]);
  if (known !== undefined) return known.id;
  const [made] = await sql<{ id: number }>(
    'insert into environments (name, seal_key, created_at) values ($1, $2, 0) returning id',
    [recordsEnvironment, newSealKey()],
  );
  await sql('insert into definitions values ($1, $2, $3, 0, 0)', [
    made?.id,
    JSON.stringify(manifest),
    JSON.stringify(mergeDefinition({ inboxes: [] }, manifest)),
  ]);
  await sql('insert into streams (env) values ($1)', [made?.id]);
  return made?.id ?? 0;
};

export const loadRecords = async (database: Database, rows: number): Promise<RecordsSite> => {
  const started = performance.now();
  const env = await define(database);
  const definition = compileDefinition(manifest, { inboxes: [] }, []);
  const resource = definition.resources.get(recordsResource);
  if (resource === undefined) throw new Error('The bench’s resource is not declared.');
  const [count] = await database.sql<{ n: number }>('select count(*)::int as n from records where env = $1', [env]);
  if (count?.n === rows) return { env, definition, resource, took: 0 };
  const indexing = getIndexing(definition, resource);
  // Environment, a dot, and three characters for the resource.
  const prefix = (
    recordTerms(env, recordsResource, indexing, { id: 'x', title: 'x', subtitle: null, fields: {} })[0] ?? ''
  ).slice(0, String(env).length + 4);
  const termsOf = (n: number): string[] => {
    const { title, ...fields } = pooled(n);
    return recordTerms(env, recordsResource, indexing, { id: 'x', title, subtitle: null, fields }).filter(
      (term) => term !== `${prefix}ix` && term !== `${prefix}wx`,
    );
  };
  const pool = Array.from({ length: poolSize }, (_, n) => ({
    pick: n,
    ...pooled(n),
    terms: termsOf(n).join(recordTermSeparator),
  }));
  const db = openDb({ url: database.ownerUrl, poolSize: 1, applicationName: 'console-bench-load' });
  try {
    await db.raw(
      `set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set maintenance_work_mem = '512MB'`,
    );
    await db.raw(
      'create temp table record_pool (pick int primary key, title text, plan text, city text, vip boolean, terms text)',
    );
    await db.raw('insert into record_pool select * from json_populate_recordset(null::record_pool, ?::json)', [
      JSON.stringify(pool),
    ]);
    const indexes = await db.raw<{ rows: { name: string; definition: string }[] }>(
      `select c.relname as name, pg_get_indexdef(x.indexrelid) as definition from pg_index x join pg_class c on c.oid = x.indexrelid
       where x.indrelid in ('records'::regclass, 'record_keys'::regclass) and not x.indisprimary`,
    );
    await db.transaction(async (tx) => {
      for (const { name } of indexes.rows) await tx.raw('drop index ??', [name]);
      await tx.raw('delete from records where env = ?', [env]);
      await tx.raw('delete from record_keys where env = ?', [env]);
      await tx.raw(insertRecords, { env, resource: recordsResource, rows, prefix, shape: indexing.shape });
      await tx.raw(insertKeys, { env });
      for (const made of indexes.rows) await tx.raw(made.definition);
    });
    for (const table of ['records', 'record_keys']) await db.raw('vacuum (analyze) ??', [table]);
  } finally {
    await db.destroy();
  }
  return { env, definition, resource, took: (performance.now() - started) / 1000 };
};
