/** What principals write: counted by day, limited, shown in the settings, and not kept twice in saved responses. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { connectApp, RpcFailed, type FakeApp } from '../support/app.ts';
import { clientOf, type Client, type Reply } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const day = 86_400_000;
/** A text that no compression makes smaller. */
const text = (length: number): string => randomBytes(length).toString('base64url').slice(0, length);
const refused = ({ status, body, text: answer }: Reply, code: string, expected: number): void => {
  expect([status, body?.code], answer).to.deep.equal([expected, code]);
};
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

describe('what principals write', () => {
  let world: World;
  before(async () => {
    world = await newWorld({ env: { WRITE_BYTES_PER_DAY: '600000' }, workers: false });
    // Just after midnight, so that no test goes on into another day.
    world.clock.advance(day - (world.clock.now() % day));
  });
  after(() => world.close());

  const writtenBy = async (id: string): Promise<number> => {
    await world.deps.meter.flush();
    const [row] = await world.sql<{ bytes: number }>(
      'select coalesce(sum(bytes), 0)::int as bytes from written_bytes where principal = $1',
      [id],
    );
    return row?.bytes ?? 0;
  };

  it('is refused from the limit of a day on, until the next day, in every process, for them alone', async () => {
    const agent = await world.agent('admin');
    const { item } = (await agent.post('/items', { inbox: 'mail', title: 'Large notes' })).body;
    const note = (client: Client): Promise<Reply> => client.post(`/items/${item.id}/notes`, { text: text(60_000) });
    for (let i = 0; i < 3; i++) expect((await note(agent)).status).to.equal(201);
    const last = await note(agent);
    // The request counts twice, its answer once.
    expect(last.status).to.equal(201);
    const over = await note(agent);
    refused(over, 'rate_limited', 429);
    const seconds = Number(over.headers.get('retry-after'));
    expect(seconds).to.be.within(1, day / 1000);
    expect(seconds * 1000).to.be.at.most(day - (world.clock.now() % day) + 1000);
    expect((await agent.get('/items')).status).to.equal(200);
    refused(
      await agent
        .post('/mcp', {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'add_note', arguments: { id: item.id, text: 'x' } },
        })
        .then((reply) => ({ ...reply, status: 429, body: JSON.parse(reply.body.result.content[0].text) as unknown })),
      'rate_limited',
      429,
    );
    expect((await note(await world.agent('admin'))).status).to.equal(201);
    expect(await writtenBy(agent.id)).to.be.within(600_000, 740_000);
    const second = await world.api();
    const there = clientOf(second.base('demo'), agent.token, agent.id);
    // What other processes have counted is known with the first change.
    await note(there);
    await until('the other process knows', async () => (await note(there)).status === 429);
    world.clock.advance(day);
    expect((await note(agent)).status).to.equal(201);
  });

  it('counts neither repeats nor what is refused or changes nothing', async () => {
    const agent = await world.agent('admin');
    const body = { inbox: 'mail', title: 'Once', data: { text: text(5_000) } };
    await agent.post('/items', body, keyed('once'));
    const once = await writtenBy(agent.id);
    expect(once).to.be.within(15_000, 17_000);
    expect((await agent.post('/items', body, keyed('once'))).headers.get('idempotent-replayed')).to.equal('true');
    await agent.post('/items', { ...body, inbox: 'nosuch' });
    await agent.post('/available', { refs: [{ resource: 'customer', id: 'x' }] });
    expect(await writtenBy(agent.id)).to.equal(once);
  });

  it('counts the reports and records of an app, and refuses them beyond the limit', async () => {
    const key = await world.appKey();
    const app = await connectApp(key);
    try {
      const report = () =>
        app.request('items.report', {
          inbox: 'mail',
          delivery: text(20),
          title: 'From the app',
          data: { a: text(30_000) },
        });
      for (let i = 0; i < 7; i++) await report();
      const failure: unknown = await report().catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(RpcFailed);
      expect(JSON.stringify(failure instanceof RpcFailed ? failure.data : null)).to.include('rate_limited');
      expect(await app.request('flags.list', {})).to.deep.equal({ flags: [], cursor: null });
      // It comes back as it was declared, and not with anything new.
      const startedAt = Date.now() + 1_000;
      await (await connectApp(key, { startedAt })).close();
      const views = [{ name: 'new', state: 'open' }];
      const other: unknown = await connectApp(key, { manifest: { ...testManifest, views }, startedAt }).catch(
        (error: unknown) => error,
      );
      expect(JSON.stringify(other instanceof RpcFailed ? other.data : null)).to.include('rate_limited');
    } finally {
      await app.close();
    }
  });

  it('stands in saved responses without long texts, and is answered with the same bytes', async () => {
    const agent = await world.agent('admin');
    const sizes = async (): Promise<number> => {
      const [row] = await world.sql<{ bytes: number }>(
        'select coalesce(sum(length(body)), 0)::int as bytes from idempotency_keys where principal = $1',
        [agent.id],
      );
      return row?.bytes ?? 0;
    };
    const data = { stack: `${text(20_000)} "quoted" é\u2028`, nested: { a: [text(2_000)] }, short: 'x' };
    const created = await agent.post('/items', { inbox: 'bugs', title: 'Crash', key: 'crash', data }, keyed('item'));
    expect(created.status, created.text).to.equal(201);
    const { id } = created.body.item;
    const calls: [string, object, string][] = [
      ['notes', { text: text(60_000), reason: text(2_000) }, 'note'],
      ['state', { state: 'closed' }, 'state'],
      ['tags', { add: ['large'] }, 'tags'],
    ];
    const first: string[] = [];
    for (const [path, body, key] of calls) {
      const reply = await agent.post(`/items/${id}/${path}`, body, keyed(key));
      expect(reply.status, reply.text).to.be.within(200, 201);
      first.push(reply.text);
    }
    expect(await sizes()).to.be.below(8_000);
    const again = async (): Promise<void> => {
      const repeated = await agent.post('/items', { inbox: 'bugs', title: 'Crash', key: 'crash', data }, keyed('item'));
      expect([repeated.headers.get('idempotent-replayed'), repeated.text === created.text]).to.deep.equal([
        'true',
        true,
      ]);
      for (const [i, [path, body, key]] of calls.entries()) {
        const reply = await agent.post(`/items/${id}/${path}`, body, keyed(key));
        expect(reply.headers.get('idempotent-replayed')).to.equal('true');
        expect(reply.text === first[i], `${key}: ${reply.text.slice(0, 400)}`).to.equal(true);
      }
    };
    await again();
    // The item's content changes: the answers of before have the content of before.
    const other = await agent.post('/items', {
      inbox: 'bugs',
      title: 'Crash',
      key: 'crash',
      data: { stack: text(3_000) },
    });
    expect(other.status, other.text).to.equal(200);
    await again();
  });
});

