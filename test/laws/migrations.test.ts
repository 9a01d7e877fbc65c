/** Migrations have numbers of their own, and each can be taken back. */
import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import knex, { type Knex } from 'knex';
import { newDatabase } from '../support/database.ts';

interface Migration {
  up(db: Knex): Promise<unknown>;
  down(db: Knex): Promise<unknown>;
}

const folder = new URL('../../migrations/', import.meta.url);
const files = readdirSync(folder)
  .filter((file) => /^\d/.test(file))
  .sort();

describe('law: migrations', () => {
  it('have a number each, and are named for what they make', () => {
    expect(files.length).to.be.above(0);
    for (const file of files) expect(file).to.match(/^\d{4}_[a-z][A-Za-z]*\.ts$/);
    expect(new Set(files.map((file) => file.slice(0, 4))).size, 'give each migration a number of its own').to.equal(
      files.length,
    );
  });

  it('can be taken back one by one to an empty schema, and made again', async () => {
    const database = await newDatabase();
    const db = knex({ client: 'pg', connection: database.ownerUrl, pool: { min: 0, max: 1 } });
    const left = async (): Promise<string[]> => {
      const { rows } = (await db.raw(
        "select relname from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and relkind in ('r', 'S') and relname not like 'knex%' order by 1",
      )) as { rows: { relname: string }[] };
      return rows.map((row) => row.relname);
    };
    try {
      const migrations = await Promise.all(
        files.map(async (file) => (await import(new URL(file, folder).href)) as Migration),
      );
      // With STATE_TRACE=1 its triggers depend on columns.
      await db.raw('drop schema if exists state_trace cascade');
      const made = await left();
      for (const migration of migrations.toReversed()) await migration.down(db);
      expect(await left()).to.deep.equal([]);
      for (const migration of migrations) await migration.up(db);
      expect(await left()).to.deep.equal(made);
    } finally {
      await db.destroy();
      await database.drop();
    }
  });
});
