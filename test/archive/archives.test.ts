/** Archives: whole months of events as files that prove themselves, out of the database and back. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import pg from 'pg';
import { newIdOf } from '../../shared/platform/ids.ts';
import { runAdmin } from '../../shared/tools/cli/run.ts';
import { indexTexts } from '../../workers/sweeps/index.ts';
import type { Client } from '../support/http.ts';
import { dateBefore, dayMs, monthBefore, monthMs, newPastWorld, sweepPast } from '../support/past.ts';
import { until } from '../support/until.ts';
import type { World } from '../support/world.ts';

interface ArchiveRow {
  readonly name: string;
  readonly file: string;
  readonly events: number;
  readonly sha256: string;
}
interface Verified {
  readonly archived: number;
  readonly problems: readonly string[];
}
/** What the commands print with `--json`. */
interface Printed {
  readonly archives: readonly ArchiveRow[];
  readonly heads: readonly { readonly hash: string }[];
  readonly environments: readonly Verified[];
}
interface TimelinePage {
  readonly entries: readonly { readonly id: string }[];
  readonly archivedBefore?: number;
}

describe('archives', () => {
  let world: World;
  let admin: Client;
  let folder: string;
  /** An item of four months ago, changed in each month. */
  let old: string;
  /** The entry by which it was tagged in the first month. */
  let tagged: string;

  const command = (...words: string[]): ReturnType<typeof runAdmin> =>
    runAdmin(words, { readConfig: () => world.config, readInput: () => Promise.resolve('') });
  const succeed = async (...words: string[]): Promise<Printed> => {
    const { exitCode, text } = await command(...words, '--json');
    expect(exitCode, text).to.equal(0);
    return JSON.parse(text) as Printed;
  };
  const fail = async (...words: string[]): Promise<string> => {
    const { exitCode, text } = await command(...words);
    expect(exitCode, text).to.be.greaterThan(0);
    return text;
  };
  const sweep = (): Promise<void> => sweepPast(world);
  const count = async (text: string): Promise<number> =>
    (await world.sql<{ n: number }>(`select count(*)::int as n ${text}`))[0]?.n ?? 0;
  const parts = async (): Promise<string[]> =>
    (
      await world.sql<{ name: string }>(
        "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'events'::regclass order by 1",
      )
    ).map(({ name }) => name);
  /** Everything that is told of the past, as it is in the database. */
  const past = async (): Promise<string> =>
    JSON.stringify([
      await world.sql('select * from events order by id'),
      await world.sql("select env, n, last, entries, encode(hash, 'hex') as hash from audit_chain order by env, n"),
    ]);
  const archive = (count: number): Promise<Printed> =>
    succeed('archive', '--before', monthBefore(count), '--to', folder);
  const timeline = async (item: string): Promise<TimelinePage> =>
    (await admin.get(`/items/${item}/timeline`)).body as TimelinePage;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'archives-'));
    ({ world, admin, old } = await newPastWorld());
    tagged = (await timeline(old)).entries.at(-2)?.id ?? '';
  });
  afterEach(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('hold nobody up who reads events until they detach a month', async () => {
    const other = new pg.Client({ connectionString: world.config.migrateDatabaseUrl });
    await other.connect();
    try {
      await other.query('begin');
      const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid');
      await other.query('lock table audit_chain in row exclusive mode');
      const archived = archive(2);
      const waiting = (): Promise<{ holds: boolean }[]> =>
        world.sql<{ holds: boolean }>(
          `select exists (select from pg_locks l where l.pid = a.pid and l.granted and l.mode = 'AccessExclusiveLock'
             and l.relation = 'events'::regclass) as holds
           from pg_stat_activity a where ${String(rows[0]?.pid)} = any (pg_blocking_pids(a.pid))`,
        );
      let seen: { holds: boolean }[] = [];
      await until('the archive waits for the chain', async () => (seen = await waiting()).length > 0);
      expect(seen).to.deep.equal([{ holds: false }]);
      await other.query('rollback');
      expect((await archived).archives).to.have.length.greaterThan(1);
    } finally {
      await other.end();
    }
  });

  it('leave months of the database to files, of which reads say so, and bring them back as they were', async () => {
    const before = await past();
    const head = (await succeed('audit', 'head')).heads[0]?.hash ?? '';
    const events = await count('from events');
    const kept = await parts();

    const { archives } = await archive(2);
    expect(archives).to.have.length.greaterThan(1);
    expect(await parts()).to.deep.equal(kept.slice(archives.length, -1));
    const gone = archives.reduce((sum, each) => sum + each.events, 0);
    // Archiving is an entry of the audit log itself.
    expect(await count("from events where verb <> 'archive.create' or verb is null")).to.equal(events - gone);
    expect((await succeed('archive', 'list')).archives).to.deep.equal(archives);

    await until('processes know', async () => (await timeline(old)).archivedBefore !== undefined);
    const { entries, archivedBefore = 0 } = await timeline(old);
    expect(entries).to.have.length.lessThan(5);
    expect(archivedBefore).to.be.within(Date.now() - 4 * monthMs, Date.now() - 31 * dayMs);
    const item = (await admin.get(`/items/${old}`)).body;
    expect([item.item.title, item.archivedBefore]).to.deep.equal(['Old', archivedBefore]);
    expect((await admin.get('/audit')).body.archivedBefore).to.equal(archivedBefore);
    expect((await admin.get(`/audit?from=${String(archivedBefore)}`)).body).not.to.have.property('archivedBefore');
    const young = (await admin.post('/items', { inbox: 'mail', title: 'Young' })).body.item.id as string;
    expect(await timeline(young)).not.to.have.property('archivedBefore');
    // Ids of a process never go back in time, as its clock did here.
    const former = newIdOf('ent', archivedBefore - 1);
    const undo = await admin.call('PATCH', `/items/${old}`, { undo: former });
    expect([undo.status, JSON.stringify(undo.body)]).to.satisfy(
      ([status, text]: [number, string]) => status === 400 && /is not archived/.test(text),
    );

    await sweep();
    const verified = await succeed('audit', 'verify');
    expect(verified.environments[0]?.problems).to.deep.equal([]);
    expect(verified.environments[0]?.archived).to.be.greaterThan(0);
    expect((await succeed('audit', 'verify', '--head', head)).environments[0]?.problems).to.deep.equal([]);

    const ana = await world.person('admin', 'Ana', { fresh: true });
    const erasure = { record: { resource: 'customer', id: 'cus_1' }, dryRun: true };
    const names = archives.map(({ name }) => name);
    expect((await ana.post('/settings/erasures', erasure)).body.archives).to.deep.equal(names);

    for (const { file, events: written } of archives)
      expect(await succeed('archive', 'verify', file)).to.deep.include({ events: written });
    for (const { file } of archives.toReversed()) await succeed('archive', 'restore', file);
    expect((await succeed('archive', 'list')).archives).to.deep.equal([]);
    await until('processes know', async () => (await timeline(old)).archivedBefore === undefined);
    expect((await timeline(old)).entries).to.have.length(6);
    expect((await admin.call('PATCH', `/items/${old}`, { undo: tagged })).status).to.equal(200);
    const back = JSON.parse(await past()) as [{ id: number }[], { n: number }[]];
    const first = JSON.parse(before) as typeof back;
    expect(back[0].slice(0, first[0].length)).to.deep.equal(first[0]);
    expect(back[1].slice(0, first[1].length)).to.deep.equal(first[1]);
    expect((await succeed('audit', 'verify')).environments[0]).to.deep.include({ archived: 0, problems: [] });
  });

  it('can be made one after the other, and restored in any order', async () => {
    const first = (await archive(3)).archives;
    const second = (await archive(2)).archives;
    expect(first.length).to.be.greaterThan(0);
    expect(second.length).to.be.greaterThan(0);
    await sweep();
    const holds = async (): Promise<void> => {
      expect((await succeed('audit', 'verify')).environments[0]?.problems).to.deep.equal([]);
      for (const { file } of [...first, ...second]) await succeed('archive', 'verify', file);
    };
    await holds();
    const kept = hashIn(first[0]?.file ?? '');
    const unproven = await fail('audit', 'verify', '--head', kept);
    expect(unproven)
      .to.include(`archive verify <file> --head <hash>`)
      .and.include(first[0]?.name)
      .and.not.match(/does not hold/);
    await succeed('archive', 'verify', first[0]?.file ?? '', '--head', kept);
    await succeed('archive', 'restore', first[0]?.file ?? '');
    await succeed('audit', 'verify', '--head', kept);
    await sweep();
    await holds();
    expect(await fail('archive', 'restore', first[0]?.file ?? '')).to.match(/restored already/);
    expect((await archive(3)).archives).to.have.length(1);
    await holds();
  });

  it('are found out when they were changed, cut off, or written again by somebody', async () => {
    const file = (await archive(3)).archives[0]?.file ?? '';
    const whole = readFileSync(file);
    const text = gunzipSync(whole).toString();
    const change = async (changed: string): Promise<string> => {
      writeFileSync(file, gzipSync(changed));
      return fail('archive', 'verify', file);
    };
    expect(await change(text.replace('"first"', '"other"'))).to.match(/was changed/);
    const lines = text.split('\n');
    expect(await change([...lines.slice(0, -2), ''].join('\n'))).to.match(/has \d+ events, and was written with \d+/);
    expect(await change('{}\n')).to.match(/no archive of events/);
    writeFileSync(file, whole.subarray(0, whole.length / 2));
    expect(await fail('archive', 'verify', file)).to.match(/damaged at its end/);
    // With a corrected digest the chain shows the change.
    const [header = '', ...rest] = text.replace('"first"', '"other"').split('\n');
    const forged = { ...(JSON.parse(header) as object), digest: await digestOf(rest) };
    expect(await change([JSON.stringify(forged), ...rest].join('\n'))).to.match(/was changed/);
    expect(await fail('archive', 'restore', file)).to.match(/does not hold[^]*was changed/);
    writeFileSync(file, whole);
    await succeed('archive', 'verify', file);
    const [{ hash: now } = { hash: '' }] = (await succeed('audit', 'head')).heads;
    expect(await fail('archive', 'verify', file, '--head', now)).to.match(/hash that was kept is not in its chains/);
    await succeed('archive', 'verify', file, '--head', hashIn(file));
    expect(await fail('archive', 'verify', file, '--head', 'abc')).to.match(/--head must be a hash/);
    expect(createHash('sha256').update(whole).digest('hex')).to.equal(
      (await succeed('archive', 'list')).archives[0]?.sha256,
    );
    await succeed('archive', 'restore', file);
  });

  /** Returns the hash of the first range in a file. */
  const hashIn = (file: string): string =>
    /"hash":"\\\\x([0-9a-f]{64})"/.exec(gunzipSync(readFileSync(file)).toString())?.[1] ?? '';

  /** Returns the digest of the events among the lines of a file, as the command computes it. */
  const digestOf = async (lines: readonly string[]): Promise<string> => {
    const events = lines.filter((line) => line !== '' && !line.startsWith('{"range"'));
    const [row] = await world.sql<{ digest: string }>(
      `select sum(hashtextextended(row_to_json(e)::text, 0))::text as digest from json_populate_recordset(null::events, $1) e`,
      [`[${events.join(',')}]`],
    );
    return row?.digest ?? '';
  };

  it('are not made of what is still needed, and then nothing has changed', async () => {
    const before = await past();
    expect(await fail('archive', '--before', dateBefore(30), '--to', folder)).to.match(/or earlier/);
    expect(await fail('archive', '--before', 'yesterday', '--to', folder)).to.match(/must be a date/);
    expect(await fail('archive', '--to', folder)).to.match(/--before is missing/);
    await world.sql('update item_words_progress set event = 0');
    expect(await fail('archive', '--before', monthBefore(2), '--to', folder)).to.match(/not all indexed yet/);
    await indexTexts.run(world.deps);
    writeFileSync(join(folder, 'taken'), '');
    expect(await fail('archive', '--before', monthBefore(2), '--to', join(folder, 'taken'))).not.to.equal('');
    expect(JSON.parse(await past())).to.deep.equal(JSON.parse(before));
  });
});
