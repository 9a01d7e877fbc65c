/** The files of archives: none is written over, and `verify` says which is damaged, another, or of another database. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import pg from 'pg';
import { runAdmin, type CommandOutcome } from '../../shared/tools/cli/run.ts';
import { program } from '../../shared/tools/services/compile.mjs';
import { root } from '../../shared/tools/services/paths.mjs';
import { indexTexts, months } from '../../workers/sweeps/index.ts';
import { monthBefore, monthMs, newPastWorld, newWorldMonthsAgo, sweepPast } from '../support/past.ts';
import { until } from '../support/until.ts';
import type { World } from '../support/world.ts';

interface ArchiveRow {
  readonly name: string;
  readonly file: string;
  readonly events: number;
}

const command = ({ config }: World, ...words: string[]): Promise<CommandOutcome> =>
  runAdmin(words, { readConfig: () => config, readInput: () => Promise.resolve('') });
const fail = async (world: World, ...words: string[]): Promise<string> => {
  const { exitCode, text } = await command(world, ...words);
  expect(exitCode, text).to.equal(1);
  return text;
};
const say = async (world: World, ...words: string[]): Promise<string> => {
  const { exitCode, text } = await command(world, ...words);
  expect(exitCode, text).to.equal(0);
  return text;
};
const toFolder = (folder: string): string[] => ['archive', '--before', monthBefore(3), '--to', folder];
const archive = async (world: World, folder: string): Promise<ArchiveRow> => {
  const { archives } = JSON.parse(await say(world, ...toFolder(folder), '--json')) as { archives: ArchiveRow[] };
  const [first] = archives;
  if (first === undefined) throw new Error('A month was archived.');
  return first;
};
const eventCount = async (world: World): Promise<number> =>
  (await world.sql<{ n: number }>('select count(*)::int as n from events'))[0]?.n ?? 0;

/** Adds entries to the first month, so that its file is read in several batches. */
const addEntries = async (world: World, count: number): Promise<void> => {
  await world.sql(
    `insert into events select r.* from (select * from events where entry is not null order by id limit 1) e, generate_series(1, $1) i,
       jsonb_populate_record(null::events, to_jsonb(e) || jsonb_build_object('id', e.id + 1000 + i, 'verb', null, 'data', jsonb_build_object('text', md5(i::text)))) r`,
    [count],
  );
  await indexTexts.run(world.deps);
};

