/** A fresh database per test world: a clone of one migrated template, on the servers that the test run was given. */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { migrateDatabase } from '../../migrations/migrate.ts';
import { installStateTrace, readUndeclaredArrows } from './stateTrace.ts';

const required = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is missing: run the tests with npm test.`);
  return value;
};

const withDatabase = (url: string, database: string): string => {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
};

type Query = (text: string) => Promise<{ readonly rows: unknown[] }>;

const withClient = async <R>(connectionString: string, use: (query: Query) => Promise<R>): Promise<R> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await use((text) => client.query(text));
  } finally {
    await client.end();
  }
};

/** Runs one statement as the owner on the server's first database. */
const administer = (sql: string): Promise<unknown> =>
  withClient(required('MIGRATE_DATABASE_URL'), (query) => query(sql));

/** Whether every test database records moves that the tables of states lack, and fails its suite for them. */
const tracesStates = process.env['STATE_TRACE'] === '1';

/** Throws the moves of this database's rows that no table has. */
const requireDeclaredMoves = async (ownerUrl: string): Promise<void> => {
  const undeclared = await withClient(ownerUrl, readUndeclaredArrows);
  if (undeclared.length > 0) throw new Error(`Rows moved along arrows that no table has: ${undeclared.join('; ')}`);
};

/** Changes with every migration, so that a server that is kept never serves an old template. */
const fingerprint = (): string => {
  const folder = new URL('../../migrations/', import.meta.url);
  const hash = createHash('sha256');
  for (const file of readdirSync(folder).sort()) hash.update(readFileSync(new URL(file, folder)));
  return hash.digest('hex').slice(0, 12);
};

let template: Promise<string> | null = null;

const makeTemplate = async (): Promise<string> => {
  const name = `template_${fingerprint()}_${randomBytes(3).toString('hex')}`;
  await administer(`create database ${name}`);
  await migrateDatabase(
    withDatabase(required('MIGRATE_DATABASE_URL'), name),
    withDatabase(required('DATABASE_URL'), name),
  );
  if (tracesStates)
    await withClient(withDatabase(required('MIGRATE_DATABASE_URL'), name), (query) => installStateTrace(query, false));
  return name;
};

export interface TestDatabase {
  /** As the role of API and workers. */
  readonly url: string;
  readonly ownerUrl: string;
  drop(): Promise<void>;
}

export const redisUrl = (): string => required('REDIS_URL');

const cloneTemplate = async (): Promise<TestDatabase> => {
  template ??= makeTemplate();
  return createDatabase(`template ${await template} strategy file_copy`);
};

/** Made while the tests before it run, as a clone may take half a second. */
let next: Promise<TestDatabase> | null = null;

/** Returns a database with the schema of this build. */
export const newDatabase = async (): Promise<TestDatabase> => {
  const database = await (next ?? cloneTemplate());
  next = cloneTemplate();
  // Whoever awaits it hears of its failure.
  next.catch(() => undefined);
  return database;
};

/** Returns a database without a schema. */
export const newEmptyDatabase = (): Promise<TestDatabase> => createDatabase('');

const createDatabase = async (options: string): Promise<TestDatabase> => {
  const name = `world_${randomBytes(6).toString('hex')}`;
  await administer(`create database ${name} ${options}`);
  const ownerUrl = withDatabase(required('MIGRATE_DATABASE_URL'), name);
  return {
    url: withDatabase(required('DATABASE_URL'), name),
    ownerUrl,
    drop: async () => {
      try {
        if (tracesStates) await requireDeclaredMoves(ownerUrl);
      } finally {
        await administer(`drop database if exists ${name} with (force)`);
      }
    },
  };
};
