/** The stream itself: hello, the chain, resuming, gaps, several processes. */
import { expect } from 'chai';
import { entry, item, newLiveWorld, refusal, until, type Api, type LiveWorld, type Subscriber } from './liveWorld.ts';

describe('live stream', () => {
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

  const whole = (subscriber: Subscriber): void => {
    expect(subscriber.broken).to.deep.equal([]);
  };

  it('says hello first, with who listens, the counts, and the offset at which it starts', async () => {
    const subscriber = await world.listening(api, { token });
    const [hello] = subscriber.messages;
    expect(hello).to.include({ type: 'hello', prev: null, resumed: false });
    expect(hello?.offset).to.match(/^[\w-]{22}$/);
    expect(hello?.['principal']).to.include({ type: 'agent', mode: 'normal', name: 'a viewer' });
    expect(hello?.['app']).to.deep.equal({ online: false });
    expect(hello?.['counts']).to.deep.include({
      support: {
        total: 0,
        open: 0,
        waiting: 0,
        closed: 0,
        byState: { open: 0, waiting: 0, closed: 0 },
        active: { total: 0, unassigned: 0, overdue: 0 },
        unassigned: 0,
        unclaimed: 0,
        snoozed: 0,
        triaged: 0,
        overdue: 0,
      },
    });
    await world.publish([[item('one'), entry('note', { text: 'hi' })]]);
    const heard = await subscriber.next('timeline');
    expect(subscriber.of('item')[0]?.prev).to.equal(hello?.offset);
    expect(heard.prev).to.equal(subscriber.of('item')[0]?.offset);
    whole(subscriber);
  });

  it('chains messages from before and after each other’s arrival, whether Redis told of them or not', async () => {
    const early = await world.listening(api, { token });
    await world.publish([[item('a')], [item('b')]]);
    const late = await world.listening(api, { token });
    await world.publish([[item('c')]], { hint: false });
    await world.publish([[item('d')]]);
    await until('all of them', () => early.titles().includes('d') && late.titles().includes('d'));
    await world.publish([[item('e')]], { hint: false });
    await until('the one that Redis lost', () => early.titles().includes('e') && late.titles().includes('e'), 3_000);
    expect(early.titles()).to.deep.equal(['a', 'b', 'c', 'd', 'e']);
    expect(late.titles().slice(-3)).to.deep.equal(['c', 'd', 'e']);
    whole(early);
    whole(late);
  });

  it('resumes from any message with nothing lost and nothing twice, also from the first part of a row', async () => {
    const full = await world.listening(api, { token });
    await world.publish([
      [item('r1'), entry('note', { text: '1' })],
      [item('r2'), entry('note', { text: '2' })],
      [item('r3')],
    ]);
    await until('r3', () => full.titles().includes('r3'));
    const told = full.messages.filter(({ type }) => type === 'item' || type === 'timeline');
    for (const [i, { offset }] of [...full.messages].entries()) {
      const from = full.messages.slice(i + 1).filter(({ type }) => type === 'item' || type === 'timeline');
      const resumed = await world.listening(api, { token, query: `?after=${offset}` });
      expect(resumed.messages[0]).to.include({ resumed: true, offset });
      await until('the rest', () => resumed.messages.length >= 1 + from.length);
      await world.publish([[item(`after ${String(i)}`)]]);
      await until('a live one', () => resumed.titles().includes(`after ${String(i)}`));
      const heard = resumed.messages.filter(({ type }) => type === 'item' || type === 'timeline');
      expect(heard.slice(0, from.length)).to.deep.equal(from);
      expect(new Set(heard.map((message) => message.offset)).size).to.equal(heard.length);
      whole(resumed);
    }
    expect(told.length).to.equal(5);
  });

  it('resumes where another process has left off that is ahead of this one', async () => {
    const env = api.deps.directory.environment('production');
    if (env === undefined) throw new Error('no environment');
    await world.listening(api, { token });
    for (const part of [0, 255]) {
      const position = await world.publish([[item('ahead'), entry('note', { text: 'ahead' })]], { hint: false });
      const after = env.seal.offset({ epoch: env.epoch, position, part });
      const resumed = await world.listening(api, { token, query: `?after=${after}` });
      await world.publish([[item('next')]]);
      await until('the next', () => resumed.titles().includes('next'));
      expect(resumed.messages.map(({ type }) => type)).to.deep.equal(
        part === 0 ? ['hello', 'timeline', 'item'] : ['hello', 'item'],
      );
      whole(resumed);
    }
  });

  it('joins log and live without a seam while 3,000 changes come in, over two processes and reconnections', async () => {
    const second = await world.api();
    const titles: string[] = [];
    const work = (async () => {
      for (let i = 0; i < 300; i++) {
        const rows = Array.from({ length: 10 }, (_, j) => [
          item(`s${String(i)}.${String(j)}`),
          entry('note', { text: 'x' }),
        ]);
        titles.push(...rows.map(([first]) => (first as { item: { title: string } }).item.title));
        await world.publish(rows, { hint: i % 7 !== 0 });
      }
    })();
    const start = await world.listening(api, { token });
    const offset = start.messages[0]?.offset ?? '';
    const clients = await Promise.all(
      [...Array(10).keys()].map(async (n) => {
        const heard: string[] = [];
        let after = offset;
        for (let turn = 0; ; turn++) {
          const subscriber = await world.listening(turn % 2 === n % 2 ? api : second, {
            token,
            query: `?after=${after}`,
          });
          await until(
            'some',
            () => subscriber.titles().length > 100 * (n + 1) || subscriber.titles().includes('s299.9'),
            20_000,
          );
          await subscriber.close();
          whole(subscriber);
          heard.push(...subscriber.titles());
          after = subscriber.last;
          if (heard.includes('s299.9')) return heard;
        }
      }),
    );
    await work;
    const begin = titles.indexOf(clients[0]?.[0] ?? '');
    for (const heard of clients) expect(heard).to.deep.equal(titles.slice(begin));
    await second.stop();
  });

  it('goes on while Redis is away and after it is back, within 2.5 s of each change', async () => {
    const subscriber = await world.listening(api, { token });
    world.redisGate.shut();
    await until('the bus notices', () => !api.deps.bus.connected);
    for (let i = 0; i < 3; i++) {
      await world.publish([[item(`away ${String(i)}`)]]);
      await until('it comes by the log', () => subscriber.titles().includes(`away ${String(i)}`), 2_500);
    }
    const resumed = await world.listening(api, { token, query: `?after=${subscriber.messages[0]?.offset ?? ''}` });
    await until('resuming needs no Redis', () => resumed.titles().length === 3);
    world.redisGate.open = true;
    await until('the bus is back', () => api.deps.bus.connected);
    await world.publish([[item('back')]]);
    await until('it comes', () => subscriber.titles().includes('back') && resumed.titles().includes('back'), 2_500);
    expect(subscriber.titles()).to.deep.equal(['away 0', 'away 1', 'away 2', 'back']);
    whole(subscriber);
    whole(resumed);
  });

  it('refuses with 503 while PostgreSQL is away, keeps the streams it has, and gives them everything once it is back', async () => {
    const subscriber = await world.listening(api, { token });
    await world.publish([[item('d1')]]);
    await until('d1', () => subscriber.titles().includes('d1'));
    world.databaseGate.shut();
    await world.publish([[item('d2')]]);
    await world.publish([[item('d3')]], { hint: false });
    const refused = await refusal(world.subscribe(api, { token, query: `?after=${subscriber.last}` }));
    expect([refused.status, refused.body.code, refused.headers['retry-after']]).to.deep.equal([
      503,
      'unavailable',
      '1',
    ]);
    await until('what Redis told of', () => subscriber.titles().includes('d2'));
    world.databaseGate.open = true;
    await until('what only the log has', () => subscriber.titles().includes('d3'), 5_000);
    expect(subscriber.titles()).to.deep.equal(['d1', 'd2', 'd3']);
    whole(subscriber);
  });

  it('starts anew when what comes after the offset was deleted, and goes on from there', async () => {
    const old = await world.listening(api, { token });
    const position = await world.publish([[item('x1')], [item('x2')]]);
    await until('x2', () => old.titles().includes('x2'));
    await world.db('stream').where({ env: 1 }).andWhere('position', '<=', position).delete();
    await world.db('streams').where({ env: 1 }).update({ trimmed: position });
    const gone = await world.listening(api, { token, query: `?after=${old.messages[0]?.offset ?? ''}` });
    expect((await gone.next('reset'))['reason']).to.equal('gone');
    expect(gone.messages[0]).to.include({ type: 'hello', resumed: false });
    const kept = await world.listening(api, { token, query: `?after=${old.last}` });
    const anew = await world.listening(api, { token, query: `?after=${gone.of('reset')[0]?.offset ?? ''}` });
    await world.publish([[item('x3')]]);
    for (const subscriber of [gone, kept, anew]) {
      await until('x3', () => subscriber.titles().includes('x3'));
      expect(subscriber.titles()).to.deep.equal(['x3']);
      whole(subscriber);
    }
    expect(kept.of('reset')).to.deep.equal([]);
  });

  it('knows the newest position, and a stream opened after it has every later change', async () => {
    const env = api.deps.directory.environment('production');
    if (env === undefined) throw new Error('no environment');
    const position = await world.publish([[item('p1')]], { hint: false });
    await until('the look finds it', async () => (await api.live.position(env)) === position, 3_000);
    const after = env.seal.offset({ epoch: env.epoch, position, part: 255 });
    await world.publish([[item('p2')]]);
    const subscriber = await world.listening(api, { token, query: `?after=${after}` });
    await until('p2', () => subscriber.titles().length > 0);
    expect(subscriber.titles()).to.deep.equal(['p2']);
    const fresh = await world.api();
    expect(await fresh.live.position(env)).to.equal(position + 1);
    await fresh.stop();
  });
});
