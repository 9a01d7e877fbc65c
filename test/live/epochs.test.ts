/** Streams after a failover of PostgreSQL: they go on where nothing was lost, and begin anew where something was. */
import { expect } from 'chai';
import type { Knex } from 'knex';
import { statementTime } from '../../shared/platform/db/sql.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import { item, newLiveWorld, until, type Api, type LiveWorld } from './liveWorld.ts';

describe('live stream after a failover', () => {
  let world: LiveWorld;
  let api: Api;
  let token: string;
  before(async () => {
    world = await newLiveWorld();
    api = await world.api();
    ({ token } = await world.agent('viewer'));
  });
  afterEach(() => world.hangUp());
  after(() => world.close());

  const titled = (...titles: string[]): object[][] => titles.map((title) => [item(title)]);

  /** Takes the last `lost` positions away and begins a new epoch, as a publisher does that finds itself on such a server. */
  const lose = async (tx: Knex.Transaction, lost: number): Promise<number> => {
    const [head] = (await tx('streams').where({ env: 1 }).decrement('position', lost).returning('position')) as {
      position: number;
    }[];
    const last = Number(head?.position);
    await tx('stream').where({ env: 1 }).andWhere('position', '>', last).delete();
    const [begun] = (await tx('environments').where({ id: 1 }).increment('epoch', 500).returning('epoch')) as {
      epoch: number;
    }[];
    await tx('stream_epochs').insert({ env: 1, epoch: Number(begun?.epoch) - 500, last });
    return Number(begun?.epoch);
  };
  const failOver = async (lost: number): Promise<number> => {
    const epoch = await world.db.transaction((tx) => lose(tx, lost));
    await world.changed();
    return epoch;
  };

  it('goes on without a break when nothing was lost, for who stays and who comes back', async () => {
    const stays = await world.listening(api, { token });
    await world.publish(titled('kept 1', 'kept 2'));
    await until('both', () => stays.titles().length === 2);
    const [first] = stays.of('item');
    await failOver(0);
    await world.publish(titled('later'), { hint: false });
    const back = await world.listening(api, { token, query: `?after=${first?.offset ?? ''}` });
    await until('what came later', () => stays.titles().includes('later') && back.titles().includes('later'));
    expect(stays.titles()).to.deep.equal(['kept 1', 'kept 2', 'later']);
    expect(back.titles()).to.deep.equal(['kept 2', 'later']);
    for (const subscriber of [stays, back]) {
      expect(subscriber.of('reset')).to.deep.equal([]);
      expect(subscriber.broken).to.deep.equal([]);
    }
  });

  it('resets who was told of what is lost, even once the stream is further than they were', async () => {
    const stays = await world.listening(api, { token });
    await world.publish(titled('kept', 'lost 1', 'lost 2'));
    await until('all', () => stays.titles().length === 3);
    const [kept, , lost] = stays.of('item');
    await world.publish(titled('new 1', 'new 2', 'new 3', 'new 4'), { hint: false, before: (tx) => lose(tx, 2) });
    await world.changed();
    expect((await stays.next('reset'))['reason']).to.equal('epoch');
    await world.publish(titled('after'));
    await until('what comes after', () => stays.titles().includes('after'));
    expect(stays.titles()).to.deep.equal(['kept', 'lost 1', 'lost 2', 'after']);
    expect(stays.broken).to.deep.equal([]);

    const fresh = await world.api();
    const away = await world.listening(fresh, { token, query: `?after=${lost?.offset ?? ''}` });
    expect((await away.next('reset'))['reason']).to.equal('epoch');
    expect(away.titles()).to.deep.equal([]);
    const before = await world.listening(fresh, { token, query: `?after=${kept?.offset ?? ''}` });
    await until('everything since', () => before.titles().includes('after'));
    expect(before.titles()).to.deep.equal(['new 1', 'new 2', 'new 3', 'new 4', 'after']);
    expect(before.of('reset')).to.deep.equal([]);
    await fresh.stop();
  });

  it('resets who comes back while what they were told of is being lost', async () => {
    const stays = await world.listening(api, { token });
    const position = await world.publish(titled('kept'));
    await until('it', () => stays.titles().includes('kept'));
    const env = api.deps.directory.environment('production');
    if (env === undefined) throw new Error('no environment');
    const lost = 10;
    // The head names messages that nobody can read before the failover, after which they are gone.
    const tx = await world.db.transaction();
    await tx.raw('lock table stream in access exclusive mode');
    await world.db('streams').where({ env: 1 }).increment('position', lost);
    const after = env.seal.offset({ epoch: env.epoch, position: position + lost, part: 255 });
    const heads = statementTime('live.head');
    const { count } = heads;
    const back = world.subscribe(api, { token, query: `?after=${after}` });
    await until('the head is read', () => heads.count > count);
    await lose(tx, lost);
    await tx.commit();
    await world.changed();
    await back.next('hello');
    const titles = Array.from({ length: 2 * lost }, (_, i) => `new ${String(i)}`);
    await world.publish(titled(...titles));
    await until('the last', () => back.titles().includes(titles.at(-1) ?? ''));
    expect(back.of('reset').map(({ reason }) => reason)).to.deep.equal(['epoch']);
    expect(back.titles()).to.deep.equal(titles);
    expect(stays.titles()).to.deep.equal(['kept', ...titles]);
    expect([back.broken, stays.broken]).to.deep.equal([[], []]);
  });

  it('tells those who wait over HTTP at once, as what they were told of may be lost', async () => {
    await world.publish(titled('kept', 'lost'));
    const env = api.deps.directory.environment('production');
    const session = await api.deps.directory.sessionByToken(token);
    if (env === undefined || session === null) throw new Error('no session');
    const { principal } = session;
    const caller = { env, principal, requestId: null, address: null };
    const stays = await world.listening(api, { token });
    const signal = new AbortController().signal;
    const now = await api.live.changes({ caller, session }, { query: {} }, signal);
    const waiting = api.live.changes({ caller, session }, { query: { after: now.cursor, wait: 60_000 } }, signal);
    await failOver(1);
    await stays.next('reset');
    expect(await waiting).to.deep.include({ changes: [], reset: 'epoch' });
  });

  it('appends no message of an epoch that it does not know, and gives no offset of it', async () => {
    const stays = await world.listening(api, { token });
    const position = await world.publish(titled('known'));
    await until('it', () => stays.titles().includes('known'));
    const row = { at: Date.now(), parts: [item('unknown')] };
    world.publisher?.bus.publish(
      channels.live(1),
      JSON.stringify({ kind: 'batch', epoch: 4_711, first: position + 1, rows: [row], counts: {}, at: row.at }),
    );
    await world.publish(titled('next'));
    await until('the next', () => stays.titles().includes('next'));
    expect(stays.titles()).to.deep.equal(['known', 'next']);
    expect(stays.broken).to.deep.equal([]);
  });

  it('names in responses the position of the epoch that a reader knows', async () => {
    const former = api.deps.directory.environment('production');
    if (former === undefined) throw new Error('no environment');
    const stays = await world.listening(api, { token });
    const position = await world.publish(titled('a', 'b'));
    await until('both', () => stays.titles().length === 2);
    await failOver(1);
    await stays.next('reset');
    await world.publish(titled('c', 'd', 'e'), { hint: false });
    const now = api.deps.directory.environment('production');
    if (now === undefined) throw new Error('no environment');
    expect(now.epoch).to.be.greaterThan(former.epoch);
    expect(await api.live.position(former)).to.equal(position - 1);
    await until('the look finds them', async () => (await api.live.position(now)) === position + 2);
  });
});
