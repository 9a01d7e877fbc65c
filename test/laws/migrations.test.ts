/** Migrations have numbers of their own, each can be taken back, and none disturbs the release that runs beside it. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import knex, { type Knex } from 'knex';
import { retentionKinds } from '../../shared/catalogue/retention.ts';
import { storedRunColumns } from '../../shared/runs/model.ts';
import { newDatabase } from '../support/database.ts';
import { files as sources, textOf } from './source.ts';

interface Migration {
  up(db: Knex): Promise<unknown>;
  down(db: Knex): Promise<unknown>;
  readonly servesFrom?: number;
  readonly config?: { readonly transaction?: boolean };
}

const folder = new URL('../../migrations/', import.meta.url);
const files = readdirSync(folder)
  .filter((file) => /^\d/.test(file))
  .sort();

/** The newest migration of the time before two releases ran side by side. */
const firstRelease = 12;

/** What `up` runs, without comments. */
const upOf = (file: string): string => {
  const text = readFileSync(new URL(file, folder), 'utf8').replaceAll(/^\s*(--|\/\/|\*|\/\*).*$/gm, '');
  return text.slice(text.indexOf('export const up'), text.indexOf('export const down'));
};

const tablesMadeBy = (text: string): Set<string | undefined> =>
  new Set([...text.matchAll(/create table (?:if not exists )?(\w+)/gi)].map(([, name]) => name));

/**
 * Tables of which prepared statements answer whole rows (`select *`): of a new column such a statement fails in a process that has
 * prepared it. One that reads whole rows only inside, and answers named columns, is planned again.
 */
const readWhole = new Set(['records', 'record_keys', 'flags', 'counts']);

/** Problems of a migration for the release that runs meanwhile: what it waits for, and what it misses. */
const problemsFor = (text: string, migration: Pick<Migration, 'servesFrom' | 'config'>): string[] => {
  const own = tablesMadeBy(text);
  const indexes = [...text.matchAll(/create (?:unique )?index (concurrently )?(?:if not exists )?\w+ on (\w+)/gi)];
  const destroys = [
    ...text.matchAll(
      /drop (?:table|column)|rename (?:to|column)|alter column \w+ (?:set not null|(?:set data )?type)|add column \w+ [^,;]*not null(?![^,;]*default)/gi,
    ),
  ];
  const widened = [...text.matchAll(/alter table (\w+)\s+add column/gi)].map(([, table = '']) => table);
  return [
    ...widened.flatMap((table) =>
      readWhole.has(table)
        ? [`adds a column to ${table}, which the release before reads whole: name its columns first`]
        : [],
    ),
    ...indexes.flatMap(([, concurrently, table]) =>
      concurrently === undefined && !own.has(table) ? [`locks ${String(table)} while it builds an index`] : [],
    ),
    ...(indexes.some(([, concurrently]) => concurrently !== undefined) && migration.config?.transaction !== false
      ? ['builds an index concurrently inside a transaction']
      : []),
    ...(destroys.length > 0 && migration.servesFrom === undefined
      ? [`takes away what an older build may use (${destroys.map(([what]) => what).join(', ')}) without servesFrom`]
      : []),
  ];
};

describe('law: migrations', () => {
  for (const file of files.filter((name) => Number(name.slice(0, 4)) > firstRelease))
    it(`${file} leaves the release that runs meanwhile what it uses`, async () => {
      const migration = (await import(new URL(file, folder).href)) as Migration;
      expect(problemsFor(upOf(file), migration)).to.deep.equal([]);
    });

  it('would be refused for what they take away, or lock', () => {
    const problems = (sql: string, more: Pick<Migration, 'servesFrom' | 'config'> = {}): number =>
      problemsFor(sql, more).length;
    expect(
      problems('alter table agents add column a int; create table b (c int not null); create index d on b (c)'),
    ).to.equal(0);
    expect(problems('create index a on items (b)')).to.equal(1);
    expect(problems('create index concurrently a on items (b)')).to.equal(1);
    expect(problems('create index concurrently a on items (b)', { config: { transaction: false } })).to.equal(0);
    for (const taken of [
      'alter table items drop column a',
      'drop table a',
      'alter table items rename column a to b',
      'alter table items alter column a set not null',
      'alter table items alter column a type text',
      'alter table agents add column a int not null',
    ]) {
      expect(problems(taken), taken).to.equal(1);
      expect(problems(taken, { servesFrom: 13 }), taken).to.equal(0);
    }
    expect(problems('alter table agents add column a int not null default 0, add column b text')).to.equal(0);
    expect(problems('alter table flags add column a int')).to.equal(1);
    expect(problems('alter table runs add column a int')).to.equal(0);
  });

  it('find runs read and inserted by named columns', () => {
    const whole = /select (?:\w\.)?\* from (?:all_)?runs\b|insert into runs select \*/;
    const readers = sources.filter((file) => /^(?:api|workers|shared)\//.test(file) && whole.test(textOf(file)));
    expect(readers, 'take the columns of shared/runs/model.ts').to.deep.equal([]);
  });

  it('have a number each, and are named for what they make', () => {
    expect(files.length).to.be.above(0);
    for (const file of files) expect(file).to.match(/^\d{4}_[a-z][A-Za-z]*\.ts$/);
    expect(new Set(files.map((file) => file.slice(0, 4))).size, 'give each migration a number of its own').to.equal(
      files.length,
    );
  });

  it('give a table of months the columns of the table from which its rows come, in their order', async () => {
    const database = await newDatabase();
    const db = knex({ client: 'pg', connection: database.ownerUrl, pool: { min: 0, max: 1 } });
    const columns = async (table: string): Promise<string[]> => {
      const { rows } = (await db.raw(
        'select attname as name from pg_attribute where attrelid = ?::regclass and attnum > 0 and not attisdropped order by attnum',
        [table],
      )) as { rows: { name: string }[] };
      return rows.map(({ name }) => name);
    };
    try {
      const { rows: kinds } = (await db.raw('select kind, name from ended_tables')) as {
        rows: { kind: string; name: string }[];
      };
      expect(kinds.map(({ kind }) => kind).sort()).to.deep.equal(
        retentionKinds.flatMap(({ kind }) => (kind === 'bulkResults' ? [] : [kind as string])).sort(),
      );
      for (const { kind, name } of kinds) {
        const own = await columns(kind);
        expect((await columns(name)).slice(-own.length), `add the column to ${name} too`).to.deep.equal(own);
        expect(await columns(`all_${kind}`), `make the view all_${kind} anew`).to.include.members(own);
        if (kind === 'runs')
          expect(storedRunColumns.split(', '), 'name each in shared/runs/model.ts').to.have.members(own);
      }
    } finally {
      await db.destroy();
      await database.drop();
    }
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
