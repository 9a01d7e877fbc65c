/** The counts per inbox are exact at every moment, also what is overdue, whoever writes meanwhile. */
import { expect } from 'chai';
import { acquirePublisherLease, newHolderName } from '../../shared/platform/leases/leaderLease.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import { publishBatch } from '../../workers/outbox/publishBatch.ts';
import { startPublisher } from '../../workers/outbox/publisher.ts';
import { until } from '../support/until.ts';
import { newJobsWorld, type JobsWorld } from './jobsWorld.ts';

/**
 * In one snapshot: the counts, plus what is still in the outbox, is what the items are. `overdue` counts up
 * to the environment's mark.
 */
const differences = `
  with told as (
    select env, inbox, measure, n from counts
    union all select o.env, o.inbox, d.key, d.value::bigint from outbox o, jsonb_each_text(o.deltas) d
    union all select o.env, o.inbox, 'overdue', coalesce(due_to <= overdue_mark, false)::int - coalesce(due_from <= overdue_mark, false)::int
      from outbox o join streams using (env)
    union all select o.env, o.inbox, 'activeOverdue', coalesce(awake_to <= overdue_mark, false)::int - coalesce(awake_from <= overdue_mark, false)::int
      from outbox o join streams using (env)
    union all select env, inbox, '#' || tag, n from tag_counts
    union all select env, inbox, '#' || t.tag, -1 from items, unnest(tags) t (tag)
    union all select env, inbox, 'active', -1 from items where not closed and snoozed_until is null
    union all select env, inbox, 'activeUnassigned', -1 from items where not closed and snoozed_until is null and assignee is null
    union all select env, inbox, 'activeOverdue', -1 from items join streams using (env) where not closed and snoozed_until is null and due_at <= overdue_mark
    union all select env, inbox, 'total', -1 from items
    union all select env, inbox, '=' || state, -1 from items
    union all select env, inbox, 'overdue', -1 from items join streams using (env) where not closed and due_at <= overdue_mark
  )
  select env, inbox, measure, sum(n)::int as n from told group by 1, 2, 3 having sum(n) <> 0`;

