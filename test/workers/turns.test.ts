/** Workers take turns between principals: a small bulk does not wait for a large one, and nobody has more accepted than is bounded. */
import { expect } from 'chai';
import { deferred } from '../support/deferred.ts';
import type { Client } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const tags = (add: string) => ({ type: 'tags', add: [add], remove: [] });

describe('turns', () => {
  let world: World;
  let one: Client;
  let other: Client;

  before(async () => {
    world = await newWorld();
    one = await world.agent('admin', { name: 'One' });
    other = await world.agent('admin', { name: 'Other' });
    await one.post('/items', { inbox: 'mail', title: 'First' });
    await world.sql(
      `insert into items (env, id, version, inbox, title, title_key, state, closed, links, tags, occurrences, users, first_seen, last_seen, fields, triaged, created_at, updated_at, terms)
       select i.env, 'itm_01jd' || lpad(n::text, 22, '0'), 1, 'bugs', 'Many', 'many', 'open', false, '[]', '{}', 1, 0, n, n, '{}', false, 1, 1, ''
       from generate_series(1, 20000) as n cross join (select distinct env from items) i`,
    );
    await world.sql('analyze items');
  });
  after(() => world.close());

  it('a bulk of 10 is done while one of 20,000 of another principal is under way', async () => {
    const large = await one.post('/bulk', { query: { inbox: 'bugs' }, operation: tags('large') });
    expect(large.status, large.text).to.equal(202);
    expect(large.body.bulk.total).to.equal(20_000);
    const bulkOf = async (client: Client, id: string) => (await client.get(`/bulk/${id}`)).body.bulk;
    await until('it has begun', async () => (await bulkOf(one, String(large.body.bulk.id))).done > 0);
    const ids = Array.from({ length: 10 }, (_, n) => `itm_01jd${String(n + 1).padStart(22, '0')}`);
    const small = await other.post('/bulk', { ids, operation: tags('small') });
    await until(
      'the small one is done',
      async () => (await bulkOf(other, String(small.body.bulk.id))).status === 'done',
    );
    const meanwhile = await bulkOf(one, String(large.body.bulk.id));
    expect(meanwhile.done).to.be.below(20_000);
    await one.post(`/bulk/${String(large.body.bulk.id)}/cancel`);
    await world.settled();
  });

  it('more than 1,000,000 items, or 10,000 queued runs, of one principal are refused until some are done', async () => {
    const [env] = await world.sql<{ id: number }>('select id from environments');
    await world.sql(
      `insert into bulks (id, env, status, operation, total, actor_type, actor, actor_name, created_at)
       values ('blk_01jd0000000000000000000000', $1, 'pending', '{"type":"tags"}', 999995, 'agent', $2, 'One', 0)`,
      [env?.id, one.id],
    );
    const ids = Array.from({ length: 10 }, (_, n) => `itm_01jd${String(n + 1).padStart(22, '0')}`);
    const refused = await one.post('/bulk', { ids, operation: tags('x') });
    expect([refused.status, refused.body.code]).to.deep.equal([429, 'rate_limited']);
    expect(refused.headers.get('retry-after')).to.equal('10');
    expect((await one.post('/bulk', { ids: ids.slice(0, 5), operation: tags('x') })).status).to.equal(202);
    expect((await other.post('/bulk', { ids, operation: tags('x') })).status).to.equal(202);
    await world.sql("update bulks set status = 'cancelled', finished_at = 1 where id like 'blk_01jd0000%'");
    await world.sql(
      `insert into runs (id, env, action, label, input, status, background, repeatable, timeout_ms, actor_type, actor, actor_name, requested_at)
       select 'run_' || lpad(n::text, 26, '0'), $1, 'upgrade', 'Upgrade', '{}', 'queued', false, false, 1000, 'agent', $2, 'One', 0 from generate_series(1, 10000) as n`,
      [env?.id, one.id],
    );
    const run = { action: 'upgrade' };
    expect((await one.post('/actions', run)).status).to.equal(429);
    expect((await other.post('/actions', run)).body.queued).to.equal(true);
  });
});

describe('requests that wait for a decision', () => {
  let world: World;
  let asking: Client;
  let other: Client;
  const change = (value: boolean) => ({ change: { value } });

  before(async () => {
    world = await newWorld({
      manifest: { ...testManifest, flags: [{ key: 'beta', kind: 'boolean', default: false }] },
    });
    asking = await world.agent('admin', { name: 'One', mode: 'supervised' });
    other = await world.agent('admin', { name: 'Other', mode: 'supervised' });
  });
  after(() => world.close());

  it('more than 1,000 of one principal are refused until some are decided or taken back', async () => {
    const ask = (client: Client, value = true) => client.post('/flags/beta', change(value));
    const first = await ask(asking);
    expect([first.status, first.body.pending], first.text).to.deep.equal([202, true]);
    await world.sql(
      `insert into approvals (id, env, kind, summary, actor_type, actor, actor_name, requested_at, expires_at, fingerprint, request)
       select 'apr_' || lpad(n::text, 26, '0'), a.env, 'flag', 's', 'agent', $1, 'One', a.requested_at, a.expires_at, decode(md5(n::text), 'hex'), a.request
       from generate_series(1, 999) n cross join approvals a`,
      [asking.id],
    );
    const note = { ...change(false), reason: 'Another one.' };
    const refused = await asking.post('/flags/beta', note);
    expect([refused.status, refused.body.code], refused.text).to.deep.equal([429, 'rate_limited']);
    expect(refused.headers.get('retry-after')).to.equal('60');
    const again = await ask(asking);
    expect([again.status, again.body.approval], 'an equal one is the one that waits').to.deep.equal([
      202,
      first.body.approval,
    ]);
    expect((await ask(other)).status).to.equal(202);
    expect((await asking.post(`/approvals/${String(first.body.approval)}/cancel`)).status).to.equal(200);
    expect((await asking.post('/flags/beta', note)).status).to.equal(202);
  });
});

