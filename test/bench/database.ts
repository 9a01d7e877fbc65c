/** The benchmark's database: migrated, with the demo's environment, roles, tokens and as many items as are wanted. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { migrateDatabase } from '../../migrations/migrate.ts';
import { newToken, tokenHash } from '../../shared/accounts/access/tokens.ts';
import { mergeDefinition } from '../../shared/app/manifest/definition.ts';
import { parseManifest } from '../../shared/app/manifest/readManifest.ts';
import { newId } from '../../shared/platform/ids.ts';
import { newSealKey } from '../../shared/platform/listing/seal.ts';
import { loadItems } from './load.ts';
import type { Options } from './options.ts';

export const environment = 'demo';
/** What the reader sees: three of five inboxes, 60 % of the items. */
export const readerInboxes = ['support', 'refunds', 'abuse'] as const;

export interface Database {
  readonly url: string;
  readonly ownerUrl: string;
  readonly env: number;
  sql<R extends object = Record<string, unknown>>(text: string, values?: unknown[]): Promise<R[]>;
  /** The percentage of the table's pages that hold about so many items. */
  share(items: number): string;
  /** An agent's token. */
  token(role: string): Promise<{ readonly token: string; readonly id: string }>;
  /** Ends its connections, and drops it unless it was to be kept. */
  close(): Promise<void>;
}

const required = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is missing: use npm run bench.`);
  return value;
};

const inDatabase = (url: string, name: string): string => {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
};

/** A server, by its first database. */
interface Server {
  readonly url: string;
  readonly ownerUrl: string;
}

const administer = async (server: Server, sql: string, values: unknown[] = []): Promise<unknown[]> => {
  const client = new pg.Client({ connectionString: server.ownerUrl });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
};

const define = async (sql: Database['sql']): Promise<number> => {
  const [known] = await sql<{ id: number }>('select id from environments where name = $1', [environment]);
  if (known !== undefined) return known.id;
  const manifest = parseManifest(
    JSON.parse(readFileSync(new URL('../../shared/tools/demo/manifest.json', import.meta.url), 'utf8')),
  );
  const [made] = await sql<{ id: number }>(
    'insert into environments (name, seal_key, created_at) values ($1, $2, 0) returning id',
    [environment, newSealKey()],
  );
  const id = made?.id ?? 0;
  await sql('insert into definitions values ($1, $2, $3, 0, 0)', [
    id,
    JSON.stringify(manifest),
    JSON.stringify(mergeDefinition({ inboxes: [] }, manifest)),
  ]);
  await sql('insert into streams (env) values ($1)', [id]);
  const grants = readerInboxes.map((inbox) => ({ on: `inbox:${inbox}`, can: ['*'] }));
  await sql('insert into roles (id, name, grants, created_at, updated_at) values ($1, $2, $3, 0, 0)', [
    newId('rol'),
    'reader',
    JSON.stringify(grants),
  ]);
  return id;
};

/** Opens it on the servers that the run was given, unless it is to be on another one. */
export const openDatabase = async (
  { database, items }: Pick<Options, 'database' | 'items'>,
  say: (text: string) => void,
  server: Server = { url: required('DATABASE_URL'), ownerUrl: required('MIGRATE_DATABASE_URL') },
): Promise<Database> => {
  const name = database ?? `bench_${randomBytes(6).toString('hex')}`;
  const url = inDatabase(server.url, name);
  const ownerUrl = inDatabase(server.ownerUrl, name);
  const there = (await administer(server, 'select from pg_database where datname = $1', [name])).length > 0;
  if (!there) await administer(server, `create database "${name}"`);
  await migrateDatabase(ownerUrl, url);
  const pool = new pg.Pool({ connectionString: ownerUrl, max: 4 });
  const sql: Database['sql'] = async <R extends object>(text: string, values: unknown[] = []) =>
    (await pool.query(text, values)).rows as R[];
  const env = await define(sql);
  const [count] = await sql<{ n: number }>('select count(*)::int as n from items');
  if ((count?.n ?? 0) < items) {
    const took = await loadItems(ownerUrl, {
      env,
      rows: items - (count?.n ?? 0),
      now: Date.now(),
      from: count?.n ?? 0,
    });
    say(`${items.toLocaleString('en-US')} items loaded in ${took.toFixed(0)} s`);
  }
  return {
    url,
    ownerUrl,
    env,
    sql,
    share: (wanted) => Math.min(100, (100 * wanted) / items).toFixed(3),
    token: async (role) => {
      const id = newId('agt');
      const token = newToken('agent');
      await sql(
        `insert into agents (id, name, role, mode, environments, created_at) select $1, 'bench', id, 'normal', '{*}', 0 from roles where name = $2`,
        [id, role],
      );
      await sql(`insert into tokens (hash, kind, principal, created_at) values ($1, 'agent', $2, 0)`, [
        tokenHash(token),
        id,
      ]);
      return { token, id };
    },
    close: async () => {
      await pool.end();
      if (database === null) await administer(server, `drop database if exists "${name}" with (force)`);
    },
  };
};

/** Returns the time of the last activity of any item, in epoch ms: when the items were made. */
export const newestActivity = async ({ sql, env }: Database): Promise<number> => {
  const [found] = await sql<{ now: string }>('select max(last_seen) as now from items where env = $1', [env]);
  return Number(found?.now);
};