describe('counts', () => {
  let world: JobsWorld;
  let now = 1_000;
  beforeEach(async () => {
    world = await newJobsWorld();
  });
  afterEach(() => world.close());

  const change = async (): Promise<void> => {
    const client = await world.owner.connect();
    const env = 1 + Math.floor(Math.random() * 2);
    const id = `item${String(Math.floor(Math.random() * 30))}`;
    const inbox = `inbox${String(id.length % 2)}`;
    const closed = Math.random() < 0.3;
    const state = closed ? 'closed' : 'open';
    // Around now: some are overdue at once, some soon, some never.
    const due = closed || Math.random() < 0.2 ? null : now + Math.floor(Math.random() * 400) - 100;
    const snoozed = !closed && Math.random() < 0.3 ? now + 1e9 : null;
    const tags = ['vip', '#1', 'a b'].filter(() => Math.random() < 0.4);
    const assignee = Math.random() < 0.5 ? 'per_1' : null;
    try {
      await client.query('begin');
      const {
        rows: [before],
      } = await client.query<{
        state: string;
        due_at: string | null;
        snoozed_until: string | null;
        assignee: string | null;
        tags: string[];
      }>('select state, due_at, snoozed_until, assignee, tags from items where env = $1 and id = $2 for update', [
        env,
        id,
      ]);
      if (before === undefined) {
        await client.query(
          `insert into items (env, id, inbox, title, title_key, state, closed, first_seen, last_seen, due_at, snoozed_until, assignee, tags, created_at, updated_at, terms)
          values ($1, $2, $3, '', '', $4, $5, 0, 0, $6, $7, $8, $9, 0, 0, '')`,
          [env, id, inbox, state, closed, due, snoozed, assignee, tags],
        );
      } else {
        await client.query(
          'update items set state = $3, closed = $4, due_at = $5, snoozed_until = $6, assignee = $7, tags = $8 where env = $1 and id = $2',
          [env, id, state, closed, due, snoozed, assignee, tags],
        );
      }
      const deltas: Record<string, number> = before === undefined ? { total: 1 } : {};
      if (before !== undefined && before.state !== state) deltas[`=${before.state}`] = -1;
      if (before?.state !== state) deltas[`=${state}`] = 1;
      const wasActive = before !== undefined && before.state === 'open' && before.snoozed_until === null;
      const active = !closed && snoozed === null;
      const wasFree = wasActive && before.assignee === null;
      const free = active && assignee === null;
      if (active !== wasActive) deltas['active'] = active ? 1 : -1;
      if (free !== wasFree) deltas['activeUnassigned'] = free ? 1 : -1;
      const had = new Set(before?.tags ?? []);
      for (const tag of new Set([...tags, ...had]))
        if (tags.includes(tag) !== had.has(tag)) deltas[`#${tag}`] = had.has(tag) ? -1 : 1;
      const moved = due !== (before?.due_at == null ? null : Number(before.due_at));
      await client.query(
        `insert into outbox (id, env, at, parts, inbox, deltas, due_from, due_to, awake_from, awake_to, whole)
        values (nextval('events_id_seq'), $1, 1, '[{}]', $2, $3, $4, $5, $6, $7, true)`,
        [
          env,
          inbox,
          JSON.stringify(deltas),
          moved ? (before?.due_at ?? null) : null,
          moved ? due : null,
          wasActive ? before.due_at : null,
          active ? due : null,
        ],
      );
      await client.query(`select pg_sleep(${String(Math.random() * 0.01)})`);
      await client.query(Math.random() < 0.9 ? 'commit' : 'rollback');
    } catch (error) {
      await client.query('rollback');
      // Two writers made the same item: the second's change is not needed here.
      if ((error as { code?: string }).code !== '23505') throw error;
    } finally {
      client.release();
    }
    world.deps.bus.publish(channels.workAvailable, 'outbox');
  };

  it('are what the items are, in every snapshot, while 12 writers change items and deadlines pass', async () => {
    const publisher = world.own(startPublisher({ ...world.deps, clock: { now: () => now } }));
    let writing = true;
    const writers = Promise.all(
      Array.from({ length: 12 }, async () => {
        for (let i = 0; i < 60; i++) await change();
      }),
    ).finally(() => {
      writing = false;
    });
    let looks = 0;
    while (writing) {
      now += 20;
      expect(await world.sql(differences)).to.deep.equal([]);
      looks += 1;
    }
    await writers;
    expect(looks).to.be.greaterThan(10);
    now += 150;
    const overdue = async (): Promise<unknown> =>
      world.sql(
        `
      select env, inbox, count(*)::int as n from items where not closed and due_at <= $1 group by 1, 2 order by 1, 2`,
        [now],
      );
    await until('what is overdue now is counted', async () => {
      const counted = await world.sql(
        "select env, inbox, n::int from counts where measure = 'overdue' and n <> 0 order by env, inbox",
      );
      return JSON.stringify(counted) === JSON.stringify(await overdue());
    });
    expect(await overdue()).to.have.length.greaterThan(0);
    expect(await world.sql(differences)).to.deep.equal([]);
    await publisher.stop();
  });

  it('move their mark only with a batch that took everything', async () => {
    await world.sql(`insert into items (env, id, inbox, title, title_key, state, closed, first_seen, last_seen, due_at, created_at, updated_at, terms)
      select 1, 'i' || g, 'inbox', '', '', 'open', false, 0, 0, g, 0, 0, '' from generate_series(1, 700) g`);
    await world.sql(
      `insert into outbox (id, env, at, parts, inbox, deltas, due_to, awake_to, whole)
      select g, 1, 1, '[{}]', 'inbox', '{"total":1,"=open":1,"active":1,"activeUnassigned":1}', g, g, true from generate_series(1, 700) g`,
    );
    const lease = await acquirePublisherLease(world.deps.db, newHolderName('test'));
    if (lease === null) throw new Error('no lease');
    const mark = async (): Promise<unknown> =>
      (await world.sql<{ mark: number }>('select overdue_mark::int as mark from streams'))[0]?.mark;
    expect((await publishBatch(world.deps.db, lease, { now: 650, advance: true })).taken).to.equal(500);
    expect([await mark(), await world.sql(differences)]).to.deep.equal([0, []]);
    expect((await publishBatch(world.deps.db, lease, { now: 650, advance: true })).taken).to.equal(200);
    expect([await mark(), await world.sql(differences)]).to.deep.equal([650, []]);
    expect(await world.sql("select n::int from counts where measure = 'overdue'")).to.deep.equal([{ n: 650 }]);
  });

  it('of active items are made right where a release without them has written or published', async () => {
    await world.sql(`insert into items (env, id, inbox, title, title_key, state, closed, first_seen, last_seen, due_at, snoozed_until, tags, created_at, updated_at, terms)
      select 1, 'i' || g, 'inbox', '', '', 'open', false, 0, 0, g, case when g > 90 then 5000 end, '{vip,new}', 0, 0, '' from generate_series(1, 100) g`);
    await world.sql(
      `insert into outbox (id, env, at, parts, inbox, deltas, due_to) select g, 1, 1, '[{}]', 'inbox', '{"total":1,"=open":1}', g from generate_series(1, 100) g`,
    );
    const active = (): Promise<unknown> =>
      world.sql("select measure, n::int from counts where measure like 'active%' and n <> 0 order by 1");
    const first = world.own(startPublisher({ ...world.deps, clock: { now: () => 50 } }));
    await until('the rows are taken', async () => (await world.sql('select from outbox')).length === 0);
    await first.stop();
    // Another process goes on: it finds that the first one has taken rows without deltas of active items.
    const second = world.own(startPublisher({ ...world.deps, clock: { now: () => 60 } }));
    await until(
      'active items are counted',
      async () =>
        JSON.stringify(await active()) ===
        JSON.stringify([
          { measure: 'active', n: 90 },
          { measure: 'activeOverdue', n: 60 },
          { measure: 'activeUnassigned', n: 90 },
        ]),
    );
    await second.stop();
    expect(await world.sql(differences)).to.deep.equal([]);
    // A publisher of such a release moves position and mark, and counts all but what is active.
    await world.sql('update streams set position = position + 1, overdue_mark = 80 where env = 1');
    await world.sql("update counts set n = 80 where measure = 'overdue'");
    const third = world.own(startPublisher({ ...world.deps, clock: { now: () => 80 } }));
    await until('they are counted again', async () => (await world.sql(differences)).length === 0);
    expect(JSON.stringify(await active())).to.include('{"measure":"activeOverdue","n":80}');
    expect(await world.sql('select tag, n::int from tag_counts order by tag')).to.deep.equal([
      { tag: 'new', n: 100 },
      { tag: 'vip', n: 100 },
    ]);
    await third.stop();
    expect(await world.sql('select env from streams where counted <> position + overdue_mark')).to.deep.equal([]);
  });

  it('are told whole for every inbox that changed, also when only time has passed', async () => {
    const heard = await world.hear(1);
    const publisher = world.own(startPublisher({ ...world.deps, clock: { now: () => now } }));
    await world.sql(
      `insert into items (env, id, inbox, title, title_key, state, closed, first_seen, last_seen, due_at, created_at, updated_at, terms)
      values (1, 'item', 'inbox', '', '', 'open', false, 0, 0, $1, 0, 0, '')`,
      [now + 1000],
    );
    await world.sql(
      `insert into outbox (id, env, at, parts, inbox, deltas, due_to) values (1, 1, 7, '[{"type":"item"}]', 'inbox', '{"total":1,"=open":1}', $1)`,
      [now + 1000],
    );
    const [first] = await until('the item is told', () => heard.length > 0 && heard);
    expect(first).to.deep.include({
      kind: 'batch',
      first: 1,
      rows: [{ at: 7, parts: [{ type: 'item' }] }],
      counts: { inbox: { total: 1, '=open': 1 } },
    });
    now += 1000;
    const passed = await until('it is overdue', () => heard.find(({ counts }) => counts['inbox']?.['overdue'] === 1));
    expect(passed).to.deep.include({
      first: 2,
      rows: [],
      counts: { inbox: { total: 1, '=open': 1, overdue: 1, activeOverdue: 1 } },
      at: now,
    });
    await publisher.stop();
  });
});