describe('what each kind of change writes', () => {
  const input = { type: 'object' };
  const manifest = {
    ...testManifest,
    flags: [
      { key: 'large', kind: 'string', default: '' },
      { key: 'ramped', kind: 'boolean', default: false },
    ],
    actions: [
      ...testManifest.actions,
      { name: 'answer', label: 'Answer', input },
      { name: 'later', label: 'Later', input, background: true },
      { name: 'ask', label: 'Ask', input, approval: true },
      { name: 'each', label: 'Each', input, resource: 'customer' },
    ],
  };
  let world: World;
  let ana: Client;
  let agent: Client;
  let app: FakeApp;
  let key: Client;
  before(async () => {
    world = await newWorld({ manifest });
    ana = await world.person('admin', 'Ana', { fresh: true });
    key = await world.appKey();
    app = await connectApp(key, {
      manifest,
      handlers: {
        'action.run': () => ({ message: 'Done.', blocks: [{ type: 'text', title: 'T', text: text(8_000) }] }),
      },
    });
    await world.records(
      'customer',
      Array.from({ length: 40 }, (_, i) => ({ id: `c${String(i)}`, title: 'C' })),
    );
  });
  after(async () => {
    await app.close();
    await world.close();
  });

  /** Returns how many bytes all rows have, but for those that count. */
  const rowBytes = async (): Promise<number> => {
    const tables = await world.sql<{ name: string }>(
      `select oid::regclass::text as name from pg_class
      where relkind = 'r' and relnamespace = current_schema::regnamespace and relname not in ('written_bytes', 'staged_jobs', 'leases')`,
    );
    const sums = tables.map(({ name }) => `select coalesce(sum(pg_column_size(t.*)), 0) as bytes from ${name} t`);
    const [row] = await world.sql<{ bytes: number }>(
      `select sum(bytes)::int as bytes from (${sums.join(' union all ')}) s`,
    );
    return row?.bytes ?? 0;
  };
  const writtenBy = async (id: string): Promise<number> => {
    await world.counted();
    const { written } = (await ana.get('/settings/usage')).body as { written: { id: string; bytes: number }[] };
    return written.find((one) => one.id === id)?.bytes ?? 0;
  };
  const newItem = async (more: object = {}): Promise<string> =>
    (await ana.post('/items', { inbox: 'mail', title: 'x', ...more })).body.item.id as string;
  const some = async (count: number, make: (i: number) => Promise<Reply>): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const reply = await make(i);
      expect(reply.status, reply.text.slice(0, 300)).to.be.within(200, 202);
    }
  };
  const manyItems = (count: number, more: (i: number) => object = () => ({})): Promise<string[]> =>
    Promise.all(Array.from({ length: count }, (_, i) => newItem(more(i))));
  const onCustomer = (i: number) => ({ record: { resource: 'customer', id: `c${String(i)}` } });

  /** Of each kind: what is there before, and the writes of the agent; `app`: of the app. */
  const kinds: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
    items: async () => () =>
      some(10, () =>
        agent.post('/items', { inbox: 'mail', title: 'x', data: { email: text(16_000) } }, keyed(text(9))),
      ),
    notes: async () => {
      const item = await newItem();
      return () => some(10, () => agent.post(`/items/${item}/notes`, { text: text(16_000) }, keyed(text(9))));
    },
    replies: async () => {
      const item = await newItem();
      return () => some(10, () => agent.post(`/items/${item}/reply`, { text: text(16_000) }, keyed(text(9))));
    },
    'notes of an update': async () => {
      const item = await newItem();
      return () => some(10, () => agent.call('PATCH', `/items/${item}`, { note: text(16_000) }, keyed(text(9))));
    },
    'states of items with much in them': async () => {
      const item = await newItem({ data: { email: text(16_000) } });
      const states = ['waiting', 'open'];
      return () => some(10, (i) => agent.post(`/items/${item}/state`, { state: states[i % 2] }, keyed(text(9))));
    },
    'values of flags': async () => () =>
      some(10, () => agent.post('/flags/large', { change: { value: text(16_000) } }, keyed(text(9)))),
    'targets of flags': async () => () =>
      some(10, () => agent.post('/flags/large', { change: { targets: { [text(50)]: text(4_000) } } }, keyed(text(9)))),
    'steps of a ramp': async () => {
      const targets = Object.fromEntries(Array.from({ length: 100 }, () => [text(150), true]));
      await ana.post('/flags/ramped', { change: { targets } });
      return async () => {
        const ramp = { to: 50, over: 480_000, every: 60_000, at: null };
        await some(1, () => agent.post('/flags/ramped', { change: { ramp } }, keyed(text(9))));
        for (let step = 1; step <= 8; step++) {
          world.clock.advance(60_000);
          await until('the step is taken', async () => (await ana.get('/flags/ramped')).body.flag.ramp.step === step);
        }
      };
    },
    views: async () => () =>
      some(10, () => ana.post('/me/views', { name: text(80), query: { search: text(150) } }, keyed(text(9)))),
    preferences: async () => () =>
      some(10, () => ana.call('PATCH', '/me', { preferences: { draft: text(15_000) } }, keyed(text(9)))),
    runs: async () => () =>
      some(10, () => agent.post('/actions', { action: 'answer', input: { a: text(8_000) } }, keyed(text(9)))),
    'runs in the background': async () => () =>
      some(10, () => agent.post('/actions', { action: 'later', input: { a: text(8_000) } }, keyed(text(9)))),
    'requests for approval': async () => () =>
      some(10, () => agent.post('/actions', { action: 'ask', input: { a: text(8_000) } }, keyed(text(9)))),
    'bulks of items': async () => {
      const ids = await manyItems(200);
      return async () => {
        await some(1, () =>
          agent.post('/bulk', { ids, operation: { type: 'tags', add: ['t'], remove: [] } }, keyed(text(9))),
        );
        await some(1, () =>
          agent.post('/bulk', { ids, operation: { type: 'tags', add: ['t'], remove: [] } }, keyed(text(9))),
        );
      };
    },
    'bulks of items with much in them': async () => {
      const ids = await manyItems(40, () => ({ data: { email: text(4_000) } }));
      return () =>
        some(1, () => agent.post('/bulk', { ids, operation: { type: 'state', state: 'waiting' } }, keyed(text(9))));
    },
    'bulks of runs': async () => {
      const ids = await manyItems(40, onCustomer);
      const operation = { type: 'action', action: 'each', input: { a: text(2_000) } };
      return () => some(1, () => agent.post('/bulk', { ids, operation }, keyed(text(9))));
    },
    'bulks of one run for many items': async () => {
      const ids = await manyItems(100, () => onCustomer(0));
      const operation = { type: 'action', action: 'each', input: { a: text(2_000) } };
      return () => some(1, () => agent.post('/bulk', { ids, operation, reason: text(1_000) }, keyed(text(9))));
    },
    'records of an app': async () => () =>
      some(10, (i) =>
        key.post('/resources/customer/records', {
          records: [{ id: `r${String(i)}`, title: 'R', fields: { email: text(16_000) } }],
        }),
      ),
    'records over the link': async () => () =>
      app.request('records.put', {
        resource: 'customer',
        records: Array.from({ length: 10 }, (_, i) => ({
          id: `l${String(i)}`,
          title: 'R',
          fields: { email: text(16_000) },
        })),
      }),
    'reports over the link': async () => () =>
      app.request('items.report', { inbox: 'mail', delivery: text(20), title: 'x', data: { email: text(30_000) } }),
    manifests: async () => async () => {
      const described = [{ key: 'large', kind: 'string', default: text(16_000), description: text(1_900) }];
      const other = await connectApp(key, {
        manifest: { ...manifest, flags: described },
        startedAt: Date.now() + 1_000,
      });
      await other.close();
    },
  };
  const ofApp = /of an app|link|manifests/;
  const ofAna = /^(?:views|preferences)$/;
  /** What replaces itself counts each time. */
  const replaced = /^preferences$/;
  for (const [kind, prepare] of Object.entries(kinds))
    it(`of ${kind} is what the usage says, within twice and half of it`, async () => {
      agent = await world.agent('admin');
      const write = await prepare();
      const writer = ofApp.test(kind) ? key.id : ofAna.test(kind) ? ana.id : agent.id;
      const everything = async () => {
        await world.settled();
        await world.indexed();
        return { bytes: await rowBytes(), counted: await writtenBy(writer) };
      };
      const before = await everything();
      await write();
      const now = await everything();
      const [growth, counted] = [now.bytes - before.bytes, now.counted - before.counted];
      expect(counted, kind).to.be.within(growth / 2, replaced.test(kind) ? 10 * 2 * growth : growth * 2);
    });
});