describe('turns of runs', () => {
  const manifest = {
    ...testManifest,
    actions: [...testManifest.actions, { name: 'ship', label: 'Ship', resource: 'customer' }],
  };
  const size = 300;
  /** Of one principal's bulks are under way at once: as many as the limit, and the last round of each of two chunks. */
  const mostUnderWay = 240;
  let world: World;
  let one: Client;
  let other: Client;
  let held = deferred();
  const shipped: string[] = [];

  before(async () => {
    world = await newWorld({ manifest });
    one = await world.agent('admin', { name: 'One' });
    other = await world.agent('admin', { name: 'Other' });
    await one.post('/items', { inbox: 'mail', title: 'First' });
    for (const [inbox, count, digit] of [
      ['bugs', size, '1'],
      ['mail', 10, '2'],
    ] as const) {
      await world.sql(
        `insert into records (env, resource, id, title, fields, updated_at)
         select e.id, 'customer', $1 || n, 'Customer', '{}', 1 from generate_series(1, $2::int) as n cross join environments e`,
        [inbox, count],
      );
      await world.sql(
        `insert into items (env, id, version, inbox, title, title_key, state, closed, record_resource, record_id, record_title, links, tags, occurrences, users, first_seen, last_seen, fields, triaged, created_at, updated_at, terms)
         select e.id, 'itm_01je' || $3 || lpad(n::text, 21, '0'), 1, $1, 'One', 'one', 'open', false, 'customer', $1 || n, 'Customer', '[]', '{}', 1, 0, n, n, '{}', false, 1, 1, ''
         from generate_series(1, $2::int) as n cross join environments e`,
        [inbox, count, digit],
      );
    }
    await world.app(
      {
        'action.run': async ({ record }: { record: { id: string } }) => {
          if (record.id.startsWith('bugs')) await held.promise;
          shipped.push(record.id);
          return { message: 'Shipped.', blocks: [] };
        },
      },
      { manifest },
    );
  });
  after(() => world.close());

  const few = Array.from({ length: 10 }, (_, n) => `itm_01je2${String(n + 1).padStart(21, '0')}`);
  const ship = async (client: Client, items: object): Promise<string> => {
    const { status, text, body } = await client.post('/bulk', {
      ...items,
      operation: { type: 'action', action: 'ship' },
    });
    expect(status, text).to.equal(202);
    return String(body.bulk.id);
  };
  const bulkOf = async (client: Client, id: string) => (await client.get(`/bulk/${id}`)).body.bulk;
  const runsOf = (id: string): Promise<unknown[]> => world.sql('select from runs where bulk = $1', [id]);

  /** Resolves when the job of a chunk waits although it has begun. */
  const itsTurnIsOver = (id: string): Promise<unknown> =>
    until(
      'it is the turn of others',
      async () => {
        const waiting = await world.sql(
          "select from staged_jobs where subject = $1 and name = 'bulkChunk' and fence > 0 and enqueued_at is null",
          [id],
        );
        return waiting.length > 0;
      },
      30_000,
    );

  it('of a small bulk are done while hundreds of another principal’s bulk wait, of which few are begun at a time', async () => {
    const large = await ship(one, { query: { inbox: 'bugs' } });
    await until('it has begun', async () => (await runsOf(large)).length >= 100, 30_000);
    const small = await ship(other, { ids: few });
    await until('the small one is done', async () => (await bulkOf(other, small)).status === 'done', 30_000);
    expect(await bulkOf(other, small)).to.include({ changed: 10 });
    await itsTurnIsOver(large);
    expect((await bulkOf(one, large)).done).to.equal(0);
    const third = await ship(other, { ids: few });
    await until('a third one is done', async () => (await bulkOf(other, third)).status === 'done', 30_000);
    expect(await runsOf(large)).to.have.length.within(200, mostUnderWay);
    held.resolve(undefined);
    await until('the large one is done', async () => (await bulkOf(one, large)).status === 'done', 60_000);
    expect(await bulkOf(one, large)).to.include({ changed: size });
    const begun = shipped.filter((id) => id.startsWith('bugs'));
    expect([begun.length, new Set(begun).size]).to.deep.equal([size, size]);
  });

  it('that a cancelled bulk has not made are not made', async () => {
    held = deferred();
    const large = await ship(one, { query: { inbox: 'bugs' } });
    await itsTurnIsOver(large);
    expect((await one.post(`/bulk/${large}/cancel`)).status).to.equal(200);
    const made = await runsOf(large);
    expect(made).to.have.length.at.most(mostUnderWay);
    held.resolve(undefined);
    await until('it has ended', async () => (await bulkOf(one, large)).status === 'cancelled', 30_000);
    expect((await bulkOf(one, large)).done).to.equal(size);
    const { results } = (await one.get(`/bulk/${large}/results?outcome=cancelled&limit=200`)).body;
    expect(results).to.have.length.within(size - mostUnderWay, size);
    expect((await runsOf(large)).length).to.be.at.most(mostUnderWay);
    await world.settled();
  });
});
