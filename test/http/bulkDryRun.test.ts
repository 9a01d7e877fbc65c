/** Dry runs of bulks of actions, and the counts that requests for approval show: as the real call decides, in bounded time. */
import { expect } from 'chai';
import { connectApp, type FakeApp } from '../support/app.ts';
import { deferred } from '../support/deferred.ts';
import type { Client, Reply } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

const when = { field: 'record.fields.status', op: 'eq', value: 'paid' } as const;
const manifest = {
  resources: [
    { name: 'order', source: 'stored', fields: [{ name: 'status', filter: true }] },
    { name: 'invoice', source: 'app', fields: [{ name: 'status' }] },
  ],
  inboxes: [{ name: 'mail' }, { name: 'many' }],
  actions: [
    { name: 'ship', label: 'Ship', resource: 'order', when },
    { name: 'pay', label: 'Pay', resource: 'invoice', when },
    { name: 'purge', label: 'Purge', resource: 'invoice', approval: true },
  ],
} as const;

const act = (action: string): object => ({ type: 'action', action });

describe('http: dry runs of bulks of actions', () => {
  let world: World;
  let agent: Client;
  let key: Client;
  let made = 0;

  before(async () => {
    world = await newWorld({ manifest });
    [agent, key] = [await world.agent('admin'), await world.appKey()];
    await world.records('order', [
      { id: 'paid', title: 'Paid', fields: { status: 'paid' } },
      { id: 'open', title: 'Open', fields: { status: 'open' } },
    ]);
    await agent.post('/items', { inbox: 'mail', title: 'First' });
  });
  after(() => world.close());

  /** Items with one of the records each; a thousand calls would take longer than all the rest. */
  const items = async (resource: string, records: readonly string[], inbox = 'mail'): Promise<string[]> => {
    const from = made;
    made += records.length;
    const rows = await world.sql<{ id: string }>(
      `insert into items (env, id, version, inbox, title, title_key, state, closed, record_resource, record_id, links, tags, occurrences, users, first_seen, last_seen, fields, triaged, created_at, updated_at, terms)
       select e.id, 'itm_01jd' || lpad(($4 + n)::text, 22, '0'), 1, $3, 'One', 'one', 'open', false, $1, r.id, '[]', '{}', 1, 0, n, n, '{}', false, 1, 1, ''
       from unnest($2::text[]) with ordinality as r (id, n) cross join environments e returning id`,
      [resource, records, inbox, from],
    );
    return rows.map(({ id }) => id);
  };
  const numbered = (prefix: string, count: number): string[] =>
    Array.from({ length: count }, (_, n) => `${prefix}${String(n)}`);
  const dry = (which: object, action: string): Promise<Reply> =>
    agent.post('/bulk', { ...which, operation: act(action), dryRun: true });
  const records = (ids: readonly string[]): object => ({
    records: ids
      .filter((id) => !id.startsWith('gone'))
      .map((id) => ({ id, title: id, fields: { status: id.startsWith('open') ? 'open' : 'paid' } })),
  });
  type Read = (params: { readonly ids: readonly string[] }) => unknown;
  const withApp = async (read: Read, use: (app: FakeApp) => Promise<void>): Promise<void> => {
    const app = await connectApp(key, { manifest, handlers: { 'records.get': read, 'action.run': () => null } });
    try {
      await use(app);
    } finally {
      await app.close();
    }
  };
  const readsOf = (app: FakeApp): string[][] =>
    app.received.filter(({ method }) => method === 'records.get').map(({ params }) => params.ids as string[]);

  it('count each item of a record, also where more than a thousand have the same', async () => {
    const ids = await items('order', [...Array<string>(1_100).fill('paid'), 'open', 'none', 'open']);
    const reply = await dry({ ids: [...ids, 'itm_none'] }, 'ship');
    expect(reply.status, reply.text).to.equal(200);
    expect(reply.body).to.deep.equal({
      bulk: null,
      would: 'run',
      pending: false,
      matched: 1_103,
      wouldChange: 1_100,
      unchanged: 0,
      forbidden: 0,
      notFound: 2,
      failed: 2,
      problems: [
        { code: 'conflict', message: 'Ship does not apply to this order now.', count: 2 },
        { code: 'not_found', message: 'There is nothing here that you can see.', count: 2 },
      ],
    });
  });

  it('ask the app for many records at once, and for none twice', async () => {
    const wanted = [...numbered('inv', 110), 'gone', 'open'];
    const ids = await items('invoice', [...wanted, ...wanted]);
    await withApp(
      ({ ids: asked }) => records(asked),
      async (app) => {
        const { body, text } = await dry({ ids }, 'pay');
        expect(body, text).to.include({ matched: 224, wouldChange: 220, notFound: 2, failed: 2 });
        const reads = readsOf(app);
        expect(reads.length).to.be.below(5);
        expect(reads.flat().sort()).to.deep.equal([...wanted].sort());
      },
    );
  });

  it('refuse what cannot be read in time, and say what to name less of', async () => {
    const ids = await items('invoice', numbered('slow', 120), 'many');
    let calls = 0;
    await withApp(
      ({ ids: asked }) => {
        calls += 1;
        world.clock.advance(10_000);
        return records(asked);
      },
      async () => {
        for (const [which, path] of [
          [{ ids }, 'ids'],
          [{ query: { inbox: 'many' } }, 'query'],
        ] as const) {
          const reply = await dry(which, 'pay');
          expect([reply.status, reply.body.code], reply.text).to.deep.equal([422, 'too_broad']);
          expect(reply.body.details).to.deep.equal([{ path, message: 'name fewer items' }]);
        }
        expect(calls, 'one for each').to.equal(2);
        expect((await dry({ ids: ids.slice(0, 50) }, 'pay')).body).to.include({ matched: 50, wouldChange: 50 });
        const asked = await agent.post('/bulk', { ids, operation: act('purge') });
        expect(asked.status, asked.text).to.equal(202);
        const { approval } = (await agent.get(`/approvals/${String(asked.body.approval)}`)).body;
        expect([approval.status, approval.after], 'a request is not refused for its counts').to.deep.equal([
          'pending',
          null,
        ]);
      },
    );
  });

  it('read nothing more once the client has gone', async () => {
    const ids = await items('invoice', numbered('left', 120));
    const [begun, held] = [deferred(), deferred()];
    await withApp(
      async ({ ids: asked }) => {
        begun.resolve(undefined);
        await held.promise;
        return records(asked);
      },
      async (app) => {
        const leaving = new AbortController();
        const left = fetch(`${agent.base}/bulk`, {
          method: 'POST',
          headers: { authorization: `Bearer ${agent.token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ ids, operation: act('pay'), dryRun: true }),
          signal: leaving.signal,
        }).catch((error: unknown) => error);
        await begun.promise;
        leaving.abort();
        expect(await left).to.have.property('name', 'AbortError');
        // The server has read the end of the connection by the time that it answers further requests.
        await agent.get('/bulk?limit=1');
        await agent.get('/bulk?limit=1');
        held.resolve(undefined);
        expect((await dry({ ids: await items('invoice', ['last']) }, 'pay')).body).to.include({ wouldChange: 1 });
        expect(readsOf(app).slice(1)).to.deep.equal([['last']]);
      },
    );
  });
});
