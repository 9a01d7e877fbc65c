/** The same messages over HTTP: `GET /changes`. */
import { expect } from 'chai';
import type { ChangesPage, ChangesQuery } from '../../api/live/changes.ts';
import { Fault } from '../../shared/catalogue/errors.ts';
import type { Grant } from '../../shared/catalogue/permissions.ts';
import { patience } from '../support/patience.ts';
import { entry, item, newLiveWorld, until, type Api, type LiveWorld, type Message } from './liveWorld.ts';

describe('changes', () => {
  let world: LiveWorld;
  let api: Api;
  let token: string;
  before(async () => {
    world = await newLiveWorld();
    await world.environment('staging');
    api = await world.api();
    const support: Grant[] = [{ on: 'inbox:support', can: ['see'] }];
    await world.role('support', support);
    ({ token } = await world.agent('support'));
  });
  afterEach(() => world.hangUp());
  after(() => world.close());

  const changes = async (
    query: ChangesQuery,
    signal = new AbortController().signal,
    from: Api = api,
    as = token,
  ): Promise<ChangesPage & { changes: Message[] }> => {
    const env = from.deps.directory.environment('production');
    const session = await from.deps.directory.sessionByToken(as);
    if (env === undefined || session === null) throw new Error('no session');
    return (await from.live.changes(
      { caller: { env, principal: session.principal, requestId: null, address: null }, session },
      { query },
      signal,
    )) as ChangesPage & { changes: Message[] };
  };
  const titles = (found: { changes: Message[] }): unknown[] =>
    found.changes.map((message) => (message['item'] as { title: string }).title);

  it('begins now, and gives what comes after as the stream does', async () => {
    const start = await changes({});
    expect(start).to.deep.include({ changes: [], reset: null });
    const subscriber = await world.listening(api, { token });
    await world.publish([[item('a'), entry('note', { text: 'x' })], [item('hidden', { inbox: 'billing' })]]);
    await subscriber.next('timeline');
    const found = await changes({ after: start.cursor });
    expect(found.changes).to.deep.equal(subscriber.messages.filter(({ type }) => type !== 'hello'));
    expect(found.changes[0]?.prev).to.equal(start.cursor);
    expect(await changes({ after: found.cursor })).to.deep.equal({
      changes: [],
      cursor: found.cursor,
      more: false,
      reset: null,
    });
  });

  it('gives by time all that came since, where a clock was ahead and a change committed late', async () => {
    const env = api.deps.directory.environment('staging');
    if (env === undefined) throw new Error('no environment');
    const { token: own } = await world.agent('support', { environments: ['staging'] });
    const session = await api.deps.directory.sessionByToken(own);
    if (session === null) throw new Error('no session');
    const at = Date.now();
    const times = { fast: [30, 30, 30, 30], late: [-20, -20, -20], last: [1] };
    for (const [title, seconds] of Object.entries(times))
      for (const later of seconds) {
        const position = await world.publish([[item(title)]], { env: env.id });
        await world
          .db('stream')
          .where({ env: env.id, position })
          .update({ at: at + later * 1_000 });
      }
    const since = (): Promise<ChangesPage> =>
      api.live.changes(
        { caller: { env, principal: session.principal, requestId: null, address: null }, session },
        { query: {}, filter: { since: at, types: null, isAbout: null, isBy: null } },
        new AbortController().signal,
      );
    const found = await since();
    expect(titles(found as { changes: Message[] })).to.deep.equal(['fast', 'fast', 'fast', 'fast', 'last']);
    expect(found).not.to.have.property('completeSince');
    await world.db('stream').where({ env: env.id }).andWhere('position', '<=', 4).delete();
    await world.db('streams').where({ env: env.id }).update({ trimmed: 4 });
    const rest = await since();
    expect(titles(rest as { changes: Message[] })).to.deep.equal(['last']);
    expect(rest.completeSince).to.equal(at + 40_000);
  });

  it('pages by limit, inside a row too, each page chained to the cursor before it', async () => {
    let { cursor } = await changes({});
    await world.publish([
      [item('p1'), entry('note', { text: 'x' })],
      [item('p2'), entry('note', { text: 'y' })],
      [item('hidden', { inbox: 'billing' })],
      [item('p3')],
    ]);
    await until('it is known', async () => (await changes({ after: cursor })).changes.length === 5);
    const types: string[] = [];
    for (;;) {
      const page = await changes({ after: cursor, limit: 1 });
      expect(page.more).to.equal(page.changes.length === 1);
      if (page.changes.length === 0) break;
      expect(page.changes.length).to.equal(1);
      expect(page.changes[0]?.prev).to.equal(cursor);
      types.push(page.changes[0]?.type ?? '');
      ({ cursor } = page);
    }
    expect(types).to.deep.equal(['item', 'timeline', 'item', 'timeline', 'item']);
  });

  it('moves the cursor on past what the role does not see', async () => {
    const start = await changes({});
    await world.publish(Array.from({ length: 500 }, () => [item('hidden', { inbox: 'billing' })]));
    const passed = await until('it has passed', async () => {
      const found = await changes({ after: start.cursor });
      return found.cursor !== start.cursor && found;
    });
    expect(passed.changes).to.deep.equal([]);
    await world.publish([[item('seen')]]);
    const found = await until('it comes', async () => {
      const next = await changes({ after: passed.cursor });
      return next.changes.length > 0 && next;
    });
    expect(titles(found)).to.deep.equal(['seen']);
    expect(found.changes[0]?.prev).to.equal(passed.cursor);
  });

  it('waits for the first change, whether Redis tells of it or not, and no longer than it was asked to', async () => {
    const start = await changes({});
    const waiting = changes({ after: start.cursor, wait: 10_000 });
    await world.publish([[item('hidden', { inbox: 'billing' })]]);
    await world.publish([[item('w1')]]);
    const first = await waiting;
    expect(titles(first)).to.deep.equal(['w1']);
    const again = changes({ after: first.cursor, wait: 10_000 });
    await world.publish([[item('w2')]], { hint: false });
    const second = await again;
    expect(titles(second)).to.deep.equal(['w2']);
    const since = performance.now();
    expect((await changes({ after: second.cursor, wait: 300 })).changes).to.deep.equal([]);
    expect(performance.now() - since).to.be.within(290, 1_500 * patience);
  });

  it('tells nothing more of what comes while it waits once the token or its environment is gone, or the role is another', async () => {
    await world.role('narrowed', [{ on: 'inbox:support', can: ['see'] }]);
    const [revoked, moved, narrowed] = await Promise.all([
      world.agent('support'),
      world.agent('support'),
      world.agent('narrowed'),
    ]);
    const { cursor } = await changes({});
    for (const { token: known } of [revoked, moved, narrowed]) await api.deps.directory.sessionByToken(known);
    const ends = [revoked, moved, narrowed].map((agent) =>
      changes({ after: cursor, wait: 30_000 }, undefined, api, agent.token).then(
        ({ changes: told, reset }) => ({ told, reset }),
        (error: unknown) => (error instanceof Fault ? error.code : error),
      ),
    );
    await world.db('agents').where({ id: revoked.id }).update({ revoked_at: Date.now() });
    await world
      .db('agents')
      .where({ id: moved.id })
      .update({ environments: ['staging'] });
    await world.db('roles').where({ name: 'narrowed' }).update({ grants: '[]' });
    await world.changed();
    await world.known();
    await world.publish([[item('later')]]);
    expect(await Promise.all(ends)).to.deep.equal(['unauthorized', 'not_found', { told: [], reset: 'role' }]);
  });

  it('tells nothing that it was still reading when the role became another', async () => {
    await world.role('leaving', [{ on: 'inbox:support', can: ['see'] }]);
    const { token: known } = await world.agent('leaving');
    // Another API than the others read at, so that no page of the log is known there.
    const other = await world.api();
    const { cursor } = await changes({}, undefined, api);
    await world.publish([[item('read late')]]);
    const { answered } = await world.db.transaction(async (tx) => {
      await tx.raw('lock table stream in access exclusive mode');
      const late = changes({ after: cursor }, undefined, other, known);
      await until('it waits for the log', async () => {
        const { rows } = await world.db.raw<{ rows: object[] }>(
          "select from pg_locks where relation = 'stream'::regclass and not granted",
        );
        return rows.length > 0;
      });
      await world.role('leaving', []);
      await world.known();
      // In an object, as a transaction awaits what it returns.
      return { answered: late };
    });
    expect(await answered).to.deep.include({ changes: [], reset: 'role' });
  });

  it('answers at once when the client goes away or the process stops', async () => {
    const gone = new AbortController();
    const waiting = changes({ wait: 30_000 }, gone.signal);
    gone.abort();
    expect((await waiting).changes).to.deep.equal([]);
    const other = await world.api();
    const stopped = changes({ wait: 30_000 }, undefined, other);
    await other.live.stop();
    expect((await stopped).changes).to.deep.equal([]);
  });

  it('says when to start anew, and refuses what is no offset', async () => {
    const staging = api.deps.directory.environment('staging');
    const other = staging?.seal.offset({ epoch: 1, position: 1, part: 0 }) ?? '';
    const found = await changes({ after: other });
    expect(found).to.deep.include({ changes: [], reset: 'epoch' });
    expect((await changes({ after: found.cursor })).reset).to.equal(null);
    const start = await changes({});
    const position = await world.publish([[item('g1')], [item('g2')]]);
    await world.db('stream').where({ env: 1 }).andWhere('position', '<=', position).delete();
    await world.db('streams').where({ env: 1 }).update({ trimmed: position });
    expect((await changes({ after: start.cursor })).reset).to.equal('gone');
    const failure = await changes({ after: 'garbage' }).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Fault).and.to.include({ code: 'bad_cursor', status: 400 });
  });
});
