/** Triage of new items: the first rule that holds, the app when none does, once, and never over what others have decided. */
import { expect } from 'chai';
import { connectApp, never, rpcError, type FakeApp } from '../support/app.ts';
import type { Client } from '../support/http.ts';
import { startProgram } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const inboxes = [
  {
    name: 'ruled',
    responseTime: 3_600_000,
    triage: {
      rules: [
        {
          when: { field: 'item.title', op: 'contains', value: 'casino' },
          answers: { spam: 'yes' },
          close: true,
          tags: ['spam'],
        },
        { when: { field: 'record.fields.plan', op: 'eq', value: 'team' }, answers: { plan: 'team' }, tags: ['vip'] },
        { when: { field: 'item.fields.lang', op: 'eq', value: 'de' }, answers: { language: 'de' }, state: 'waiting' },
        { when: { field: 'item.fields.lang', op: 'exists' }, answers: { language: 'other' } },
        {
          when: { field: 'item.title', op: 'eq', value: 'For nobody' },
          answers: { who: 'nobody' },
          assignee: 'per_nobody',
        },
      ],
      app: true,
    },
  },
  { name: 'asked', triage: { rules: [], app: true } },
  { name: 'plain' },
] as const;
const manifest = { resources: [{ name: 'customer', source: 'stored' }], inboxes };