describe('the quota of an environment', () => {
  let world: World;
  let ana: Client;
  let agent: Client;
  before(async () => {
    world = await newWorld({ env: { QUOTA_BYTES: '1000' }, workers: false });
    ana = await world.person('admin', 'Ana', { fresh: true });
    agent = await world.agent('admin');
  });
  after(() => world.close());

  it('refuses what would grow a full one with 507, and lets reads, removals and settings go on', async () => {
    const note = { inbox: 'mail', title: 'x' };
    refused(await agent.post('/items', note), 'quota_exceeded', 507);
    refused(await ana.post('/items', note), 'quota_exceeded', 507);
    expect((await agent.get('/items')).status).to.equal(200);
    expect((await ana.call('DELETE', '/me/views/viw_01jd0000000000000000000000', {})).status).to.equal(404);
    expect((await ana.post('/settings/roles', { name: 'reader', grants: [] })).status).to.equal(201);
    const app = await connectApp(await world.appKey());
    try {
      const failure: unknown = await app
        .request('records.put', { resource: 'customer', records: [{ id: 'a', title: 'A', fields: {} }] })
        .catch((error: unknown) => error);
      expect(JSON.stringify(failure instanceof RpcFailed ? failure.data : null)).to.include('quota_exceeded');
    } finally {
      await app.close();
    }
    const { body } = await ana.get('/settings/usage');
    expect(body.quota).to.equal(1000);
    expect(body.limit).to.equal(1024 ** 3);
    expect(body.bytes).to.be.above(1000);
  });
});

