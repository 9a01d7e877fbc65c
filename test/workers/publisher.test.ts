/** The publishers' promises: dense positions, nothing missed or doubled, one writer of an environment at a time. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { partsOf } from '../../shared/platform/journal/inserts.ts';
import { acquirePublisherLease, newHolderName, partitionOf } from '../../shared/platform/leases/leaderLease.ts';
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
  let environments: number;
  beforeEach(async () => {
    world = await newJobsWorld();
    environments = 2;
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
      const parts = JSON.stringify([
        { id, item: `${item} of ${String(1 + (id % environments))}`, version: row?.version },
      ]);
      // Every third one as releases before 0079 write it.
      const isOld = id % 3 === 0;
      await client.query('insert into outbox (id, env, at, parts) values ($1, $2, 1, $3)', [
        id,
        1 + (id % environments),
        isOld ? parts : null,
      ]);
      if (!isOld)
        await client.query('insert into stream_parts (id, env, parts) values ($1, $2, $3)', [
          id,
          1 + (id % environments),
          parts,
        ]);
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
    for (let env = 1; env <= environments; env++) {
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

  /** Whether a statement under the lease of this holder would be good. */
  const isShared = async (holder: string): Promise<boolean> =>
    (
      await world.sql(
        'select from leases where name = $1 and until > extract(epoch from clock_timestamp()) * 1000 and fence > 0',
        [`publisher ${holder}`],
      )
    ).length > 0;
  const publishers = async (): Promise<string[]> =>
    (await world.sql<{ holder: string }>("select holder from leases where name like 'publisher %' order by name")).map(
      ({ holder }) => holder,
    );
  /** Holders are named after host and process id. */
  const holderOf = async ({ pid }: ChildProcess): Promise<string> =>
    until('the child has a lease', async () =>
      (await publishers()).find((holder) => holder.includes(`-${String(pid)}-`)),
    );
  const sharedBy = async (count: number): Promise<void> => {
    await until(`${String(count)} share`, async () => {
      const all = await publishers();
      return all.length === count && (await Promise.all(all.map(isShared))).every(Boolean);
    });
  };

  it('does nothing under a fence that is not its own any more', async () => {
    const { db } = world.deps;
    const first = await acquirePublisherLease(db, newHolderName('first'));
    const second = await acquirePublisherLease(db, newHolderName('second'));
    if (first === null || second === null) throw new Error('no lease');
    await world.sql("insert into outbox (id, env, at, parts) select n, n, 1, '[{}]' from generate_series(1, 2) n");
    expect(await publishBatch(db, first, { now: 1, advance: true })).to.deep.equal({
      leaseHeld: false,
      shared: false,
      taken: 0,
      messages: [],
      heads: [],
      traces: [],
    });
    expect(await stream()).to.have.length(0);
    const own = await publishBatch(db, second, { now: 1, advance: true });
    expect([own.leaseHeld, own.shared, own.taken]).to.deep.equal([true, true, 1]);
    expect(second.partitions).to.include(partitionOf((await stream())[0]?.env ?? 0));
    await world.sql('update leases set until = 0 where name = $1', [second.name]);
    const alone = await acquirePublisherLease(db, first.holder);
    expect(alone?.partitions).to.equal(null);
    if (alone !== null) expect((await publishBatch(db, alone, { now: 1, advance: true })).taken).to.equal(1);
  });

  it('shares all environments evenly with others, each with one of them', async () => {
    const { db } = world.deps;
    const told = await world.sql<{ env: number; partition: number }>(
      'select env, outbox_partition(env) as partition from (select generate_series(1, 100) union select 2147483647) e (env)',
    );
    for (const { env, partition } of told) expect(partitionOf(env), String(env)).to.equal(partition);
    expect(new Set(told.filter(({ env }) => env <= 8).map(({ partition }) => partition)).size).to.equal(8);
    const holders: string[] = [];
    for (const sizes of [[8], [4, 4], [2, 3, 3], [2, 2, 2, 2]]) {
      holders.push(newHolderName('one'));
      // The last one comes, and the others find that they have to share anew.
      const leases = await Promise.all(holders.toReversed().map((holder) => acquirePublisherLease(db, holder)));
      const shares = await Promise.all(
        leases.map(async (lease) => (await acquirePublisherLease(db, lease?.holder ?? ''))?.partitions),
      );
      const parts = shares.map((share) => share ?? [0, 1, 2, 3, 4, 5, 6, 7]);
      expect(parts.map(({ length }) => length).toSorted((a, b) => a - b)).to.deep.equal(sizes);
      expect(parts.flat().toSorted((a, b) => a - b)).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7]);
    }
  });

  it('does not publish beside one of an earlier release, which has the lease for all', async () => {
    const { db } = world.deps;
    const acquireAll = (holder: string): Promise<unknown[]> =>
      world.sql(
        `insert into leases (name, holder, fence, until) values ('publisher', $1, 1, (extract(epoch from clock_timestamp()) * 1000)::bigint + 3000)
        on conflict (name) do update set holder = excluded.holder, fence = leases.fence + 1, until = excluded.until
        where leases.until <= extract(epoch from clock_timestamp()) * 1000 or leases.holder = excluded.holder returning fence`,
        [holder],
      );
    const endLeaseOf = (name: string): Promise<unknown> =>
      world.sql('update leases set until = 0 where name = $1', [name]);
    const ours = await acquirePublisherLease(db, newHolderName('ours'));
    if (ours === null) throw new Error('no lease');
    expect(await acquireAll('earlier')).to.deep.equal([]);
    expect((await publishBatch(db, ours, { now: 1, advance: true })).leaseHeld).to.equal(true);

    // A statement that takes longer than the lease lasts: the row is locked, as it renews the lease first.
    await endLeaseOf(ours.name);
    const slow = await world.owner.connect();
    await slow.query('begin');
    await slow.query('update leases set until = 9e15 where name = $1', [ours.name]);
    const waits = acquireAll('earlier');
    await until('it waits', async () => (await world.sql('select from pg_locks where not granted')).length > 0);
    await slow.query('commit');
    slow.release();
    expect(await waits).to.deep.equal([]);

    await endLeaseOf(ours.name);
    expect(await acquireAll('earlier')).to.have.length(1);
    expect((await publishBatch(db, ours, { now: 1, advance: true })).leaseHeld).to.equal(false);
    expect(await acquirePublisherLease(db, ours.holder)).to.equal(null);
    expect(await acquireAll('earlier')).to.have.length(1);
    await endLeaseOf('publisher');
    expect((await acquirePublisherLease(db, ours.holder))?.partitions).to.equal(null);
    expect(await acquireAll('earlier')).to.deep.equal([]);
  });

  describe('beside others', () => {
    beforeEach(async () => {
      environments = 8;
      await world.sql(
        `insert into environments (id, name, seal_key, created_at) select n, 'env' || n, seal_key, 0 from environments, generate_series(3, 8) n where id = 1`,
      );
    });

    it('publishes its own environments while another publishes nothing', async () => {
      const [frozen] = [await world.child('publisher'), await world.child('publisher')];
      await sharedBy(2);
      const slow = await world.owner.connect();
      await slow.query('begin');
      // Its next statement waits for the row.
      await slow.query('select from leases where name = $1 for update', [`publisher ${await holderOf(frozen)}`]);
      await world.sql("insert into outbox (id, env, at, parts) select n, n, 1, '[{}]' from generate_series(1, 8) n");
      await until('half of them are told', async () => (await stream()).length >= 4);
      const told = new Set((await stream()).map(({ env }) => Math.floor(partitionOf(env) / 4)));
      expect([told.size, await stream()]).to.satisfy(
        ([size, rows]: [number, Told[]]) => size === 1 && rows.length === 4,
      );
      await slow.query('commit');
      slow.release();
      await allTold();
      expect(await stream()).to.have.length(8);
    });

    it('misses and doubles nothing while workers are killed, frozen, woken, stopped and started', async () => {
      const heard = await Promise.all(Array.from({ length: environments }, (_, i) => world.hear(i + 1)));
      const writing: Promise<number[]>[] = [];
      const write = (): void => void writing.push(writers(8, 15));
      write();
      const children = [await world.child('publisher'), await world.child('publisher'), await world.child('publisher')];
      await sharedBy(3);
      const [killed, frozen, stopped] = await Promise.all(
        children.map(async (child) => ({ child, holder: await holderOf(child) })),
      );
      if (killed === undefined || frozen === undefined || stopped === undefined) throw new Error('too few');
      const gone = ({ holder }: typeof killed): Promise<unknown> =>
        until('its lease has gone', async () => !(await publishers()).includes(holder));
      write();
      killed.child.kill('SIGKILL');
      write();
      await gone(killed);
      await sharedBy(2);
      frozen.child.kill('SIGSTOP');
      write();
      await gone(frozen);
      await sharedBy(1);
      await world.child('publisher');
      write();
      await sharedBy(2);
      frozen.child.kill('SIGCONT');
      write();
      await sharedBy(3);
      const ended = once(stopped.child, 'exit');
      stopped.child.kill('SIGTERM');
      write();
      expect(await ended).to.deep.equal([0, null]);
      await sharedBy(2);
      const ids = (await Promise.all(writing)).flat().sort((a, b) => a - b);
      await allTold();
      await expectComplete(ids);
      const told = await stream();
      for (const [i, batches] of heard.entries()) {
        const own = told.filter(({ env }) => env === i + 1);
        // One that was frozen or killed between the commit and the message tells of it late or not at all: then the log is read.
        for (const { first, rows } of batches)
          for (const [n, { parts }] of rows.entries())
            expect((parts[0] as Told['part']).id).to.equal(own[first - 1 + n]?.part.id);
      }
    });
  });
});
