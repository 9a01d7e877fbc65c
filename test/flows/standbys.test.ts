/** Reads from a real standby that is behind, frozen, killed and promoted: callers see what they did, and nobody waits for it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { endpoints } from '../../api/endpoints.ts';
import { migrateDatabase } from '../../migrations/migrate.ts';
import { readConfig } from '../../shared/platform/config/config.ts';
import { checkStandbys } from '../../shared/tools/doctor/standbys.ts';
import { clientOf, type Client, type Reply } from '../support/http.ts';
import { startMeasured, type MeasuredProgram } from '../support/metrics.ts';
import { holdPublishersSql, startReplication, type Replication, type TestStandby } from '../support/standby.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

describe('reads from a standby', () => {
  let dir: string;
  let replication: Replication;
  let standby: TestStandby;
  /** Its standby may be a minute behind, so that what it lacks while it is paused decides. */
  let world: World;
  /** Its standby may be half a second behind. */
  let strict: MeasuredProgram;
  let clerk: Client;
  let other: Client;
  let item: string;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'console-standby-'));
    replication = await startReplication(dir, 1);
    const { primary, standbys } = replication;
    const [first] = standbys;
    if (first === undefined) throw new Error('One standby was started.');
    standby = first;
    await migrateDatabase(primary.ownerUrl, primary.url);
    world = await newWorld({
      database: { url: primary.url, ownerUrl: primary.ownerUrl, drop: () => Promise.resolve() },
      env: { DATABASE_READ_URL: standby.url, READ_LAG_MS: '60000' },
    });
    [clerk, other] = [await world.agent('admin'), await world.agent('admin')];
    strict = await startMeasured(world, 'api/main.ts', { DATABASE_READ_URL: standby.url, READ_LAG_MS: '500' });
    item = await create('At first');
    await world.settled();
    await until('the standby serves reads', () => world.deps.standbys?.states()[0]?.up);
    await until('it serves those of the other process', async () => (await isUp()) === 1);
  });
  after(async () => {
    await strict.end();
    await world.close();
    await replication.close();
    await rm(dir, { recursive: true, force: true });
  });

  const create = async (title: string): Promise<string> => {
    const { status, body, text } = await clerk.post('/items', { inbox: 'mail', title });
    expect(status, text).to.equal(201);
    return body.item.id as string;
  };
  const isUp = async (): Promise<number | undefined> => (await strict.scrape()).value('console_standby_up');
  const served = (): number => world.deps.standbys?.count('served') ?? 0;
  const servedStrictly = async (): Promise<number> =>
    (await strict.scrape()).value('console_standby_reads_total', { outcome: 'served' }) ?? 0;
  const strictly = ({ token, id }: Client): Client =>
    clientOf(`http://127.0.0.1:${strict.port}/api/env/demo`, token, id);
  const titlesIn = ({ status, body, text }: Reply): string[] => {
    expect(status, text).to.equal(200);
    return (body.items as { title: string }[]).map(({ title }) => title);
  };
  /** A change that nobody is told of: only who reads the primary sees it. */
  const rename = (title: string): Promise<unknown> =>
    world.sql('update items set title = $1 where id = $2', [title, item]);
  const paused = async (work: () => Promise<void>): Promise<void> => {
    await standby.sql('select pg_wal_replay_pause()');
    await until('it is paused', async () => {
      const [row] = await standby.sql<{ state: string }>('select pg_get_wal_replay_pause_state() as state');
      return row?.state === 'paused';
    });
    try {
      await work();
    } finally {
      await standby.sql('select pg_wal_replay_resume()');
    }
  };
  /** Nobody publishes meanwhile, so that no position tells of a change. */
  const unpublished = async (work: () => Promise<void>): Promise<void> => {
    const hold = (until: string): Promise<unknown> => world.sql(holdPublishersSql(until));
    await hold('9000000000000000');
    try {
      await work();
    } finally {
      await hold('0');
    }
  };
  /** Resolves once the standby has what the primary has now. */
  const caughtUp = async (): Promise<void> => {
    const [row] = await world.sql<{ wal: string }>('select pg_current_wal_insert_lsn()::text as wal');
    const isThere = `select pg_last_wal_replay_lsn() >= '${row?.wal ?? ''}' as there`;
    await until('the standby has caught up', async () => (await standby.sql<{ there: boolean }>(isThere))[0]?.there);
  };
  /** Resolves once reads of the strict process are answered by the standby again. */
  const backUp = async (): Promise<void> => {
    await until('the standby serves reads again', async () => (await isUp()) === 1, 60_000);
    const before = await servedStrictly();
    await until('it has served one', async () => {
      await strictly(other).get('/items');
      return (await servedStrictly()) > before;
    });
  };

  it('serves every list, search, summary and the audit log, and no single row', async () => {
    await caughtUp();
    const reader = await world.agent('admin');
    const lists = [
      '/items',
      '/items/summary?by=state',
      '/search?q=first',
      '/tags',
      '/runs',
      '/approvals',
      '/audit',
      '/resources/customer/list',
    ];
    const shared = endpoints.filter(({ standby }) => standby);
    expect(shared).to.have.length(lists.length + 4);
    expect(shared.filter(({ write, path }) => write || path.endsWith('/:id'))).to.deep.equal([]);
    for (const path of [...lists, `/items/${item}/timeline`, `/items/${item}/occurrences`]) {
      const before = served();
      await until(`a standby serves ${path}`, async () => {
        const { status, text } = await reader.get(path);
        expect(status, text).to.equal(200);
        return served() > before;
      });
    }
    const before = served();
    expect((await reader.get(`/items/${item}`)).status).to.equal(200);
    expect((await reader.get('/me')).status).to.equal(200);
    expect(served()).to.equal(before);
    expect(world.deps.standbys?.count('failed')).to.equal(0);
  });

  it('shows nobody what they have not done, and everybody what they have', async () => {
    await caughtUp();
    await paused(async () => {
      await rename('Renamed on the primary');
      const reader = await world.agent('admin');
      await until('the standby answers', async () => titlesIn(await reader.get('/items')).includes('At first'));
      for (let i = 0; i < 20; i++) {
        const title = `Mine ${String(i)}`;
        const { status, text } = await reader.post('/items', { inbox: 'mail', title });
        expect(status, text).to.equal(201);
        expect(titlesIn(await reader.get('/items'))).to.include.members([title, 'Renamed on the primary']);
      }
    });
    await rename('At first');
  });

  it('shows a change by another process to who sends the offset of its answer, and of what it was told', async () => {
    await caughtUp();
    await paused(async () => {
      const second = await world.api();
      const there = (client: Client): Client => clientOf(second.base(), client.token, client.id);
      await until('its standby serves reads', () => world.deps.standbys?.states()[0]?.up);
      const created = await clerk.post('/items', { inbox: 'mail', title: 'By the first process' });
      const offset = created.headers.get('x-live-offset') ?? '';
      const seen = { headers: { 'x-live-offset': offset } };
      expect(titlesIn(await there(clerk).get('/items', seen))).to.include('By the first process');
      expect(titlesIn(await there(clerk).get('/items')), 'it remembers').to.include('By the first process');
      await world.settled();
      const told = await until('the first process knows the position', async () => {
        const { headers } = await other.get('/items');
        const found = headers.get('x-live-offset') ?? '';
        const reply = await there(other).get('/items', { headers: { 'x-live-offset': found } });
        return titlesIn(reply).includes('By the first process') && found;
      });
      expect(told).to.match(/^\S{22}$/);
      const garbage = await there(other).get('/items', { headers: { 'x-live-offset': 'no offset' } });
      expect(titlesIn(garbage)).to.include('By the first process');
      const stream = await there(other).get(`/changes?after=${encodeURIComponent(offset)}`);
      expect(stream.status, 'the offset of a change is one of the stream').to.equal(200);
      expect(stream.text).to.include('By the first process');
    });
  });

  it('shows a change by another process that is not published yet to who sends the offset of its answer', async () => {
    const second = await world.api();
    const there = (client: Client): Client => clientOf(second.base(), client.token, client.id);
    await until('its standby serves reads', async () => (await there(other).get('/items')).status === 200);
    await unpublished(async () => {
      await caughtUp();
      await paused(async () => {
        const created = await clerk.post('/items', { inbox: 'mail', title: 'Not published' });
        const seen = { headers: { 'x-live-offset': created.headers.get('x-live-offset') ?? '' } };
        await until(
          'the standby answers',
          async () => !titlesIn(await there(clerk).get('/items')).includes('Not published'),
        );
        expect(titlesIn(await there(clerk).get('/items', seen))).to.include('Not published');
        expect(titlesIn(await there(clerk).get('/items')), 'it remembers').to.include('Not published');
      });
    });
    await world.settled();
  });

  it('answers refusals and rights from the primary', async () => {
    await caughtUp();
    await paused(async () => {
      const guest = await world.agent('admin');
      expect((await guest.get('/items')).status, 'an agent that the standby does not know').to.equal(200);
      const fresh = await create('Not there yet');
      expect((await guest.get(`/items/${fresh}/timeline`)).status, 'the standby lacks the item').to.equal(200);
      await world.revoke(guest);
      expect((await guest.get('/items')).status).to.equal(401);
    });
  });

  it('is checked by npm run doctor', async () => {
    const { databaseUrl, redisUrl } = world.config;
    const found = async (url: string, apis = 2): Promise<Record<string, string>> => {
      const env = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, DATABASE_READ_URL: url, READ_LAG_MS: '200' };
      const findings = await checkStandbys(readConfig(env), apis);
      for (const { text } of findings) expect(text).not.to.include(new URL(url).password);
      return Object.fromEntries(findings.map(({ check, status }) => [check, status]));
    };
    const well = {
      'postgres.tls': 'ok',
      'standby.role': 'ok',
      'standby.timeline': 'ok',
      'standby.feedback': 'warn',
      'standby.lag': 'ok',
      'standby.connections': 'ok',
    };
    await caughtUp();
    expect(await found(standby.url)).to.deep.equal(well);
    expect(await found(standby.url, 100)).to.deep.equal({ ...well, 'standby.connections': 'fail' });
    expect(await found(databaseUrl), 'the primary').to.deep.equal({ 'postgres.tls': 'ok', 'standby.role': 'fail' });
    const gone = standby.url.replace(/:\d+\//, ':1/');
    expect(await found(gone)).to.deep.equal({ 'postgres.tls': 'ok', standby: 'fail' });
    await paused(async () => {
      await create('Behind');
      // The tests' servers write what was committed a moment later.
      await until('it is behind', async () => (await found(standby.url))['standby.lag'] === 'warn');
    });
  });

  it('leaves a standby that is behind, says so once, and comes back', async () => {
    await caughtUp();
    await backUp();
    await paused(async () => {
      await rename('Only on the primary');
      await until('it is too far behind', async () => (await isUp()) === 0);
      expect(titlesIn(await strictly(other).get('/items'))).to.include('Only on the primary');
      expect((await strict.scrape()).value('console_standby_lag_seconds')).to.be.above(0.4);
    });
    await rename('At first');
    await backUp();
    const lines = strict.said().split('\n');
    const warnings = lines.filter((line) => line.includes('the primary serves the reads of a standby'));
    // Once a minute; a machine that is busy enough may have it behind before.
    expect(warnings).to.have.lengthOf.within(1, 3);
    expect(JSON.parse(warnings[0] ?? '')).to.include({ level: 40, standby: new URL(standby.url).host });
    expect(strict.said()).not.to.include(new URL(standby.url).password);
  });

  it('is not held up by a standby that is frozen, nor by one that is killed', async () => {
    const faults: readonly (readonly [string, () => Promise<unknown> | void, () => Promise<unknown> | void])[] = [
      ['frozen', standby.freeze, standby.thaw],
      ['killed', standby.kill, standby.restart],
    ];
    for (const [what, hurt, mend] of faults) {
      await caughtUp();
      await backUp();
      const under = Array.from({ length: 40 }, () => strictly(other).get('/items'));
      await hurt();
      try {
        for (const reply of await Promise.all(under)) titlesIn(reply);
        for (let i = 0; i < 10; i++) titlesIn(await strictly(clerk).get('/items'));
        const ready = await fetch(`http://127.0.0.1:${String(strict.probePort)}/ready`);
        expect(ready.status, what).to.equal(200);
        await until('it is away', async () => (await isUp()) === 0);
        expect((await strict.scrape()).value('console_standby_lag_seconds')).to.equal(undefined);
      } finally {
        await mend();
      }
    }
    await backUp();
  });

  it('does not read a standby that was promoted', async () => {
    await backUp();
    await until('it is promoted', async () => {
      // What waits on a standby is ended where what is replayed needs its rows gone; it promotes all the same.
      await standby.sql('select pg_promote()').catch(() => undefined);
      const [found] = await standby.sql<{ away: boolean }>('select not pg_is_in_recovery() as away');
      return found?.away;
    });
    await standby.sql(`update items set title = 'On a fork' where id = '${item}'`);
    for (let i = 0; i < 20; i++) {
      expect(titlesIn(await strictly(other).get('/items'))).not.to.include('On a fork');
      expect(titlesIn(await clerk.get('/items'))).not.to.include('On a fork');
    }
    await until('it is away', async () => (await isUp()) === 0);
    expect(world.deps.standbys?.states()[0]?.up).to.equal(false);
  });
});