describe('the files of archives', () => {
  const worlds: World[] = [];
  let folder: string;

  const newDatabaseWithPast = async (): Promise<World> => {
    const { world } = await newPastWorld();
    worlds.push(world);
    return world;
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'archive-files-'));
  });
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are told apart from those of another database, and neither is written over the other', async () => {
    const first = await newDatabaseWithPast();
    const second = await newDatabaseWithPast();
    await addEntries(second, 1_200);
    const { file, name, events } = await archive(first, folder);
    const bytes = readFileSync(file);

    expect(await say(first, 'archive', 'verify', file)).to.match(/holds$/);
    expect(await say(second, 'archive', 'verify', file)).to.match(/holds, but is not of this database$/);
    expect(await fail(second, 'archive', 'restore', file)).to.match(/holds, but is not of this database/);

    const before = await eventCount(second);
    const refusal = await fail(second, ...toFolder(folder));
    expect(refusal)
      .to.include(`${file} exists`)
      .and.to.match(/Give another folder, or move that file away/);
    expect(readFileSync(file).equals(bytes)).to.equal(true);
    expect(readdirSync(folder)).to.have.length(1);
    expect(await eventCount(second)).to.equal(before);

    const elsewhere = await archive(second, join(folder, 'second'));
    expect(elsewhere.name).to.equal(name);
    cpSync(file, join(folder, 'kept'));
    cpSync(elsewhere.file, file);
    const other = await fail(first, 'archive', 'verify', file);
    expect(other)
      .to.include(
        `is not the file that was archived: ${elsewhere.events.toLocaleString('en')} events instead of ${String(events)}`,
      )
      .and.to.include('It holds, but is not of this database.');
    expect(await fail(first, 'archive', 'restore', file)).to.equal(other);
    // By its month, where the path says nothing.
    const copy = join(folder, 'copy');
    cpSync(elsewhere.file, copy);
    expect(await fail(first, 'archive', 'verify', copy)).to.match(/is not the file that was archived/);

    expect(await say(first, 'archive', 'restore', join(folder, 'kept'))).to.match(/is back/);
    expect(await say(first, 'archive', 'verify', join(folder, 'kept'))).to.match(
      /holds; its month is in the database too$/,
    );
    expect(await fail(first, 'archive', 'restore', join(folder, 'kept'))).to.match(/was restored already/);
  });

  it('are of one database alone when two archive to a folder at once', async () => {
    const both = [await newDatabaseWithPast(), await newDatabaseWithPast()] as const;
    const counts = await Promise.all(both.map(eventCount));
    const outcomes = await Promise.all(both.map((world) => command(world, ...toFolder(folder))));
    expect(outcomes.map(({ exitCode }) => exitCode)).to.have.members([0, 1]);
    const loser = outcomes[0]?.exitCode === 1 ? 0 : 1;
    expect(outcomes[loser]?.text).to.match(/exists and is not what would be written/);
    expect(await eventCount(both[loser])).to.equal(counts[loser]);
    expect(readdirSync(folder).filter((name) => name.endsWith('.unfinished'))).to.deep.equal([]);
    for (const name of readdirSync(folder))
      expect(await say(both[1 - loser === 0 ? 0 : 1], 'archive', 'verify', join(folder, name))).to.match(/holds$/);
  });

  it('are taken as they are by a command that goes on where one was killed, and only then', async () => {
    const world = await newDatabaseWithPast();
    // The part before the months is empty; without it the lock is waited for at the end of the first month.
    const [{ month } = { month: '' }] = await world.sql<{ month: string }>(
      `select replace(substr(min(inhrelid::regclass::text), 8), '_', '-') as month from pg_inherits
       where inhparent = 'events'::regclass and inhrelid <> 'events_former'::regclass`,
    );
    await say(world, 'archive', '--before', `${month}-01`, '--to', folder);
    const other = new pg.Client({ connectionString: world.config.migrateDatabaseUrl });
    await other.connect();
    await other.query('begin');
    await other.query('lock table audit_chain in row exclusive mode');
    const [node = '', ...words] = await program('shared/tools/cli/admin.ts', toFolder(folder));
    const { databaseUrl, migrateDatabaseUrl, redisUrl, redisPrefix } = world.config;
    const env = {
      ...process.env,
      DATABASE_URL: databaseUrl,
      MIGRATE_DATABASE_URL: migrateDatabaseUrl,
      REDIS_URL: redisUrl,
      REDIS_PREFIX: redisPrefix,
    };
    const child = spawn(node, words, { cwd: root, env, stdio: 'ignore' });
    const exited = once(child, 'exit');
    const waits =
      "select from pg_stat_activity where application_name = 'console-admin' and wait_event_type = 'Lock' and datname = current_database()";
    await until('the command waits at its end', async () => (await world.sql(waits)).length > 0);
    expect(await fail(world, ...toFolder(folder))).to.match(/another archive of this database is under way/);
    child.kill('SIGKILL');
    await exited;
    await other.end();
    await until(
      'its transaction is gone',
      async () =>
        (
          await world.sql(
            "select from pg_stat_activity where application_name = 'console-admin' and datname = current_database()",
          )
        ).length === 0,
    );
    const [left = ''] = readdirSync(folder);
    const bytes = readFileSync(join(folder, left));

    const { file } = await archive(world, folder);
    expect(file).to.equal(join(folder, left));
    expect(readFileSync(file).equals(bytes)).to.equal(true);
    expect(await say(world, 'archive', 'verify', file)).to.match(/holds$/);

    await say(world, 'archive', 'restore', file);
    // The header is that of the file, and the rest is not.
    const altered = gzipSync(gunzipSync(bytes).toString().replace('"first"', '"other"'));
    writeFileSync(file, altered);
    const events = await eventCount(world);
    expect(await fail(world, ...toFolder(folder))).to.include(`${file} exists`);
    expect(readFileSync(file).equals(altered)).to.equal(true);
    expect([await eventCount(world), readdirSync(folder)]).to.deep.equal([events, [left]]);
    renameSync(file, join(folder, 'away'));
    expect((await archive(world, folder)).file).to.equal(file);
  });

  it('are said to be damaged, and where, in a sentence that says what to do', async () => {
    const world = await newDatabaseWithPast();
    await addEntries(world, 6_000);
    const { file } = await archive(world, folder);
    const whole = readFileSync(file);
    const text = gunzipSync(whole).toString();
    const verify = async (bytes: Buffer | string): Promise<string> => {
      writeFileSync(file, bytes);
      const said = await fail(world, 'archive', 'verify', file);
      expect(said).not.to.match(/^\s+at |insert|select|json_/im);
      return said;
    };
    const flipped = (at: number): Buffer => {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 4;
      return bytes;
    };
    const places = [
      0,
      2,
      3,
      12,
      40,
      200,
      ...Array.from({ length: 12 }, (_, i) => Math.floor((whole.length * (i + 1)) / 13)),
    ];
    for (const at of [...places, whole.length - 20, whole.length - 6, whole.length - 2])
      expect(await verify(flipped(at)), `byte ${String(at)}`).to.match(
        /damaged (?:at|within|between|somewhere).*take another copy of it\.$/,
      );
    // The time in gzip's header, which says nothing of the content.
    expect(await verify(flipped(5))).to.match(/is not the file that was archived: the SHA-256/);
    for (const length of [5, 10, 300, whole.length >> 1, whole.length - 1])
      expect(await verify(whole.subarray(0, length))).to.match(/damaged at its end, which is missing after byte/);
    expect(await verify('')).to.match(/is empty; take another copy of it/);
    expect(await verify('Not an archive.')).to.match(/does not begin as an archive does/);
    expect(await verify(gzipSync(''))).to.match(/is no archive of events/);
    expect(await verify(gzipSync(text.replace('"chains":[', '"chains":[7,')))).to.match(/is no archive of events/);
    const lines = text.split('\n');
    const replaceLine = (n: number, line: string): Buffer => gzipSync(lines.with(n - 1, line).join('\n'));
    expect(await verify(replaceLine(4_321, '{"id":'))).to.match(/damaged at line 4,321; take another copy/);
    const range = (lines[4_320] ?? '').replace(/"id":\d+/, '"id":"x"');
    expect(await verify(replaceLine(4_321, range))).to.match(
      /damaged between the lines [\d,]+ and [\d,]+; take another copy/,
    );
    expect(await fail(world, 'archive', 'restore', file)).to.match(/damaged between the lines/);

    mkdirSync(join(folder, 'inner'));
    for (const verb of ['verify', 'restore']) {
      expect(await fail(world, 'archive', verb, join(folder, 'inner'))).to.match(/is not a file/);
      expect(await fail(world, 'archive', verb, join(folder, 'none'))).to.match(/There is no file/);
    }
  });

  it('are not made of a month that entries still go to after a long stop, which the command says', async () => {
    const { world, admin, old } = await newWorldMonthsAgo(4);
    worlds.push(world);
    await sweepPast(world);
    const events = await eventCount(world);
    expect(await fail(world, ...toFolder(folder))).to.match(
      /can’t be archived yet: new entries are still written there[^]*try again in a minute/,
    );
    expect([await eventCount(world), readdirSync(folder)]).to.deep.equal([events, []]);
    // Written before the workers began the part of this month, so to that of four months ago.
    world.clock.advance(4 * monthMs);
    await admin.post(`/items/${old}/notes`, { text: 'Late' });
    await sweepPast(world);
    await months.run(world.deps);
    expect(await say(world, ...toFolder(folder))).to.match(/^\d{4}-\d{2} is left: its last entry is of /);

    const quiet = await newWorldMonthsAgo(4);
    worlds.push(quiet.world);
    await sweepPast(quiet.world);
    expect(await fail(quiet.world, ...toFolder(folder))).to.match(/try again in a minute/);
    await months.run(quiet.world.deps);
    expect((await archive(quiet.world, folder)).events).to.equal(events);
  });
});
