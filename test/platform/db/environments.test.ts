/** docs/growing.md tells every table that is not of one environment, and whether its rows go with one that moves. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import pg from 'pg';
import { accountRows, leftTables, partRows } from '../../../shared/tools/cli/cells/tables.ts';
import { newDatabase } from '../../support/database.ts';

/** Runs statements as the owner of a new database and returns the rows of the last one. */
const query = async <R extends object>(
  before: readonly string[],
  text: string,
  values: unknown[] = [],
): Promise<R[]> => {
  const database = await newDatabase();
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  try {
    for (const each of before) await client.query(each);
    return (await client.query<R>(text, values)).rows;
  } finally {
    await client.end();
    await database.drop();
  }
};

/** Returns tables of the schema, sorted, by whether they have the column `env`. */
const readTables = async (hasEnv: boolean): Promise<string[]> => {
  const rows = await query<{ name: string }>(
    [],
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
       and $1 = exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'env' and not a.attisdropped)
     order by c.relname collate "C"`,
    [hasEnv],
  );
  return rows.map(({ name }) => name);
};

describe('tables of no environment', () => {
  const told = readFileSync(new URL('../../../docs/growing.md', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => {
      const [, names = '', , fate = ''] = line.split('|');
      return [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => ({
        name,
        stays: fate.trim() === 'each cell’s own',
      }));
    });

  it('stand in docs/growing.md, each with what it holds', async () => {
    expect(told.map(({ name }) => name).toSorted()).to.deep.equal(await readTables(false));
  });

  it('go with an environment that moves, or are each cell’s own, as docs/growing.md says', async () => {
    const env = { id: 1, name: 'demo' };
    const moved = ['environments', 'event_turns', ...Object.keys(accountRows(env)), ...Object.keys(partRows(env))];
    expect(moved).to.have.members(told.filter(({ stays }) => !stays).map(({ name }) => name));
    expect(await readTables(true)).to.include.members(leftTables);
  });
});

describe('the numbers of a cell', () => {
  it('are its own, in this month and in the next', async () => {
    const idsSql = `(nextval('events_id_seq') - event_month_starts($1::timestamptz))::float8 as id`;
    const environmentSql = `nextval('environments_id_seq')::float8`;
    const number = 'select number_cell(2)';
    const now = new Date();
    const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 2));
    const [first] = await query<object>([number], `select ${idsSql}, ${environmentSql} as environment`, [now]);
    expect(first).to.deep.equal({ id: 2 * 2 ** 33 + 1, environment: 200_000_001 });
    const turn = `select make_event_months('${next.toISOString()}')`;
    expect(await query([number, turn], `select ${idsSql}`, [next])).to.deep.equal([{ id: 2 * 2 ** 33 + 1 }]);
    expect(await query([turn], `select ${idsSql}`, [next])).to.deep.equal([{ id: 1 }]);
  });
});
