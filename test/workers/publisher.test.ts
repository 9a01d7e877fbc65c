/** The publisher's promises: dense positions, nothing missed or doubled, one writer at a time. */
import { expect } from 'chai';
import { partsOf } from '../../shared/platform/journal/inserts.ts';
import { acquireLeaderLease, newHolderName } from '../../shared/platform/leases/leaderLease.ts';
import { channels, type LiveBatch } from '../../shared/platform/redis/bus.ts';
import { publishBatch } from '../../workers/outbox/publishBatch.ts';
import { startPublisher } from '../../workers/outbox/publisher.ts';
import { until } from '../support/until.ts';
import { newJobsWorld, type JobsWorld } from './jobsWorld.ts';

interface Told {
  readonly env: number;
  readonly position: number;
  readonly part: { readonly id: number; readonly item: string; readonly version: number };
}

describe('the publisher', () => {
  let world: JobsWorld;
  beforeEach(async () => {
    world = await newJobsWorld();
    await world.sql('create table probe_items (id text primary key, version int not null)');
    await world.sql("insert into probe_items select 'item' || g, 0 from generate_series(1, 20) g");
  });
  afterEach(() => world.close());

  /** One change as `perform` writes it: the item's row, then the id, then the outbox row; committed late or never. */
  const change = async (): Promise<number | null> => {
    const client = await world.owner.connect();
    try {
      await client.query('begin');
      const item = `item${String(1 + Math.floor(Math.random() * 20))}`;
      const {
        rows: [row],
      } = await client.query<{ version: number }>(
        'update probe_items set version = version + 1 where id = $1 returning version',
        [item],
      );
      const {
        rows: [drawn],
      } = await client.query<{ id: number }>("select nextval('events_id_seq') as id");
      const id = drawn?.id ?? 0;
      const parts = JSON.stringify([{ id, item: `${item} of ${String(1 + (id % 2))}`, version: row?.version }]);
      // Every third one as releases before 0079 write it.
      const isOld = id % 3 === 0;
      await client.query('insert into outbox (id, env, at, parts) values ($1, $2, 1, $3)', [
        id,
        1 + (id % 2),
        isOld ? parts : null,
      ]);
      if (!isOld)
        await client.query('insert into stream_parts (id, env, parts) values ($1, $2, $3)', [id, 1 + (id % 2), parts]);
      await client.query(`select pg_sleep(${String(Math.random() * 0.02)})`);
      const kept = Math.random() < 0.9;
      await client.query(kept ? 'commit' : 'rollback');
      world.deps.bus.publish(channels.workAvailable, 'outbox');
      return kept ? id : null;
    } finally {
      client.release();
    }
  };
  const writers = async (count: number, changes: number): Promise<number[]> => {
    const each = await Promise.all(
      Array.from({ length: count }, async () => {
        const ids: (number | null)[] = [];
        for (let i = 0; i < changes; i++) ids.push(await change());
        return ids;
      }),
    );
    return each
      .flat()
      .filter((id) => id !== null)
      .sort((a, b) => a - b);
  };
  const allTold = async (): Promise<void> => {
    await until('the outbox is empty', async () => (await world.sql('select 1 from outbox limit 1')).length === 0);
  };
  const stream = async (): Promise<Told[]> =>
    (
      await world.sql<{ env: number; position: string; parts: string }>(
        `select env, position, ${partsOf('s')} as parts from stream s order by env, position`,
      )
    ).map(({ env, position, parts }) => ({
      env,
      position: Number(position),
      part: (JSON.parse(parts) as Told['part'][])[0] ?? { id: 0, item: '', version: 0 },
    }));

  /** Every committed change once, positions without a hole, and per item the versions in order. */
  const expectComplete = async (ids: readonly number[]): Promise<void> => {
    const told = await stream();
    expect(told.map(({ part }) => part.id).sort((a, b) => a - b)).to.deep.equal(ids);
    for (const env of [1, 2]) {
      const own = told.filter((each) => each.env === env);
      expect(own.map(({ position }) => position)).to.deep.equal(own.map((_, i) => i + 1));
      const versions = new Map<string, number>();
      for (const { part } of own) {
        expect(part.version, part.item).to.be.greaterThan(versions.get(part.item) ?? 0);
        versions.set(part.item, part.version);
      }
    }
  };

  it('gives dense positions and misses nothing while 16 writers commit out of order', async () => {
    const heard = await Promise.all([1, 2].map((env) => world.hear(env)));
    const publisher = world.own(startPublisher(world.deps));
    const ids = await writers(16, 40);
    await allTold();
    await expectComplete(ids);
    const told = await stream();
    for (const [i, batches] of heard.entries()) {
      const expected = told.filter(({ env }) => env === i + 1).map(({ position, part }) => [position, part.id]);
      const flat = (): unknown[] =>
        batches.flatMap(({ first, rows }) => rows.map(({ parts }, n) => [first + n, (parts[0] as Told['part']).id]));
      await until('all batches were heard', () => flat().length === expected.length);
      expect(flat()).to.deep.equal(expected);
    }
    await publisher.stop();
  });

  it('tells a backlog in its order, in messages of which each is small enough, with the counts at the end', async () => {
    const [heard, others] = await Promise.all([1, 2].map((env) => world.hear(env)));
    await world.sql(
      `insert into outbox (id, env, at, inbox, deltas, whole) select n, 1 + n % 2, 1, 'inbox', '{"total":1}', true from generate_series(1, 2600) n`,
    );
    await world.sql(
      `insert into stream_parts (id, env, parts) select id, env, '[{"id":' || id || ',"text":"' || repeat('ä', 4000) || '"}]' from outbox`,
    );
    const publisher = world.own(startPublisher(world.deps));
    const rows = (batches: LiveBatch[] = []): number => batches.reduce((sum, batch) => sum + batch.rows.length, 0);
    await until('all is heard', () => rows(heard) === 1300 && rows(others) === 1300);
    for (const [env, batches = []] of [heard, others].entries()) {
      const told = batches.flatMap((batch) =>
        batch.rows.map(({ parts }, n) => [batch.first + n, (parts[0] as { id: number }).id]),
      );
      expect(told).to.deep.equal(told.map((_, i) => [i + 1, 2 * (i + 1) - env]));
      for (const batch of batches) expect(Buffer.byteLength(JSON.stringify(batch))).to.be.below(1_020_000);
      expect(batches.length).to.be.above(10);
      expect(batches.at(-1)?.counts).to.deep.equal({ inbox: { total: 1300 } });
    }
    await publisher.stop();
  });

  it('goes on where it was when its connection is killed again and again', async () => {
    const publisher = world.own(startPublisher(world.deps));
    const writing = writers(8, 40);
    for (let i = 0; i < 15; i++) {
      await world.sql(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'console-publisher' and datname = current_database()",
      );
      await until(
        'it has another connection',
        async () =>
          (
            await world.sql(
              "select 1 from pg_stat_activity where application_name = 'console-publisher' and datname = current_database()",
            )
          ).length > 0,
      );
    }
    const ids = await writing;
    await allTold();
    await expectComplete(ids);
    await publisher.stop();
  });

  it('does nothing under a fence that is not its own any more', async () => {
    const { db } = world.deps;
    const first = await acquireLeaderLease(db, 'publisher', newHolderName('first'));
    expect(await acquireLeaderLease(db, 'publisher', newHolderName('second'))).to.equal(null);
    await world.sql('update leases set until = 0');
    const second = await acquireLeaderLease(db, 'publisher', newHolderName('second'));
    if (first === null || second === null) throw new Error('no lease');
    await world.sql("insert into outbox (id, env, at, parts) values (1, 1, 1, '[{}]')");
    expect(await publishBatch(db, first, { now: 1, advance: true })).to.deep.equal({
      leaseHeld: false,
      taken: 0,
      messages: [],
      heads: [],
      traces: [],
    });
    expect(await stream()).to.have.length(0);
    expect((await publishBatch(db, second, { now: 1, advance: true })).taken).to.equal(1);
  });

  it('is relieved when it freezes, and writes nothing when it wakes up', async () => {
    const holder = async (): Promise<{ holder: string; fence: string } | undefined> =>
      (
        await world.sql<{ holder: string; fence: string }>(
          // It has compared the timeline: frozen in that transaction it would hold the lease's row until PostgreSQL ends it.
          "select holder, fence from leases where name = 'publisher' and timeline is not null",
        )
      )[0];
    const child = await world.child('publisher');
    const before = await until('the child leads', holder);
    const frozenAt = writers(8, 10);
    child.kill('SIGSTOP');
    const publisher = world.own(startPublisher(world.deps));
    const relief = await until('another leads', async () => {
      const now = await holder();
      return now !== undefined && now.holder !== before.holder && now;
    });
    const ids = [...(await frozenAt), ...(await writers(8, 10))];
    child.kill('SIGCONT');
    ids.push(...(await writers(8, 20)));
    await allTold();
    await expectComplete(ids.sort((a, b) => a - b));
    // By another fence, where a busy machine let its lease run out meanwhile.
    expect((await holder())?.holder).to.equal(relief.holder);
    await publisher.stop();
    await until('the other leads again', async () => (await holder())?.holder === before.holder);
  });
});
