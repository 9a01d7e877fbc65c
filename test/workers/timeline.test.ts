/** The publisher on a PostgreSQL that was another one before: a promoted standby, a restored backup, a dump in a new system. */
import { expect } from 'chai';
import { acquirePublisherLease, newHolderName, type PublisherLease } from '../../shared/platform/leases/leaderLease.ts';
import { publishBatch } from '../../workers/outbox/publishBatch.ts';
import { followTimeline } from '../../workers/outbox/timeline.ts';
import { newJobsWorld, type JobsWorld } from './jobsWorld.ts';

describe('the publisher’s timeline', () => {
  let world: JobsWorld;
  let lease: PublisherLease;
  beforeEach(async () => {
    world = await newJobsWorld();
    const acquired = await acquirePublisherLease(world.deps.db, newHolderName('test'));
    if (acquired === null) throw new Error('no lease');
    lease = acquired;
    await world.sql('insert into streams (env, position) values (1, 7) on conflict (env) do update set position = 7');
  });
  afterEach(() => world.close());

  const epochs = async (): Promise<number[]> =>
    (await world.sql<{ epoch: number }>('select epoch from environments order by id')).map(({ epoch }) =>
      Number(epoch),
    );
  const ended = async (): Promise<number[][]> =>
    (
      await world.sql<{ env: number; epoch: number; last: number }>('select * from stream_epochs order by env, epoch')
    ).map(({ env, epoch, last }) => [Number(env), Number(epoch), Number(last)]);
  const pretend = async (timeline: string): Promise<void> => {
    await world.sql(`update leases set timeline = '${timeline}'`);
  };
  const streamOf = async (env: number): Promise<number> =>
    Number(
      (
        await world.sql<{ position: number }>(
          `select coalesce(max(position), 0) as position from streams where env = ${String(env)}`,
        )
      )[0]?.position,
    );

  it('is noted as the service’s own role finds it, and nothing begins while it stays', async () => {
    const before = await epochs();
    const { timeline, revision } = await followTimeline(world.deps.db, lease);
    expect(timeline).to.match(/^[0-9A-F]{8}$/);
    expect(revision).to.equal(null);
    const [noted] = await world.sql<{ timeline: string }>("select timeline from leases where name = 'publisher'");
    expect(noted?.timeline).to.match(new RegExp(`^\\d+ ${String(timeline)}$`));
    expect((await followTimeline(world.deps.db, lease)).revision).to.equal(null);
    expect(await epochs()).to.deep.equal(before);
    expect(await ended()).to.deep.equal([]);
  });

  for (const [what, known] of [
    ['a standby was promoted', (now: string) => now.replace(/.{8}$/, '00000000')],
    ['a dump was loaded into another system', (now: string) => now.replace(/^\d+/, '1')],
  ] as const)
    it(`ends every epoch where it is once ${what}`, async () => {
      await followTimeline(world.deps.db, lease);
      const [{ timeline: now } = { timeline: '' }] = await world.sql<{ timeline: string }>(
        "select timeline from leases where name = 'publisher'",
      );
      const [{ n } = { n: 0 }] = await world.sql<{ n: number }>('select n from revisions');
      await pretend(known(now));
      const before = await epochs();
      const { revision } = await followTimeline(world.deps.db, lease);
      expect(revision).to.be.greaterThan(Number(n));
      const after = await epochs();
      expect(after.every((epoch, i) => epoch > (before[i] ?? 0))).to.equal(true);
      expect(await ended()).to.deep.equal(
        await Promise.all(before.map(async (epoch, i) => [i + 1, epoch, await streamOf(i + 1)])),
      );
      expect((await followTimeline(world.deps.db, lease)).revision).to.equal(null);
      expect(await epochs()).to.deep.equal(after);
    });

  it('forgets epochs that no offset leads to any more', async () => {
    await followTimeline(world.deps.db, lease);
    await world.sql('insert into stream_epochs (env, epoch, last) values (1, 100, 2), (1, 101, 6)');
    await world.sql('update streams set trimmed = 5 where env = 1');
    await pretend('1 00000000');
    await followTimeline(world.deps.db, lease);
    const kept = (await ended()).filter(([env]) => env === 1).map(([, epoch]) => epoch);
    expect(kept).to.include(101).and.not.include(100);
  });

  it('stops positions from being given by a connection that leads to another server now', async () => {
    const { timeline } = await followTimeline(world.deps.db, lease);
    await world.sql("insert into outbox (id, env, at, parts) values (1, 1, 1, '[{}]')");
    const elsewhere = await publishBatch(world.deps.db, { ...lease, timeline: '0000FFFF' }, { now: 1, advance: true });
    expect(elsewhere).to.deep.equal({ leaseHeld: false, shared: false, taken: 0, messages: [], heads: [], traces: [] });
    const here = await publishBatch(world.deps.db, { ...lease, timeline }, { now: 1, advance: true });
    expect(here.taken).to.equal(1);
    expect(here.messages[0]?.text).to.include(`"epoch":${String((await epochs())[0])},"first":8`);
  });

  it('begins nothing for a holder that has lost the lease', async () => {
    await followTimeline(world.deps.db, lease);
    await pretend('1 00000000');
    await world.sql('update leases set fence = fence + 1');
    const before = await epochs();
    expect((await followTimeline(world.deps.db, lease)).revision).to.equal(null);
    expect(await epochs()).to.deep.equal(before);
  });
});
