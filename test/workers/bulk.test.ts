/** The bulkChunk job: each item once, whatever runs twice, is killed in between or was cancelled meanwhile. */
import { expect } from 'chai';
import { orphanedBulks } from '../../workers/sweeps/index.ts';
import type { Client } from '../support/http.ts';
import { handlers } from '../support/jobHandlers.ts';
import { clerkGrants } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const day = 86_400_000;

interface Counted {
  readonly outcome: string;
  readonly n: number;
}

describe('bulkChunk', () => {
  let world: World;
  let clerk: Client;

  before(async () => {
    world = await newWorld({ workers: false });
    await world.role('clerk', clerkGrants);
    clerk = await world.agent('clerk');
  });
  after(() => world.close());

  /** Copies of one item: hundreds of calls would take longer than all the rest. */
  const make = async (count: number): Promise<string[]> => {
    const { body } = await clerk.post('/items', { inbox: 'mail', title: 'One of many' });
    const made = await world.sql<{ id: string }>(
      `insert into items select c.* from items i, generate_series(1, $2::int) n,
      jsonb_populate_record(i, jsonb_build_object('id', left(i.id, 20) || lpad(n::text, 10, '0'))) c where i.id = $1 returning id`,
      [body.item.id, count],
    );
    return made.map(({ id }) => id);
  };
  const ask = async (
    ids: readonly string[],
    client = clerk,
    operation: object = { type: 'tags', add: ['bulk'] },
  ): Promise<string> => (await client.post('/bulk', { ids, operation })).body.bulk.id as string;
  const work = (bulk: string, chunk = 0, deps = world.deps, signal = new AbortController().signal): Promise<unknown> =>
    handlers.bulkChunk(
      {
        id: 'job',
        env: 1,
        name: 'bulkChunk',
        payload: { bulk, chunk },
        requestId: null,
        fence: 1,
        startCount: 1,
        signal,
        span: null,
        inTurn: () => Promise.resolve(),
      },
      deps,
    );
  const results = async (bulk: string): Promise<Record<string, number>> =>
    Object.fromEntries(
      (
        await world.sql<Counted>(
          'select outcome, count(*)::int as n from bulk_results where bulk = $1 group by outcome',
          [bulk],
        )
      ).map(({ outcome, n }) => [outcome, n]),
    );
  const entries = async (bulk: string): Promise<{ entries: number; audits: number; versions: number[] }> => {
    const [found] = await world.sql<{ entries: number; audits: number; versions: number[] }>(
      `
      select (select count(*)::int from events e where e.item = any(ids) and e.type = 'tags') as entries,
        (select count(*)::int from events e where e.target = any(ids) and e.verb = 'item.tags') as audits,
        (select array_agg(distinct version) from items where id = any(ids)) as versions
      from (select array_agg(item) as ids from bulk_results where bulk = $1) r`,
      [bulk],
    );
    return found ?? { entries: 0, audits: 0, versions: [] };
  };
  const get = async (bulk: string): Promise<Record<string, unknown>> =>
    (await clerk.get(`/bulk/${bulk}`)).body.bulk as Record<string, unknown>;
  const finals = (bulk: string): Promise<object[]> =>
    world.sql(`select 1 from stream_parts where parts like $1 and parts not like '%"finishedAt":null%'`, [
      `[{"type":"bulk","bulk":{"id":"${bulk}"%`,
    ]);

  it('does each item once when it runs many times at once', async () => {
    const bulk = await ask(await make(600));
    await Promise.all([0, 1, 0, 1, 0, 1, 0, 1].map((chunk) => work(bulk, chunk)));
    expect(await results(bulk)).to.deep.equal({ changed: 600 });
    expect(await entries(bulk)).to.deep.equal({ entries: 600, audits: 600, versions: [2] });
    expect(await get(bulk)).to.include({ status: 'done', done: 600, changed: 600, failed: 0 });
    expect(await finals(bulk)).to.have.length(1);
  });

  it('goes on after those that have their result when it was killed in the middle', async () => {
    const ids = await make(20);
    const bulk = await ask(ids);
    await world.sql(`update bulks set status = 'running', started_at = 1 where id = $1`, [bulk]);
    await world.sql(`update bulk_chunks set status = 'running' where bulk = $1`, [bulk]);
    await world.sql(
      `insert into bulk_results (bulk, seq, item, outcome) select $1, n - 1, id, 'changed' from unnest($2::text[]) with ordinality as i (id, n) where n <= 7`,
      [bulk, ids],
    );
    await work(bulk);
    expect(await results(bulk)).to.deep.equal({ changed: 20 });
    expect(await entries(bulk)).to.include({ entries: 13, audits: 13 });
    expect(await get(bulk)).to.include({ status: 'done', changed: 20, startedAt: 1 });
  });

  it('writes nothing of a worker that was frozen and wakes up after another did its work', async () => {
    const ids = await make(10);
    const bulk = await ask([...ids, 'unknown']);
    let wake = (): void => undefined;
    const thaw = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const { directory } = world.deps;
    const principal: typeof directory.principal = async (type, id) => {
      await thaw;
      return directory.principal(type, id);
    };
    const frozen = work(bulk, 0, { ...world.deps, directory: { ...directory, principal } });
    await until('it has taken up the chunk', async () => (await get(bulk))['status'] === 'running');
    await work(bulk);
    await Promise.all(ids.map((id) => clerk.post(`/items/${id}/tags`, { remove: ['bulk'] })));
    wake();
    await frozen;
    expect(await results(bulk)).to.deep.equal({ changed: 10, not_found: 1 });
    expect(await entries(bulk)).to.deep.equal({ entries: 20, audits: 20, versions: [3] });
    expect(await finals(bulk)).to.have.length(1);
  });

  it('gives every id of one who was revoked, or lost the environment, the outcome forbidden', async () => {
    const [ids, removed, moved] = [await make(3), await world.agent('clerk'), await world.agent('clerk')];
    const [first, second] = [await ask(ids, removed), await ask([...ids, 'unknown'], moved)];
    await world.sql('update agents set revoked_at = 1 where id = $1', [removed.id]);
    await world.sql(`update agents set environments = '{other}' where id = $1`, [moved.id]);
    await work(first);
    await work(second);
    expect(await results(first)).to.deep.equal({ forbidden: 3 });
    expect(await results(second)).to.deep.equal({ forbidden: 4 });
    expect(await entries(first)).to.deep.equal({ entries: 0, audits: 0, versions: [1] });
    await world.sql(`update agents set environments = '{demo}' where id = $1`, [moved.id]);
    expect((await moved.get(`/bulk/${second}/results`)).body.results).to.have.length(4);
  });

  it('uses the rights of now, also those of a role that this process has not heard of', async () => {
    const agent = await world.agent('clerk');
    const [narrowed, widened] = [await ask(await make(2), agent), await ask(await make(2), agent)];
    await world.sql(`update agents set role = (select id from roles where name = 'viewer') where id = $1`, [agent.id]);
    await work(narrowed);
    expect(await results(narrowed)).to.deep.equal({ forbidden: 2 });
    await world
      .sql(
        `with new as (insert into roles (id, name, grants, created_at, updated_at) values ('rol_new', 'new', $1, 0, 0) returning id), told as (update revisions set n = n + 1)
      update agents set role = new.id from new where agents.id = $2`,
        [JSON.stringify(clerkGrants), agent.id],
      )
      .catch(async () => {
        await world.sql(`update agents set role = 'rol_new' where id = $1`, [agent.id]);
      });
    await work(widened);
    expect(await results(widened)).to.deep.equal({ changed: 2 });
  });

  it('cancels chunks that wait while a running one goes on to its end', async () => {
    const ids = await make(1100);
    const bulk = await ask(ids);
    await world.sql(`update bulks set status = 'running', started_at = 1 where id = $1`, [bulk]);
    await world.sql(`update bulk_chunks set status = 'running' where bulk = $1 and n = 1`, [bulk]);
    const { body } = await clerk.post(`/bulk/${bulk}/cancel`);
    expect(body.bulk).to.include({ status: 'running', done: 600, failed: 600, finishedAt: null });
    await Promise.all([work(bulk, 0), work(bulk, 1), work(bulk, 2)]);
    expect(await get(bulk)).to.include({ status: 'cancelled', done: 1100, changed: 500, failed: 600 });
    expect(await results(bulk)).to.deep.equal({ changed: 500, cancelled: 600 });
    expect(await finals(bulk)).to.have.length(1);
    const { body: undone } = await clerk.post(`/bulk/${bulk}/undo`);
    expect(undone.bulk, 'only what it changed').to.include({ total: 500 });
  });

  it('ends in one way when cancelling and working meet', async () => {
    for (let round = 0; round < 10; round++) {
      const bulk = await ask(await make(3));
      const [{ status }] = await Promise.all([clerk.post(`/bulk/${bulk}/cancel`), work(bulk)]);
      const counted = await results(bulk);
      expect(Object.values(counted)).to.deep.equal([3]);
      const after = await get(bulk);
      expect(after['status']).to.equal('cancelled' in counted ? 'cancelled' : 'done');
      expect(after['finishedAt']).to.be.a('number');
      expect(status).to.be.oneOf('cancelled' in counted ? [200] : [200, 409]);
      expect(await finals(bulk)).to.have.length(1);
    }
  });

  it('does nothing any more when it is told to stop, and what it has done stays', async () => {
    const bulk = await ask(await make(2));
    const stopped = new AbortController();
    stopped.abort();
    const failure = await work(bulk, 0, world.deps, stopped.signal).catch((error: unknown) => error);
    expect(failure).to.have.property('name', 'AbortError');
    expect(await results(bulk)).to.deep.equal({});
    await work(bulk);
    expect(await results(bulk)).to.deep.equal({ changed: 2 });
  });

  describe('orphanedBulks', () => {
    it('finishes a bulk whose last chunk ended in a killed process', async () => {
      const bulk = await ask(await make(2));
      await work(bulk);
      await world.sql(
        `update bulks set status = 'running', finished_at = null, created_at = created_at - $2 where id = $1`,
        [bulk, day],
      );
      await world.sql('truncate outbox, stream_parts');
      await orphanedBulks.run(world.deps);
      expect(await get(bulk)).to.include({ status: 'done', changed: 2 });
      expect(await finals(bulk)).to.have.length(1);
    });

    it('stages a chunk anew that has no job', async () => {
      const bulk = await ask(await make(2));
      await world.sql('delete from staged_jobs where subject = $1', [bulk]);
      await orphanedBulks.run(world.deps);
      const staged = (): Promise<object[]> => world.sql(`select payload from staged_jobs where subject = $1`, [bulk]);
      expect(await staged(), 'while it is young').to.deep.equal([]);
      await world.sql('update bulks set created_at = created_at - $2 where id = $1', [bulk, day]);
      await orphanedBulks.run(world.deps);
      await orphanedBulks.run(world.deps);
      expect(await staged()).to.deep.equal([{ payload: { bulk, chunk: 0 } }]);
    });
  });
});
