/** Actions over HTTP with a connected app: every answer of POST /actions, the order of the steps, runs and what they leave behind. */
import { expect } from 'chai';
import { connectApp, rpcError, type FakeApp } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { openLive } from '../support/live.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  resources: [
    { name: 'order', source: 'stored', fields: [{ name: 'status', filter: true }, { name: 'email' }] },
    { name: 'payment', source: 'app', fields: [{ name: 'status' }] },
    { name: 'vault', source: 'stored' },
  ],
  inboxes: [{ name: 'mail' }, { name: 'secret' }],
  actions: [
    {
      name: 'receipt',
      label: 'Send receipt',
      resource: 'order',
      input: {
        type: 'object',
        additionalProperties: false,
        required: ['email'],
        properties: { email: { type: 'string', minLength: 3 }, copies: { type: 'integer', default: 1 } },
      },
      defaults: { email: '{{record.fields.email}}' },
    },
    {
      name: 'refund',
      label: 'Refund',
      resource: 'order',
      danger: 'high',
      when: { field: 'record.fields.status', op: 'eq', value: 'paid' },
    },
    { name: 'approve_me', resource: 'order', approval: true },
    { name: 'fresh', freshSignIn: true },
    { name: 'reindex', background: true, repeatable: true },
    { name: 'strict', offline: 'refuse' },
    { name: 'settle_payment', resource: 'payment' },
    { name: 'open_vault', resource: 'vault' },
    { name: 'ping' },
  ],
} as const;

const clerk = [
  { on: 'inbox:mail', can: ['*'] },
  { on: 'resource:order', can: ['see'] },
  { on: 'resource:payment', can: ['see'] },
  ...['receipt', 'refund', 'approve_me', 'fresh', 'reindex', 'strict', 'settle_payment', 'open_vault', 'ping'].map(
    (name) => ({ on: `action:${name}`, can: ['run'] }),
  ),
];

