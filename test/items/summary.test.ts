/** A summary of more items than it may read: what is exact, and what is scaled up from those that were read. */
import { expect } from 'chai';
import { limits } from '../../shared/catalogue/limits.ts';
import { rangeGroupsStatement } from '../../shared/items/list/groups.ts';
import { unfiltered } from '../../shared/items/list/request.ts';
import { itemStreams } from '../../shared/items/list/streams.ts';
import { summarizeItems } from '../../shared/items/list/summary.ts';
import type { Reply } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

interface Group {
  readonly key: string | null;
  readonly count: number;
  readonly occurrences: number;
  readonly unassigned: number;
  readonly newest: number;
  readonly example: { readonly id: string; readonly title: string };
}

describe('a summary of a large table', () => {
  let world: World;
  const many = 60_000;
  /** Fewer than are read whatever time is left. */
  const closed = 9_000;
  /** One of three is tagged; one of six has a second tag. */
  const groups = { blue: many / 3, red: many / 6 } as const;

  before(async () => {
    world = await newWorld({ workers: false });
    await world.environment('large');
    await world.sql(
      `insert into items (env, id, inbox, title, title_key, state, closed, tags, occurrences, users, first_seen, last_seen, fields, created_at, updated_at, terms)
       select e.id, 'itm_' || lpad(n::text, 26, '0'), 'mail', 'Item ' || n, 'item ' || n, case when n <= $1 then 'closed' else 'open' end, n <= $1,
         case when n % 3 <> 0 then '{}' when n % 2 = 0 then '{blue,red}' else '{blue}' end::text[], 2, 1, n, n, '{}', n, n, ''
       from environments e, generate_series(1, $2::int) n where e.name = 'large'`,
      [closed, many],
    );
    await world.sql(
      `insert into counts (env, inbox, measure, n) select id, 'mail', 'total', $1 from environments where name = 'large'`,
      [many],
    );
    await world.sql('vacuum (analyze) items');
  });
  after(() => world.close());

  const read = async (query: string): Promise<Reply['body']> => {
    const large = await world.agent('admin', { environments: ['large'] });
    const { status, body, text } = await world.elsewhere(large, 'large').get(`/items/summary?${query}`);
    expect(status, text).to.equal(200);
    return body;
  };
  const envId = (): number => {
    const env = world.deps.directory.environment('large');
    if (env === undefined) throw new Error('There is no environment.');
    return env.id;
  };
  const near = (count: unknown, expected: number): void => {
    expect(count).to.be.within(expected * 0.9, expected * 1.1);
  };

  it('scales the counts of what it read when more than 50,000 match, and says so', async () => {
    const body = await read('by=tag');
    expect([body.sampled, body.total]).to.deep.equal([true, many]);
    // The last step may read beyond 50,000 items, up to the last item.
    expect(body.of).to.be.within(2_000, many);
    const counts = new Map((body.groups as Group[]).map(({ key, count }) => [key, count]));
    expect([...counts.keys()]).to.deep.equal([null, 'blue', 'red']);
    near(counts.get('blue'), groups.blue);
    near(counts.get('red'), groups.red);
    near(counts.get(null), many - groups.blue);
    for (const group of body.groups as Group[]) {
      near(group.occurrences, 2 * group.count);
      expect(group.unassigned).to.equal(group.count);
      expect(group.example).to.deep.equal({
        id: `itm_${String(group.newest).padStart(26, '0')}`,
        title: `Item ${String(group.newest)}`,
      });
    }
  });

  it('is exact below, however few of the table match', async () => {
    const body = await read('by=tag&state=closed');
    expect([body.sampled, body.total, body.of]).to.deep.equal([false, closed, closed]);
    expect((body.groups as Group[]).map(({ key, count, newest }) => [key, count, newest])).to.deep.equal([
      [null, 6_000, 8_999],
      ['blue', 3_000, 9_000],
      ['red', 1_500, 9_000],
    ]);
  });

  it('is the same by more states than a statement has branches', async () => {
    const spare = Array.from({ length: 70 }, (_, n) => `spare_${String(n)}`);
    const states = ['closed', ...spare];
    const request = {
      ...unfiltered,
      env: envId(),
      inboxes: [{ name: 'mail', states, priorities: [['normal']] }],
      states,
      now: Date.now(),
    };
    const all = await summarizeItems(world.deps.db, request, { by: 'day', field: null, resources: [], limit: 50 });
    expect([all.sampled, all.total]).to.deep.equal([false, closed]);
    expect(all.groups.map(({ key, count, exampleId }) => [key, count, exampleId])).to.deep.equal([
      ['1970-01-01', closed, `itm_${String(closed).padStart(26, '0')}`],
    ]);
  });

  it('answers from what it has read when the time is over, and estimates what else matches', async () => {
    const request = {
      ...unfiltered,
      env: envId(),
      inboxes: [{ name: 'mail', states: ['open', 'closed'], priorities: [['normal']] }],
      now: Date.now(),
    };
    const rest = { by: 'tag', field: null, resources: [], limit: 50, readMs: 0 } as const;
    const all = await summarizeItems(world.deps.db, request, rest);
    expect([all.sampled, all.of, all.total]).to.deep.equal([true, 10_000, many]);
    expect(all.groups.map(({ key, count }) => [key, count])).to.deep.equal([
      [null, 39_996],
      ['blue', 20_004],
      ['red', 10_002],
    ]);
    const seen = { from: 0, to: many / 2 };
    const some = await summarizeItems(world.deps.db, { ...request, seen }, rest);
    expect([some.sampled, some.of]).to.deep.equal([true, 10_000]);
    expect(some.total).to.be.within(many * 0.4, many * 0.6);
  });

  const covered = { inbox: 'mail', state: 'open', assignee: null, record: null, day: '1970-01-01' } as const;
  for (const by of ['inbox', 'state', 'assignee', 'record', 'day'] as const)
    it(`by ${by} is exact up to 50,000 items, however little time there is, from an index alone`, async () => {
      const request = {
        ...unfiltered,
        env: envId(),
        inboxes: [{ name: 'mail', states: ['open', 'closed'], priorities: [['normal']] }],
        now: Date.now(),
      };
      const asked = { by, field: null, resources: [], limit: 50, readMs: 0 } as const;
      const oldest = many - limits.summaryItems + 1;
      const found = await summarizeItems(world.deps.db, { ...request, seen: { from: oldest, to: many + 1 } }, asked);
      expect([found.sampled, found.total, found.of]).to.deep.equal([false, 50_000, 50_000]);
      expect(found.groups).to.deep.equal([
        {
          key: covered[by],
          recordTitle: null,
          count: 50_000,
          occurrences: 100_000,
          unassigned: 50_000,
          overdue: 0,
          oldest,
          newest: many,
          exampleId: `itm_${String(many).padStart(26, '0')}`,
          exampleTitle: `Item ${String(many)}`,
        },
      ]);
      const more = await summarizeItems(world.deps.db, { ...request, seen: { from: oldest - 1, to: many + 1 } }, asked);
      expect([more.sampled, more.of]).to.deep.equal([true, 10_000]);
      const { prepared } = rangeGroupsStatement(by, { stream: itemStreams.seen, size: 1 }, false);
      const plan = await world.sql<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${prepared.text}`);
      expect(plan.map((line) => line['QUERY PLAN']).join('\n')).to.include('Index Only Scan using items_activity');
    });

  it('answers from a sample of all where nothing of what it has read fits', async () => {
    const request = {
      ...unfiltered,
      env: envId(),
      inboxes: [{ name: 'mail', states: ['open', 'closed'], priorities: [['normal']] }],
      now: Date.now(),
      created: { from: 0, to: many / 2 },
    };
    const asked = { by: 'tag', field: null, resources: [], limit: 50, readMs: 0 } as const;
    const found = await summarizeItems(world.deps.db, request, asked);
    expect(found.sampled).to.equal(true);
    expect(found.of).to.be.within(100, many / 2);
    // A sample has whole pages, each of which lies in one half or the other.
    expect(found.total).to.be.within(many * 0.3, many * 0.7);
    const counts = new Map(found.groups.map(({ key, count }) => [key, count]));
    expect([...counts.keys()]).to.deep.equal([null, 'blue', 'red']);
    near(counts.get('blue'), found.total / 3);
    for (const { newest } of found.groups) expect(newest).to.be.within(1, many / 2);
  });
});
