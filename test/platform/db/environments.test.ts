/** docs/growing.md tells every table that is not of one environment. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import pg from 'pg';
import { newDatabase } from '../../support/database.ts';

describe('tables of no environment', () => {
  it('stand in docs/growing.md, each with what it holds', async () => {
    const database = await newDatabase();
    const client = new pg.Client({ connectionString: database.ownerUrl });
    await client.connect();
    const { rows } = await client.query<{ name: string }>(
      `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
         and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'env' and not a.attisdropped)
       order by c.relname collate "C"`,
    );
    await client.end();
    await database.drop();
    const text = readFileSync(new URL('../../../docs/growing.md', import.meta.url), 'utf8');
    const told = text
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
    expect(told.toSorted()).to.deep.equal(rows.map(({ name }) => name));
  });
});
