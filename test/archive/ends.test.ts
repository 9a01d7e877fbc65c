/** The end of an archive: what it holds up while it waits for its locks, and what it leaves when it fails. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { runAdmin, type CommandOutcome } from '../../shared/tools/cli/run.ts';
import { monthBefore, newPastWorld, sweepPast } from '../support/past.ts';
import { until } from '../support/until.ts';
import type { World } from '../support/world.ts';

describe('the end of an archive', () => {
  let world: World;
  let folder: string;

  const command = (...words: string[]): Promise<CommandOutcome> =>
    runAdmin(words, { readConfig: () => world.config, readInput: () => Promise.resolve('') });
  const archive = (): Promise<CommandOutcome> => command('archive', '--before', monthBefore(3), '--to', folder);
  const succeed = async (outcome: Promise<CommandOutcome>): Promise<void> => {
    const { exitCode, text } = await outcome;
    expect(exitCode, text).to.equal(0);
  };
  const count = async (text: string): Promise<number> =>
    (await world.sql<{ n: number }>(`select count(*)::int as n ${text}`))[0]?.n ?? 0;

  /** Archives while another session has a lock; `whileWaiting` runs once the archive waits for it, and gets its process. */
  const archiveBehind = async (lock: string, whileWaiting: (pid: number) => Promise<void>): Promise<void> => {
    const other = new pg.Client({ connectionString: world.config.migrateDatabaseUrl });
    await other.connect();
    try {
      await other.query('begin');
      const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid');
      await other.query(lock);
      const archived = archive();
      const waiting = `select pid from pg_stat_activity where application_name = 'console-admin' and ${String(rows[0]?.pid)} = any (pg_blocking_pids(pid))`;
      const { pid } = await until('the archive waits', async () => (await world.sql<{ pid: number }>(waiting))[0]);
      await whileWaiting(pid);
      await other.query('rollback');
      await succeed(archived);
    } finally {
      await other.end();
    }
  };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'archive-ends-'));
    ({ world } = await newPastWorld());
    // The part before the months is empty: without it the month is the first that is waited with.
    const [{ month } = { month: '' }] = await world.sql<{ month: string }>(
      `select replace(substr(min(inhrelid::regclass::text), 8), '_', '-') as month from pg_inherits
       where inhparent = 'events'::regclass and inhrelid <> 'events_former'::regclass`,
    );
    await succeed(command('archive', '--before', `${month}-01`, '--to', folder));
  });
  afterEach(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('waits with pauses, in which it holds nothing that others need, and changes of settings go on', async () => {
    await archiveBehind('lock table audit_chain in row exclusive mode', async (pid) => {
      await succeed(command('role', 'create', 'clerk', '--grants', '[]'));
      const pausing = `select from pg_stat_activity where pid = ${String(pid)} and state = 'idle in transaction' and now() - state_change > interval '0.5 s'`;
      await until('it pauses', async () => (await world.sql(pausing)).length > 0);
      const held = await world.sql(
        `select from pg_locks where pid = ${String(pid)} and mode = 'AccessExclusiveLock' and relation = any (array['events', 'audit_chain', 'revisions']::regclass[])`,
      );
      expect(held).to.deep.equal([]);
    });
  });

  it('deletes the ranges of the month once it has the lock of the events', async () => {
    const ranges = await count('from audit_chain');
    await archiveBehind('lock table events in access share mode', async () => {
      expect(await count('from (select from audit_chain for update skip locked) r')).to.equal(ranges);
    });
    expect(await count('from audit_chain')).to.be.lessThan(ranges);
  });

  it('leaves no file when it fails, and one that was there before as it was', async () => {
    await world.sql(`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
      create trigger refuse before insert on archives for each row execute function refuse();
    `);
    const events = await count('from events');
    const failed = await archive();
    expect([failed.exitCode, failed.text]).to.satisfy(
      ([code, text]: [number, string]) => code === 1 && /refused/.test(text),
    );
    expect([readdirSync(folder), await count('from events')]).to.deep.equal([[], events]);

    await world.sql('alter table archives disable trigger refuse');
    await succeed(archive());
    const [name = ''] = readdirSync(folder);
    const bytes = readFileSync(join(folder, name));
    await succeed(command('archive', 'restore', join(folder, name)));
    await world.sql('alter table archives enable trigger refuse');
    await sweepPast(world);
    expect((await archive()).text).to.match(/refused/);
    expect(readFileSync(join(folder, name)).equals(bytes)).to.equal(true);
  });
});