describe('the size of an environment', () => {
  it('is its part of the tables by the statistics of PostgreSQL', async () => {
    const world = await newWorld({ workers: false });
    try {
      await world.environment('small');
      const ana = await world.person('admin', 'Ana', { fresh: true });
      const record = (i: number) => ({ id: `r${String(i)}`, title: 'R', fields: { a: text(2_000) } });
      await world.records(
        'customer',
        Array.from({ length: 300 }, (_, i) => record(i)),
      );
      await world.sql('analyze');
      const sizeIn = async (client: Client): Promise<number> => (await client.get('/settings/usage')).body.bytes;
      const [large, small] = [await sizeIn(ana), await sizeIn(world.elsewhere(ana, 'small'))];
      expect(large - small).to.be.above(500_000);
      const agent = await world.agent('admin');
      await agent.post('/items', { inbox: 'mail', title: 'x' });
      const { written } = (await ana.get('/settings/usage')).body;
      expect(written).to.have.length(1);
      expect(written[0]).to.include({ id: agent.id, name: 'admin agent' });
      expect((await world.elsewhere(ana, 'small').get('/settings/usage')).body.written).to.deep.equal([]);
      const [row] = await world.sql<{ bytes: number }>('select pg_database_size(current_database())::int as bytes');
      expect(large + small).to.be.below(row?.bytes ?? 0);
    } finally {
      await world.close();
    }
  });
});