describe('triage', () => {
  let world: World;
  let agent: Client;
  let appKey: Client;
  let app: FakeApp | null = null;
  beforeEach(async () => {
    world = await newWorld({ manifest });
    [agent, appKey] = [await world.agent('admin'), await world.appKey()];
  });
  afterEach(async () => {
    await app?.close();
    app = null;
    await world.close();
  });

  const create = async (body: object): Promise<string> => (await agent.post('/items', body)).body.item.id as string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const look = async (id: string): Promise<any> => (await agent.get(`/items/${id}`)).body;
  const connect = async (handler: (params: { item: { id: string; title: string } }) => unknown): Promise<FakeApp> => {
    app = await connectApp(appKey, { manifest, handlers: { 'triage.answer': handler } });
    return app;
  };
  const jobOf = async (item: string) =>
    (
      await world.sql<{ due_at: string | null; last_error: string | null; waits_for_app: boolean; tries: number }>(
        "select due_at, last_error, waits_for_app, tries from staged_jobs where name = 'triageItem' and subject = $1",
        [item],
      )
    )[0];
  const givenUp = (item: string): Promise<string> =>
    until('it is given up', async () => {
      const job = await jobOf(item);
      return job?.due_at === null && job.last_error;
    });

  it('is staged with each new item of an inbox that declares it, and with no occurrence', async () => {
    const [plain, ruled] = [
      await create({ inbox: 'plain', title: 'x' }),
      await create({ inbox: 'ruled', title: 'x casino', key: 'k' }),
    ];
    await world.settled();
    expect((await look(ruled)).triage.closed).to.equal(true);
    await create({ inbox: 'ruled', title: 'x casino', key: 'k' });
    expect(await world.sql('select 1 from staged_jobs where subject = any ($1)', [[plain, ruled]])).to.have.length(0);
    expect((await look(plain)).triage).to.equal(null);
  });

  it('does what the first rule that holds says, as the service', async () => {
    const id = await create({ inbox: 'ruled', title: 'Win at the casino', data: { lang: 'de' } });
    await world.settled();
    const { item, triage, timeline } = await look(id);
    expect(item).to.deep.include({ state: 'closed', triaged: true, dueAt: null, tags: ['spam'] });
    expect(
      triage.answers.map(({ question, answer }: { question: string; answer: unknown }) => [question, answer]),
    ).to.deep.equal([['spam', 'yes']]);
    const entry = timeline.find(({ type }: { type: string }) => type === 'triage');
    expect(entry.actor).to.deep.equal({ type: 'system', id: null, name: 'triage' });
    expect(entry.data).to.deep.equal({ answers: { spam: 'yes' }, closed: true, reason: null });
    const audit = (await agent.get(`/audit?target=${id}&verb=item.triage`)).body.entries;
    expect(audit).to.have.length(1);
    expect(audit[0]).to.include({ outcome: 'ok' });
  });

  it('knows the item’s record', async () => {
    await world.records('customer', [{ id: 'c1', title: 'Ada', fields: { plan: 'team' } }]);
    const id = await create({
      inbox: 'ruled',
      title: 'Help',
      data: { lang: 'de' },
      record: { resource: 'customer', id: 'c1' },
    });
    await world.settled();
    expect((await look(id)).item).to.deep.include({ tags: ['vip'], state: 'open' });
  });

  it('asks the app only when no rule holds', async () => {
    const connected = await connect(({ item }) => ({
      answers: { spam: 'no', title: item.title },
      tags: ['seen'],
      reason: 'It reads well.',
    }));
    const [ruled, open] = [
      await create({ inbox: 'ruled', title: 'Hallo', data: { lang: 'de' } }),
      await create({ inbox: 'ruled', title: 'Hello' }),
    ];
    await world.settled();
    expect((await look(ruled)).item.state).to.equal('waiting');
    const { item, triage, timeline } = await look(open);
    expect(item.tags).to.deep.equal(['seen']);
    expect(triage.answers[0].by).to.include({ type: 'app' });
    expect(timeline.find(({ type }: { type: string }) => type === 'triage').data).to.include({
      reason: 'It reads well.',
      closed: false,
    });
    expect(
      connected.received.filter(({ method }) => method === 'triage.answer').map(({ params }) => params.item.id),
    ).to.deep.equal([open]);
  });

  it('does nothing when the app has nothing to say', async () => {
    await connect(() => null);
    const id = await create({ inbox: 'asked', title: 'Hello' });
    await world.settled();
    const { item, triage } = await look(id);
    expect([item.version, triage]).to.deep.equal([1, null]);
    expect(await jobOf(id)).to.equal(undefined);
  });

  it('waits for the app while it is offline', async () => {
    const id = await create({ inbox: 'asked', title: 'Hello' });
    await until('it waits', async () => (await jobOf(id))?.waits_for_app);
    await connect(() => ({ answers: { spam: 'no' } }));
    await until('it is triaged', async () => (await look(id)).triage !== null);
    expect(await until('the job has gone', async () => (await jobOf(id)) === undefined)).to.equal(true);
  });

  it('gives up on an answer that the endpoint would refuse, and does nothing', async () => {
    const answers: unknown[] = [
      { answers: { a: 1 }, state: 'nowhere' },
      { answers: { a: 1 }, colour: 'red' },
      { answers: [] },
      'yes',
      { answers: { a: 1 }, close: true, state: 'open' },
    ];
    await connect(() => answers.shift());
    const ids = [];
    for (const title of ['a', 'b', 'c', 'd', 'e']) {
      const id = await create({ inbox: 'asked', title });
      ids.push(id);
      expect(await givenUp(id)).to.match(/valid|can’t be applied/);
    }
    for (const id of ids) expect((await look(id)).item.version).to.equal(1);
    const unheld = await create({ inbox: 'ruled', title: 'For nobody' });
    expect(await givenUp(unheld)).to.include('can’t be applied');
    expect((await look(unheld)).item.version).to.equal(1);
  });

  it('asks an app that fails a few times, and then no more', async () => {
    const connected = await connect(() => {
      throw rpcError(-32603, 'The model is away.');
    });
    const id = await create({ inbox: 'asked', title: 'Hello' });
    const reason = await until(
      'it is given up',
      async () => {
        // Not to wait for the backoff, which is tested by itself.
        await world.sql('update staged_jobs set due_at = 0 where subject = $1 and enqueued_at is null and due_at > 0', [
          id,
        ]);
        const job = await jobOf(id);
        return job?.due_at === null && job.last_error;
      },
      20_000,
    );
    expect(reason).to.include('The model is away.');
    expect(connected.received.filter(({ method }) => method === 'triage.answer')).to.have.length(5);
  });

  it('leaves what others have decided meanwhile', async () => {
    const asked = [
      await create({ inbox: 'asked', title: 'triaged' }),
      await create({ inbox: 'asked', title: 'closed' }),
    ];
    await until('both wait', async () => (await Promise.all(asked.map(jobOf))).every((job) => job?.waits_for_app));
    const [triaged = '', closed = ''] = asked;
    await agent.post(`/items/${triaged}/triage`, { answers: { spam: 'perhaps' } });
    await agent.post(`/items/${closed}/state`, { state: 'closed' });
    await connect(() => ({ answers: { spam: 'no' }, state: 'waiting' }));
    await until('both are done', async () => (await Promise.all(asked.map(jobOf))).every((job) => job === undefined));
    const [first, second] = await Promise.all(asked.map(look));
    expect(first.triage.answers[0].answer).to.equal('perhaps');
    expect(first.item.state).to.equal('open');
    expect(second.item).to.include({ state: 'closed', triaged: false });
    expect(second.triage.answers[0].answer).to.equal('no');
  });

  it('is asked for again when the worker is killed in between, and written once', async () => {
    await world.close();
    world = await newWorld({ manifest, workers: false });
    [agent, appKey] = [await world.agent('admin'), await world.appKey()];
    const first = await startProgram(world, 'workers/main.ts');
    let asked = 0;
    await connect(() => {
      asked += 1;
      return asked === 1 ? never() : { answers: { spam: 'no' }, close: true };
    });
    const id = await create({ inbox: 'asked', title: 'Hello' });
    await until('the app is asked', () => asked === 1, 20_000);
    await first.end();
    const second = await startProgram(world, 'workers/main.ts');
    await until('it is triaged', async () => (await look(id)).triage !== null, 30_000);
    await until('the job has gone', async () => (await jobOf(id)) === undefined);
    expect((await look(id)).item).to.include({ state: 'closed', triaged: true, version: 2 });
    await second.end();
  });

  it('is written once however often the job runs', async () => {
    const id = await create({ inbox: 'ruled', title: 'casino' });
    await world.settled();
    // Each answer says anew when it was read.
    const read = async () => ({ ...(await look(id)), seen: null });
    const before = await read();
    await world.sql(
      `insert into staged_jobs (id, env, name, payload, subject, due_at, created_at)
      select 'job_again' || n, 1, 'triageItem', jsonb_build_object('item', $1::text), $1::text, 0, 0 from generate_series(1, 5) n`,
      [id],
    );
    await world.settled();
    expect(await read()).to.deep.equal(before);
  });
});
