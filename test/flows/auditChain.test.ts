/** The chain of audit entries: what was written is proved by it, and whoever changes the past is found out. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import pg from 'pg';
import { closeDeps, openDeps } from '../../shared/deps.ts';
import { runAdmin } from '../../shared/tools/cli/run.ts';
import { auditChain } from '../../workers/sweeps/index.ts';
import { createWorkerProcess } from '../../workers/workerProcess.ts';
import type { Client } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

describe('the chain of audit entries', () => {
  let world: World;
  let admin: Client;

  beforeEach(async () => {
    world = await newWorld({ workers: false });
    admin = await world.agent('admin');
  });
  afterEach(() => world.close());

  const command = (...words: string[]): ReturnType<typeof runAdmin> =>
    runAdmin(['audit', ...words], { readConfig: () => world.config, readInput: () => Promise.resolve('') });
  const make = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) await admin.post('/items', { inbox: 'mail', title: `Item ${String(n)}` });
  };
  const unchained = async (): Promise<number> =>
    (
      await world.sql<{ n: number }>(
        'select count(*)::int as n from events where verb is not null and id > coalesce((select max(last) from audit_chain), 0)',
      )
    )[0]?.n ?? 0;
  /** Chains what there is by a run of the workers' sweep. */
  const chained = (): Promise<boolean> =>
    until('everything is chained', async () => {
      await auditChain.run(world.deps);
      return (await unchained()) === 0;
    });
  const headHash = async (): Promise<string> =>
    JSON.parse((await command('head', '--json')).text).heads[0].hash as string;
  /** Does as somebody who owns the tables can. */
  const tamper = async (sql: string): Promise<void> => {
    await world.sql('alter table events disable trigger user');
    await world.sql(sql);
    await world.sql('alter table events enable trigger user');
  };

  it('grows with every entry by itself, and is verified from its beginning and by a hash that was kept', async () => {
    const deps = await openDeps(world.config, 'workers');
    const workers = createWorkerProcess(deps);
    await workers.start();
    await make(3);
    await until('everything is chained', async () => (await unchained()) === 0, 30_000);
    await workers.stop();
    await closeDeps(deps);
    const kept = await headHash();
    expect(kept).to.match(/^[0-9a-f]{64}$/);
    await make(2);
    await chained();
    expect(await headHash()).not.to.equal(kept);
    const verified = await command('verify', '--head', kept, '--json');
    expect(verified.exitCode, verified.text).to.equal(0);
    expect(JSON.parse(verified.text).environments[0]).to.deep.include({ entries: 5, problems: [] });
    const other = await command('verify', '--head', '0'.repeat(64));
    expect([other.exitCode, other.text]).to.satisfy(
      ([code, text]: [number, string]) =>
        code === 1 && /mistyped.*to which this database was restored.*written again/.test(text),
    );
  });

  const crimes: readonly [string, string, RegExp][] = [
    [
      'changes who did it',
      `update events set actor_name = 'Nobody' where id = (select min(id) from events where verb is not null)`,
      /was changed/,
    ],
    [
      'changes what was done',
      `update events set verb = 'item.note' where id = (select min(id) from events where verb is not null)`,
      /was changed/,
    ],
    [
      'changes when',
      `update events set at = at + 1 where id = (select min(id) from events where verb is not null)`,
      /was changed/,
    ],
    [
      'removes an entry',
      `delete from events where id = (select max(id) from events where verb is not null)`,
      /it has 2 entries, and had 3/,
    ],
    [
      'slips one in',
      `insert into events (id, env, at, actor_type, actor_name, verb) overriding system value
       select min(id) - 1, min(env), 0, 'person', 'Ana', 'item.state' from events where verb is not null having min(id) > 1`,
      /it has 4 entries, and had 3/,
    ],
  ];
  for (const [what, sql, found] of crimes)
    it(`finds out who ${what}`, async () => {
      await world.sql("select nextval('events_id_seq')");
      await make(3);
      await chained();
      await tamper(sql);
      const verified = await command('verify');
      expect([verified.exitCode, verified.text]).to.satisfy(
        ([code, text]: [number, string]) => code === 1 && found.test(text),
      );
    });

  it('covers every column of an entry: add a new one to a new form of the hash', async () => {
    const columns = await world.sql<{ name: string }>(
      `select column_name as name from information_schema.columns where table_name = 'events'`,
    );
    const text = readFileSync(new URL('../../shared/platform/journal/auditChain.ts', import.meta.url), 'utf8');
    expect(columns.map(({ name }) => name).filter((name) => !new RegExp(`\\be\\.${name}\\b`).test(text))).to.deep.equal(
      [],
    );
  });

  it('is not written again by those who may write to it', async () => {
    await make(1);
    await chained();
    for (const sql of ['delete from audit_chain', 'truncate audit_chain', "update audit_chain set hash = ''::bytea"]) {
      const answer = await world.sql(sql).then(
        () => 'done',
        (error: unknown) => String(error),
      );
      expect(answer, sql).to.include('append-only');
    }
  });

  it('still proves the rest after what could identify a person was erased, with its salt', async () => {
    await make(3);
    await chained();
    await tamper(
      `update events set actor_name = '', address = null, before = null, after = null, data = null where verb is not null`,
    );
    expect((await command('verify')).exitCode).to.equal(1);
    await world.sql(`update audit_chain set salts = decode(repeat('00', length(salts)), 'hex')`);
    const verified = await command('verify');
    expect(verified.exitCode, verified.text).to.equal(0);
    await tamper(`update events set verb = 'item.note' where id = (select min(id) from events where verb is not null)`);
    expect((await command('verify')).exitCode).to.equal(1);
  });

  it('waits for a transaction that may still commit an earlier entry, and no change waits for it', async () => {
    const slow = new pg.Client({ connectionString: world.config.migrateDatabaseUrl });
    await slow.connect();
    try {
      await slow.query('begin');
      await slow.query(
        `insert into events (env, at, actor_type, actor_name, verb) select id, 0, 'person', 'Slow', 'item.state' from environments`,
      );
      await make(3);
      await auditChain.run(world.deps);
      expect(await unchained()).to.equal(3);
      await slow.query('commit');
    } finally {
      await slow.end();
    }
    await chained();
    const verified = await command('verify', '--json');
    expect(JSON.parse(verified.text).environments[0]).to.deep.include({ entries: 4, problems: [] });
  });
});
