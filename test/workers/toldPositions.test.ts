/** The publisher on data that have gone back without a new timeline, and on a Redis that says what nobody has told. */
import { expect } from 'chai';
import { acquirePublisherLease, newHolderName, type PublisherLease } from '../../shared/platform/leases/leaderLease.ts';
import { redisKeys } from '../../shared/platform/redis/bus.ts';
import { startPublisher } from '../../workers/outbox/publisher.ts';
import { followTold, keepTold } from '../../workers/outbox/toldPositions.ts';
import { until } from '../support/until.ts';
import { newJobsWorld, type JobsWorld } from './jobsWorld.ts';

describe('what streams have told of', () => {
  let world: JobsWorld;
  let lease: PublisherLease;
  beforeEach(async () => {
    world = await newJobsWorld();
    const acquired = await acquirePublisherLease(world.deps.db, newHolderName('test'));
    if (acquired === null) throw new Error('no lease');
    lease = acquired;
    await world.sql('insert into streams (env, position) values (1, 7)');
  });
  afterEach(() => world.close());

  const follow = (): ReturnType<typeof followTold> => followTold(world.deps.db, lease, world.deps.redis);
  const epochs = async (): Promise<number[]> =>
    (await world.sql<{ epoch: number }>('select epoch from environments order by id')).map(({ epoch }) => epoch);
  const ended = async (): Promise<number[][]> =>
    (
      await world.sql<{ env: number; epoch: number; last: number }>('select * from stream_epochs order by env, epoch')
    ).map(({ env, epoch, last }) => [env, epoch, Number(last)]);
  const [first, second] = [1, 1];

  it('changes nothing while the streams are as far as was told, or further', async () => {
    expect(await follow()).to.deep.equal({ behind: [], revision: null });
    await keepTold(world.deps.redis, [
      { env: 1, epoch: first, position: 7 },
      { env: 2, epoch: second, position: 0 },
    ]);
    expect(await follow()).to.deep.equal({ behind: [], revision: null });
    await world.sql('update streams set position = 8 where env = 1');
    expect(await follow()).to.deep.equal({ behind: [], revision: null });
    expect(await epochs()).to.deep.equal([first, second]);
    expect(await ended()).to.deep.equal([]);
  });

  it('ends the epoch of a stream that is behind where it is, and of no other one', async () => {
    await keepTold(world.deps.redis, [
      { env: 1, epoch: first, position: 9 },
      { env: 2, epoch: second, position: 0 },
    ]);
    const { behind, revision } = await follow();
    expect(behind.map(({ env, position, told }) => [env, Number(position), Number(told)])).to.deep.equal([[1, 7, 9]]);
    expect(revision).to.be.greaterThan(0);
    const [begun, other] = await epochs();
    expect(begun).to.be.greaterThan(first);
    expect(other).to.equal(second);
    expect(await ended()).to.deep.equal([[1, first, 7]]);
    expect((await follow()).behind).to.deep.equal([]);
  });

  it('ends it too when the data are of before an epoch that was told', async () => {
    await keepTold(world.deps.redis, [{ env: 1, epoch: first + 40, position: 3 }]);
    expect((await follow()).behind).to.have.length(1);
    expect(await ended()).to.deep.equal([[1, first, 7]]);
  });

  it('begins nothing after an epoch that was begun by hand, nor for a holder that has lost the lease', async () => {
    await keepTold(world.deps.redis, [{ env: 1, epoch: first, position: 9 }]);
    await world.sql('update leases set fence = fence + 1');
    expect((await follow()).behind).to.deep.equal([]);
    await world.sql('update leases set fence = fence - 1');
    await world.sql('update environments set epoch = epoch + 1');
    expect((await follow()).behind).to.deep.equal([]);
  });

  it('takes nothing of a Redis that says what no publisher has written, and goes on without one', async () => {
    const { command, key } = world.deps.redis;
    await command.hset(key(redisKeys.told), { '1': '-1:8', '2': '9:', '1 or 1=1': '9:9', '3': '9999999999:1' });
    expect((await follow()).behind).to.deep.equal([]);
    await command.del(key(redisKeys.told));
    await command.set(key(redisKeys.told), 'garbage');
    expect((await follow()).behind).to.deep.equal([]);
    expect(await keepTold(world.deps.redis, [{ env: 1, epoch: first, position: 9 }])).to.equal(false);
  });

  it('lets every reader go on after a forged position, as none is ahead of the stream', async () => {
    await world.deps.redis.command.hset(world.deps.redis.key(redisKeys.told), { '1': '999999999:999999999999999' });
    await follow();
    expect(await ended()).to.deep.equal([[1, first, 7]]);
    const [begun = 0] = await epochs();
    expect(begun).to.be.below(first + 2 ** 15 + 1);
  });

  it('is kept by the publisher with each batch', async () => {
    await world.sql('update leases set until = 0');
    const publisher = world.own(startPublisher(world.deps));
    await world.sql("insert into outbox (id, env, at, parts) values (1, 1, 1, '[{}]')");
    const { command, key } = world.deps.redis;
    await until('it is told', async () => (await command.hget(key(redisKeys.told), '1')) === `${String(first)}:8`);
    await publisher.stop();
  });
});
