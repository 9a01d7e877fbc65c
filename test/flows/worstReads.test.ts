/** Reads that never end by themselves: each is stopped with `too_broad`, and those of one principal leave the others alone. */
import { expect } from 'chai';
import pg from 'pg';
import { clientOf, type Client, type Reply } from '../support/http.ts';
import { startProgram, type Program } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

describe('the worst reads', () => {
  let world: World;
  let api: Program;
  let greedy: Client;
  let other: Client;
  let blocker: pg.Client;

  const at = ({ token, id }: Client): Client => clientOf(`http://127.0.0.1:${api.port}/api/env/demo`, token, id);
  const codes = (replies: readonly Reply[]): string[] =>
    [...new Set(replies.map(({ status, body }) => `${String(status)} ${String(body.code ?? '')}`.trim()))].sort();

  before(async () => {
    world = await newWorld({ workers: false });
    api = await startProgram(world, 'api/main.ts', { RATE_LIMIT: '1000000', RATE_BURST: '1000000' });
    greedy = at(await world.agent('admin', { name: 'greedy' }));
    other = at(await world.agent('admin', { name: 'other' }));
    blocker = new pg.Client({ connectionString: world.config.migrateDatabaseUrl });
    await blocker.connect();
    await world.records('customer', [{ id: 'c1', title: 'Ada' }]);
    await other.post('/items', { inbox: 'mail', title: 'One' });
  });
  after(async () => {
    await blocker.end();
    await api.end();
    await world.close();
  });

  /** Does `work` while no statement that reads `table` gets on: as slow as a read can be, whatever the machine. */
  const withBlocked = async (table: string, work: () => Promise<void>): Promise<void> => {
    await blocker.query('begin');
    await blocker.query(`lock table ${table} in access exclusive mode`);
    try {
      await work();
    } finally {
      await blocker.query('commit');
    }
  };

  it('are stopped with 422 too_broad, which names the filter to narrow', async () => {
    await withBlocked('records', async () => {
      const [searched, listed] = await Promise.all([
        other.get('/resources/customer?q=ada'),
        other.get('/resources/customer/list?limit=5'),
      ]);
      expect([searched.status, searched.body.code, searched.body.details[0].path]).to.deep.equal([
        422,
        'too_broad',
        'q',
      ]);
      expect([listed.status, listed.body.code, listed.body.details[0].path]).to.deep.equal([
        422,
        'too_broad',
        'filters',
      ]);
    });
    await withBlocked('items', async () => {
      const [listed, counted] = await Promise.all([
        other.get('/items?search=a%20b&count=1'),
        other.get('/items?count=1'),
      ]);
      expect([listed.body.code, listed.body.details[0].path]).to.deep.equal(['too_broad', 'search']);
      expect([counted.body.code, counted.body.details[0].path]).to.deep.equal(['too_broad', 'inbox']);
    });
    await withBlocked('events', async () => {
      const audit = await other.get('/audit?verb=item.state');
      expect([audit.body.code, audit.body.details[0].path]).to.deep.equal(['too_broad', 'verb']);
    });
  });

  it('of one token leave another’s alone: 200 at once, none answers 5xx', async () => {
    await withBlocked('records', async () => {
      let ended = 0;
      const flood = Array.from({ length: 200 }, async () => {
        const reply = await greedy.get('/resources/customer?q=ada');
        ended += 1;
        return reply;
      });
      await until('the worst reads are under way', async () => {
        const [waiting] = await world.sql<{ n: number }>(
          `select count(*)::int as n from pg_locks where not granted and relation = 'records'::regclass`,
        );
        return waiting !== undefined && waiting.n > 0;
      });
      const served: Reply[] = [];
      for (let n = 0; n < 20; n++) served.push(await other.get('/items?limit=10'));
      const endedBefore = ended;
      expect(codes(served)).to.deep.equal(['200']);
      expect(endedBefore, 'the flood was still going on').to.be.below(200);
      expect(codes(await Promise.all(flood))).to.satisfy((found: string[]) =>
        found.every((code) => ['422 too_broad', '429 rate_limited'].includes(code)),
      );
    });
  });

  it('log a full pool as such', async () => {
    await withBlocked('records', async () => {
      const crowd = await Promise.all(
        ['a', 'b', 'c', 'd'].map(async (name) => at(await world.agent('admin', { name }))),
      );
      const replies = await Promise.all(
        crowd.flatMap((client) => Array.from({ length: 4 }, () => client.get('/resources/customer?q=ada'))),
      );
      expect(codes(replies)).to.satisfy((found: string[]) =>
        found.every((code) => ['422 too_broad', '429 rate_limited'].includes(code)),
      );
    });
    const lines = api.said().match(/all connections for reads are in use/g) ?? [];
    expect(lines).to.have.length(1);
    expect(api.said()).not.to.include('PostgreSQL is unavailable');
  });

  it('have a limit that the statements of changes don’t have', async () => {
    const { item } = (await other.post('/items', { inbox: 'mail', title: 'Waits' })).body;
    await blocker.query('begin');
    let answer: Promise<Reply>;
    try {
      await blocker.query('select 1 from items where id = $1 for update', [item.id]);
      answer = other.post(`/items/${String(item.id)}/state`, { state: 'closed' });
      await until('the change has waited for longer than any read may', async () => {
        const waiting = await world.sql(
          `select 1 from pg_stat_activity where wait_event_type = 'Lock' and clock_timestamp() - query_start > interval '2.5 s' and datname = current_database()`,
        );
        return waiting.length > 0;
      });
    } finally {
      await blocker.query('commit');
    }
    expect((await answer).status).to.equal(200);
  });
});