describe('http: actions', () => {
  let world: World;
  let agent: Client;
  let viewer: Client;
  let key: Client;

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', clerk);
    await world.role('sees-orders', [{ on: 'resource:order', can: ['see'] }]);
    agent = await world.agent('clerk');
    viewer = await world.agent('sees-orders');
    key = await world.appKey();
    await world.records('order', [
      { id: 'o1', title: 'Order 1', fields: { status: 'paid', email: 'ana@example.com' } },
      { id: 'o2', title: 'Order 2', fields: { status: 'open', email: 'bo@example.com' } },
    ]);
  });
  after(() => world.close());

  const online = (
    handlers: Parameters<typeof connectApp>[1] extends infer O
      ? O extends { handlers?: infer H }
        ? H
        : never
      : never = {},
  ): Promise<FakeApp> =>
    connectApp(key, { manifest, handlers: { 'action.run': () => ({ message: 'Done.', blocks: [] }), ...handlers } });
  const offline = async (app: FakeApp): Promise<void> => {
    await app.close();
    await until('the app is offline', async () => (await world.sql('select 1 from app_connections')).length === 0);
  };
  const runOf = async (id: string, client = agent): Promise<Reply['body']> =>
    (await client.get(`/runs/${id}`)).body.run;
  const settled = (id: string): Promise<unknown> =>
    until(
      `the run ${id} is settled`,
      async () => !['pending', 'queued', 'running'].includes((await runOf(id)).status),
      20_000,
    );
  const codeOf = (reply: Reply): string => `${String(reply.status)} ${String(reply.body.code)}`;

  describe('with the app online', () => {
    let app: FakeApp;
    /** How often the app was called. */
    const calls = (): number => app.received.filter(({ method }) => method !== 'app.problem').length;
    before(async () => {
      app = await online();
    });
    after(() => offline(app));

    it('is answered by what was written, without reading the run again', async () => {
      const reads = async (): Promise<number> => {
        const text = await (await fetch(new URL('/metrics', world.base))).text();
        return Number(/^console_postgres_statements_total\{statement="runs\.one"\} (\d+)$/m.exec(text)?.[1] ?? 0);
      };
      await runOf((await agent.post('/actions', { action: 'ping' })).body.run as string);
      const before = await reads();
      expect(before).to.be.above(0);
      for (let n = 0; n < 5; n++) expect((await agent.post('/actions', { action: 'ping' })).status).to.equal(200);
      expect(await reads()).to.equal(before);
    });

    it('answers the result, with the input’s defaults filled in and the record and the actor told to the app', async () => {
      app.handle('action.run', () => ({ message: 'Sent.', blocks: [{ type: 'text', title: 'Sent', text: 'To ana' }] }));
      const reply = await agent.post('/actions', {
        action: 'receipt',
        record: 'o1',
        input: { email: 'ana@example.com' },
      });
      expect(reply.status, reply.text).to.equal(200);
      expect(reply.body).to.deep.include({
        message: 'Sent.',
        blocks: [{ type: 'text', title: 'Sent', text: 'To ana' }],
      });
      const { params } = app.received.at(-2) ?? app.received.at(-1) ?? { params: {} };
      expect(params).to.deep.include({
        run: reply.body.run,
        action: 'receipt',
        input: { email: 'ana@example.com', copies: 1 },
        attempt: 1,
        background: false,
        item: null,
      });
      expect(params.record).to.deep.include({ resource: 'order', id: 'o1', title: 'Order 1' });
      expect(params.actor).to.deep.include({ type: 'agent', id: agent.id });
      expect(await runOf(reply.body.run)).to.deep.include({
        status: 'succeeded',
        attempts: 1,
        message: 'Sent.',
        record: 'o1',
        error: null,
      });
      await until('the app may forget it', () =>
        app.received.some(({ method, params: told }) => method === 'run.settled' && told.run === reply.body.run),
      );
    });

    it('passes on what the app refuses as 422 action_failed, and calls anything else that goes wrong there 502 app_error', async () => {
      app.handle('action.run', () => {
        throw rpcError(-32001, 'The card has expired.');
      });
      const refused = await agent.post('/actions', { action: 'ping' });
      expect(codeOf(refused)).to.equal('422 action_failed');
      expect(refused.body.error).to.equal('The card has expired.');
      app.handle('action.run', () => {
        throw rpcError(-32603, 'secret stack');
      });
      const broken = await agent.post('/actions', { action: 'ping' });
      expect(codeOf(broken)).to.equal('502 app_error');
      expect(broken.text).not.to.include('secret stack');
      expect(await runOf(broken.body.run)).to.include({ status: 'failed' });
    });

    it('says plainly that it is not known what an app did whose answer is not valid', async () => {
      app.handle('action.run', () => ({ message: 5 }));
      const reply = await agent.post('/actions', { action: 'ping' });
      expect(codeOf(reply)).to.equal('502 app_error');
      expect(await runOf(reply.body.run)).to.include({ status: 'unknown' });
      app.handle('action.run', () => ({ message: 'ok', blocks: [{ type: 'nonsense' }] }));
      const blocks = await agent.post('/actions', { action: 'ping' });
      expect(blocks.status).to.equal(200);
      expect(blocks.body.blocks[0]).to.include({ type: 'error', code: 'app_error' });
    });

    it('takes the steps in their order, and the first that fails answers', async () => {
      app.handle('action.run', () => null);
      const before = calls();
      const post = async (body: unknown, client = agent): Promise<string> =>
        codeOf(await client.post('/actions', body));
      expect(await post({})).to.equal('400 invalid');
      expect(await post({ action: 'ping', extra: 1 })).to.equal('400 invalid');
      expect(await post({ action: 'nope' })).to.equal('404 not_found');
      expect(await post({ action: '__proto__' })).to.equal('404 not_found');
      expect(await post({ action: 'open_vault', record: 'v1' })).to.equal('404 not_found');
      expect(await post({ action: 'receipt', record: 'o1', input: { email: 'ana@example.com' } }, viewer)).to.equal(
        '403 forbidden',
      );
      expect(await post({ action: 'ping' }, viewer)).to.equal('404 not_found');
      expect(await post({ action: 'fresh', record: 'o1' })).to.equal('403 fresh_sign_in_required');
      expect(await post({ action: 'ping', record: 'o1' })).to.equal('400 invalid');
      expect(await post({ action: 'receipt' })).to.equal('400 invalid');
      for (const [record, details] of [
        ['o99', [{ path: 'record', message: 'no order has this id' }]],
        ['o1', [{ path: 'item', message: 'you see no item with this id' }]],
      ] as const) {
        const missing = await agent.post('/actions', { action: 'receipt', record, item: 'itm_x', input: {} });
        expect(codeOf(missing)).to.equal('404 not_found');
        expect(missing.body.details).to.deep.equal(details);
      }
      const wrong = await agent.post('/actions', { action: 'receipt', record: 'o1', input: { email: 1, more: true } });
      expect(codeOf(wrong)).to.equal('400 invalid');
      expect(wrong.body.details.map((detail: { path: string }) => detail.path).sort()).to.deep.equal([
        'input.email',
        'input.more',
      ]);
      expect(await post({ action: 'refund', record: 'o2' })).to.equal('409 conflict');
      const danger = await agent.post('/actions', { action: 'refund', record: 'o1' });
      expect(codeOf(danger)).to.equal('409 confirmation_required');
      expect(danger.body.details).to.deep.equal([{ path: 'confirmed', message: 'danger: high' }]);
      expect(await post({ action: 'refund', record: 'o1', confirmed: 'true' })).to.equal('400 invalid');
      expect(calls(), 'the app sees nothing of it').to.equal(before);
      expect((await agent.post('/actions', { action: 'refund', record: 'o1', confirmed: true })).status).to.equal(200);
    });

    it('answers pending for what needs approval, once for the same request, and the app sees nothing', async () => {
      const before = calls();
      const reply = await agent.post('/actions', { action: 'approve_me', record: 'o1' });
      expect(reply.status, reply.text).to.equal(202);
      expect(reply.body).to.have.all.keys('pending', 'approval', 'run');
      const again = await agent.post('/actions', { action: 'approve_me', record: 'o1' });
      expect(again.body).to.deep.equal(reply.body);
      expect((await agent.post('/actions', { action: 'approve_me', record: 'o2' })).body.run).not.to.equal(
        reply.body.run,
      );
      expect(await runOf(reply.body.run)).to.deep.include({ status: 'pending', approval: reply.body.approval });
      expect(calls()).to.equal(before);
      const cancelled = await agent.post(`/runs/${String(reply.body.run)}/cancel`);
      expect(cancelled.body.run).to.include({ status: 'cancelled' });
      expect(codeOf(await agent.post(`/runs/${String(reply.body.run)}/cancel`))).to.equal('409 conflict');
      expect((await agent.post('/actions', { action: 'approve_me', record: 'o1' })).body.run).not.to.equal(
        reply.body.run,
      );
    });

    it('answers running for a background action, whose progress comes live, and it ends as the app says', async () => {
      let finish: (value: unknown) => void = () => undefined;
      app.handle('action.run', (params) => {
        app.notify('run.progress', { run: params.run, progress: 0.5, message: 'Half' });
        return new Promise((resolve) => {
          finish = resolve;
        });
      });
      const live = await openLive(agent);
      const reply = await agent.post('/actions', { action: 'reindex', reason: 'Prices have changed.' });
      expect(reply.status).to.equal(202);
      expect(reply.body).to.deep.equal({ running: true, run: reply.body.run });
      const { run } = await live.next(
        'half is done',
        (message) => message.type === 'run' && (message['run'] as { progress: unknown }).progress === 0.5,
      );
      const { blocks: _, ...told } = run as Record<string, unknown>;
      expect(await runOf(reply.body.run)).to.deep.include({ ...told, reason: 'Prices have changed.' });
      await live.close();
      expect(await runOf(reply.body.run)).to.deep.include({ status: 'running', message: 'Half', attempts: 1 });
      finish({ message: 'All indexed.' });
      await settled(reply.body.run);
      expect(await runOf(reply.body.run)).to.deep.include({
        status: 'succeeded',
        message: 'All indexed.',
        progress: 1,
      });
    });

    it('tries again what the app calls retryable, and says so while it does', async () => {
      let calls = 0;
      app.handle('action.run', () => {
        calls += 1;
        if (calls === 1) throw rpcError(-32001, 'Busy.', { retryable: true });
        return { message: 'Done at last.' };
      });
      const reply = await agent.post('/actions', { action: 'ping' });
      expect(reply.status).to.equal(202);
      expect(reply.body).to.include({ running: true });
      await settled(reply.body.run);
      expect(await runOf(reply.body.run)).to.deep.include({
        status: 'succeeded',
        message: 'Done at last.',
        attempts: 2,
      });
      app.handle('action.run', () => null);
    });

    it('checks an app-served record with the app', async () => {
      app.handle('records.get', ({ ids }) => ({
        records: ids.includes('p1') ? [{ id: 'p1', title: 'Payment 1', fields: { status: 'open' } }] : [],
      }));
      expect((await agent.post('/actions', { action: 'settle_payment', record: 'p1' })).status).to.equal(200);
      expect(codeOf(await agent.post('/actions', { action: 'settle_payment', record: 'p2' }))).to.equal(
        '404 not_found',
      );
    });

    it('leaves one entry on the item’s timeline, in its latest status, and one in the record’s history', async () => {
      app.handle('action.run', () => ({ message: 'Sent.' }));
      const item = (await agent.post('/items', { inbox: 'mail', title: 'Where is my receipt?' })).body.item.id;
      const reply = await agent.post('/actions', {
        action: 'receipt',
        record: 'o1',
        item,
        input: { email: 'ana@example.com' },
      });
      const { timeline } = (await agent.get(`/items/${String(item)}`)).body;
      const entries = timeline.filter((entry: { type: string }) => entry.type === 'action');
      expect(entries).to.have.length(1);
      expect(entries[0].data).to.deep.equal({
        run: reply.body.run,
        action: 'receipt',
        label: 'Send receipt',
        status: 'succeeded',
        message: 'Sent.',
        finishedAt: (await agent.get(`/runs/${String(reply.body.run)}`)).body.run.finishedAt,
      });
      expect(entries[0].actor).to.deep.include({ type: 'agent', id: agent.id });
    });

    it('keeps the answer under an idempotency key: the app is called once, and all get the same bytes or in_progress', async () => {
      let calls = 0;
      let finish: (value: unknown) => void = () => undefined;
      app.handle('action.run', () => {
        calls += 1;
        return new Promise((resolve) => {
          finish = resolve;
        });
      });
      const headers = { 'idempotency-key': 'once-1' };
      const first = agent.post('/actions', { action: 'ping' }, { headers });
      await until('the app is called', () => calls === 1);
      const others = await Promise.all(
        Array.from({ length: 20 }, () => agent.post('/actions', { action: 'ping' }, { headers })),
      );
      for (const other of others) expect(codeOf(other)).to.equal('409 in_progress');
      finish({ message: 'Once.' });
      const done = await first;
      expect(done.status).to.equal(200);
      const replay = await agent.post('/actions', { action: 'ping' }, { headers });
      expect(replay.status).to.equal(200);
      expect(replay.text).to.equal(done.text);
      expect(replay.headers.get('idempotent-replayed')).to.equal('true');
      expect(calls).to.equal(1);
      expect(codeOf(await agent.post('/actions', { action: 'reindex' }, { headers }))).to.equal(
        '422 idempotency_mismatch',
      );
      app.handle('action.run', () => {
        throw rpcError(-32001, 'No.');
      });
      const refusing = { 'idempotency-key': 'once-2' };
      const refused = await agent.post('/actions', { action: 'ping' }, { headers: refusing });
      const refusedAgain = await agent.post('/actions', { action: 'ping' }, { headers: refusing });
      expect([refused.status, refusedAgain.status]).to.deep.equal([422, 422]);
      expect(refusedAgain.text).to.equal(refused.text);
      app.handle('action.run', () => null);
    });

    it('runs again under the same id what failed, through every step again up to its result, and nothing that succeeded', async () => {
      app.handle('action.run', () => {
        throw rpcError(-32001, 'Not today.');
      });
      const failed = await agent.post('/actions', { action: 'ping' });
      const attempts: number[] = [];
      app.handle('action.run', (params) => {
        attempts.push(params.attempt);
        return { message: 'Tomorrow.' };
      });
      const headers = { 'idempotency-key': 'retried' };
      const retried = await agent.post(`/runs/${String(failed.body.run)}/retry`, {}, { headers });
      expect(retried.status, retried.text).to.equal(200);
      expect(retried.body).to.deep.equal({ message: 'Tomorrow.', blocks: [], run: failed.body.run });
      expect((await agent.post(`/runs/${String(failed.body.run)}/retry`, {}, { headers })).text).to.equal(retried.text);
      const again = await runOf(failed.body.run);
      expect(again).to.include({ status: 'succeeded', attempt: 2 });
      expect(again.startedAt).to.be.at.least(again.requestedAt);
      expect(attempts).to.deep.equal([2]);
      expect(codeOf(await agent.post(`/runs/${String(failed.body.run)}/retry`))).to.equal('409 conflict');
    });

    it('refuses to run again what succeeded, before it asks for a confirmation', async () => {
      app.handle('action.run', () => null);
      const dangerous = { action: 'refund', record: 'o1', confirmed: true };
      const { run } = (await agent.post('/actions', dangerous)).body;
      expect(await runOf(run)).to.include({ status: 'succeeded' });
      expect(codeOf(await agent.post(`/runs/${String(run)}/retry`))).to.equal('409 conflict');
    });

    it('shows runs to who asked, and to who may run the action on records that they see', async () => {
      app.handle('action.run', () => null);
      const mine = (
        await agent.post('/actions', { action: 'receipt', record: 'o1', input: { email: 'ana@example.com' } })
      ).body.run;
      expect((await viewer.get(`/runs/${String(mine)}`)).status).to.equal(404);
      expect((await (await world.agent('operator')).get(`/runs/${String(mine)}`)).status).to.equal(200);
      const page = await agent.get('/runs?action=receipt&limit=1');
      expect(page.body.runs).to.have.length(1);
      expect(page.body.runs[0].id).to.equal(mine);
      const next = await agent.get(`/runs?action=receipt&limit=200&cursor=${encodeURIComponent(page.body.cursor)}`);
      expect(next.body.runs.map((run: { id: string }) => run.id)).not.to.include(mine);
      expect((await viewer.get('/runs')).body).to.deep.equal({ runs: [], cursor: null });
      expect(codeOf(await viewer.get(`/runs?action=receipt&cursor=${encodeURIComponent(page.body.cursor)}`))).to.equal(
        '400 bad_cursor',
      );
    });

    it('says what applies, with defaults of the declaration and of the app, and the same nothing for hidden and unknown records', async () => {
      app.handle('action.available', () => ({
        available: [
          {
            resource: 'order',
            id: 'o1',
            actions: [{ action: 'receipt', defaults: { copies: 3 } }],
            unavailable: [{ action: 'approve_me', reason: 'Approved already.' }],
          },
        ],
      }));
      const { available } = (
        await agent.post('/available', {
          refs: [
            { resource: 'order', id: 'o1' },
            { resource: 'order', id: 'o2' },
            { resource: 'order', id: 'o9' },
            { resource: 'vault', id: 'v1' },
          ],
        })
      ).body;
      expect(available[0].actions.map((entry: { action: string }) => entry.action)).to.deep.equal([
        'receipt',
        'refund',
      ]);
      expect(available[0].actions[0]).to.deep.include({
        label: 'Send receipt',
        danger: null,
        defaults: { email: 'ana@example.com', copies: 3 },
      });
      expect(available[0].unavailable).to.deep.equal([{ action: 'approve_me', reason: 'Approved already.' }]);
      expect(available[1].unavailable.map((entry: { action: string }) => entry.action)).to.deep.equal(['refund']);
      expect(available[2]).to.deep.equal({ resource: 'order', id: 'o9', actions: [], unavailable: [] });
      expect(available[3]).to.deep.equal({ resource: 'vault', id: 'v1', actions: [], unavailable: [] });
      expect((await agent.post('/available', { refs: [] })).status).to.equal(400);
      expect(
        (await agent.post('/available', { refs: Array.from({ length: 101 }, () => ({ resource: 'order', id: 'o1' })) }))
          .status,
      ).to.equal(400);
    });

    it('lists the actions that the role may run', async () => {
      expect((await agent.get('/actions')).body.actions.map((action: { name: string }) => action.name)).to.deep.equal([
        'approve_me',
        'fresh',
        'ping',
        'receipt',
        'refund',
        'reindex',
        'settle_payment',
        'strict',
      ]);
      expect((await viewer.get('/actions')).body.actions).to.deep.equal([]);
    });
  });

  describe('with the app offline', () => {
    it('queues, and runs what was queued once the app is back: in order per record, each once', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 6; n++) {
        const reply = await agent.post('/actions', {
          action: 'receipt',
          record: n % 2 === 0 ? 'o1' : 'o2',
          input: { email: `n${String(n)}@example.com` },
        });
        expect(reply.status, reply.text).to.equal(202);
        expect(reply.body).to.deep.equal({ queued: true, run: reply.body.run });
        ids.push(reply.body.run);
      }
      expect(await runOf(ids[0] ?? '')).to.include({ status: 'queued', startedAt: null });
      const cancelled = ids.pop() ?? '';
      expect((await agent.post(`/runs/${cancelled}/cancel`)).body.run.status).to.equal('cancelled');
      const begun: { run: string; record: string }[] = [];
      const app = await online({
        'action.run': (params: { run: string; record: { id: string } }) => {
          begun.push({ run: params.run, record: params.record.id });
          return { message: 'Sent.' };
        },
      });
      for (const id of ids) await settled(id);
      expect(begun.map(({ run }) => run)).to.have.members(ids);
      expect(begun.filter(({ record }) => record === 'o1').map(({ run }) => run)).to.deep.equal([
        ids[0],
        ids[2],
        ids[4],
      ]);
      expect(await runOf(ids[0] ?? '')).to.include({ status: 'succeeded' });
      await offline(app);
    });

    it('refuses what is not to be queued, and keeps nothing of it', async () => {
      expect(codeOf(await agent.post('/actions', { action: 'strict' }))).to.equal('503 app_offline');
      expect((await agent.get('/runs?action=strict')).body.runs).to.deep.equal([]);
    });

    it('checks a queued run anew when it starts: a lost right, a record that has gone, a condition that no longer holds', async () => {
      const role = await world.role('passing', clerk);
      const passing = await world.agent('passing');
      const ask = async (client: Client, record: string): Promise<string> =>
        (await client.post('/actions', { action: 'refund', record, confirmed: true })).body.run;
      await world.records('order', [
        { id: 'o5', title: 'Order 5', fields: { status: 'paid' } },
        { id: 'o6', title: 'Order 6', fields: { status: 'paid' } },
        { id: 'o7', title: 'Order 7', fields: { status: 'paid' } },
      ]);
      const [lost, gone, changed] = [await ask(passing, 'o5'), await ask(agent, 'o6'), await ask(agent, 'o7')];
      await world.sql('update roles set grants = $2 where id = $1', [
        role,
        JSON.stringify([{ on: 'resource:order', can: ['see'] }]),
      ]);
      await world.sql('update revisions set n = n + 1');
      await world.sql("delete from records where id = 'o6'");
      await world.sql(`update records set fields = '{"status":"refunded"}' where id = 'o7'`);
      const seen: string[] = [];
      const app = await online({
        'action.run': (params: { run: string }) => {
          seen.push(params.run);
          return null;
        },
      });
      for (const id of [lost, gone, changed])
        await until(
          `${id} has failed`,
          async () =>
            (await world.sql<{ status: string }>('select status from runs where id = $1', [id]))[0]?.status ===
            'failed',
          20_000,
        );
      expect(seen).to.deep.equal([]);
      expect([(await runOf(gone)).code, (await runOf(changed)).code]).to.deep.equal(['not_found', 'conflict']);
      await offline(app);
    });

    it('says of a queued run that its action is gone, but not to whoever may not run it any more', async () => {
      const role = await world.role('leaving', clerk);
      const leaving = await world.agent('leaving');
      const [own, theirs] = [
        (await agent.post('/actions', { action: 'ping' })).body.run,
        (await leaving.post('/actions', { action: 'ping' })).body.run,
      ];
      await world.sql(`update roles set grants = '[]' where id = $1`, [role]);
      await world.sql('update revisions set n = n + 1');
      const less = { ...manifest, actions: manifest.actions.filter(({ name }) => name !== 'ping') };
      const app = await connectApp(key, { manifest: less, startedAt: Date.now() });
      const ended = (run: string) =>
        until(`${run} has failed`, async () => {
          const [found] = await world.sql<{ status: string; error: string; code: string }>(
            'select status, error, code from runs where id = $1',
            [run],
          );
          return found?.status === 'failed' && found;
        });
      expect(await ended(own)).to.include({ code: 'not_found', error: 'The action is declared no more.' });
      expect(await ended(theirs)).to.include({
        code: 'not_found',
        error: 'There is nothing here that you can see.',
      });
      await offline(app);
      const back = await connectApp(key, { manifest, startedAt: Date.now() });
      await offline(back);
    });

    it('expires what waited too long, said so in the run', async () => {
      const reply = await agent.post('/actions', { action: 'ping' });
      await world.sql('update runs set expires_at = 1 where id = $1', [reply.body.run]);
      await settled(reply.body.run);
      expect(await runOf(reply.body.run)).to.include({ status: 'expired' });
      const app = await online();
      const retried = await agent.post(`/runs/${String(reply.body.run)}/retry`);
      expect([retried.status, retried.body.run]).to.deep.equal([200, reply.body.run]);
      expect(await runOf(reply.body.run)).to.include({ status: 'succeeded' });
      await offline(app);
    });
  });
});
