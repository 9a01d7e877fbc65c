/** Actions over HTTP with a connected app: every answer of POST /actions, the order of the steps, runs and what they leave behind. */
import { expect } from 'chai';
import { rpcError, type FakeApp } from '../support/app.ts';
import { openLive } from '../support/live.ts';
import { until } from '../support/until.ts';
import { useActions } from './actionsWorld.ts';

describe('http: actions', () => {
  const here = useActions();
  const { online, offline, runOf, settled, codeOf } = here;

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
        const text = await (await fetch(new URL('/metrics', here.world.base))).text();
        return Number(/^console_postgres_statements_total\{statement="runs\.one"\} (\d+)$/m.exec(text)?.[1] ?? 0);
      };
      await runOf((await here.agent.post('/actions', { action: 'ping' })).body.run as string);
      const before = await reads();
      expect(before).to.be.above(0);
      for (let n = 0; n < 5; n++) expect((await here.agent.post('/actions', { action: 'ping' })).status).to.equal(200);
      expect(await reads()).to.equal(before);
    });

    it('answers the result, with the input’s defaults filled in and the record and the actor told to the app', async () => {
      app.handle('action.run', () => ({ message: 'Sent.', blocks: [{ type: 'text', title: 'Sent', text: 'To ana' }] }));
      const reply = await here.agent.post('/actions', {
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
      expect(params.actor).to.deep.include({ type: 'agent', id: here.agent.id });
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
      const refused = await here.agent.post('/actions', { action: 'ping' });
      expect(codeOf(refused)).to.equal('422 action_failed');
      expect(refused.body.error).to.equal('The card has expired.');
      app.handle('action.run', () => {
        throw rpcError(-32603, 'secret stack');
      });
      const broken = await here.agent.post('/actions', { action: 'ping' });
      expect(codeOf(broken)).to.equal('502 app_error');
      expect(broken.text).not.to.include('secret stack');
      expect(await runOf(broken.body.run)).to.include({ status: 'failed' });
    });

    it('says plainly that it is not known what an app did whose answer is not valid', async () => {
      app.handle('action.run', () => ({ message: 5 }));
      const reply = await here.agent.post('/actions', { action: 'ping' });
      expect(codeOf(reply)).to.equal('502 app_error');
      expect(await runOf(reply.body.run)).to.include({ status: 'unknown' });
      app.handle('action.run', () => ({ message: 'ok', blocks: [{ type: 'nonsense' }] }));
      const blocks = await here.agent.post('/actions', { action: 'ping' });
      expect(blocks.status).to.equal(200);
      expect(blocks.body.blocks[0]).to.include({ type: 'error', code: 'app_error' });
    });

    it('takes the steps in their order, and the first that fails answers', async () => {
      app.handle('action.run', () => null);
      const before = calls();
      const post = async (body: unknown, client = here.agent): Promise<string> =>
        codeOf(await client.post('/actions', body));
      expect(await post({})).to.equal('400 invalid');
      expect(await post({ action: 'ping', extra: 1 })).to.equal('400 invalid');
      expect(await post({ action: 'nope' })).to.equal('404 not_found');
      expect(await post({ action: '__proto__' })).to.equal('404 not_found');
      expect(await post({ action: 'open_vault', record: 'v1' })).to.equal('404 not_found');
      expect(
        await post({ action: 'receipt', record: 'o1', input: { email: 'ana@example.com' } }, here.viewer),
      ).to.equal('403 forbidden');
      expect(await post({ action: 'ping' }, here.viewer)).to.equal('404 not_found');
      expect(await post({ action: 'fresh', record: 'o1' })).to.equal('403 fresh_sign_in_required');
      expect(await post({ action: 'ping', record: 'o1' })).to.equal('400 invalid');
      expect(await post({ action: 'receipt' })).to.equal('400 invalid');
      for (const [record, details] of [
        ['o99', [{ path: 'record', message: 'no order has this id' }]],
        ['o1', [{ path: 'item', message: 'you see no item with this id' }]],
      ] as const) {
        const missing = await here.agent.post('/actions', { action: 'receipt', record, item: 'itm_x', input: {} });
        expect(codeOf(missing)).to.equal('404 not_found');
        expect(missing.body.details).to.deep.equal(details);
      }
      const wrong = await here.agent.post('/actions', {
        action: 'receipt',
        record: 'o1',
        input: { email: 1, more: true },
      });
      expect(codeOf(wrong)).to.equal('400 invalid');
      expect(wrong.body.details.map((detail: { path: string }) => detail.path).sort()).to.deep.equal([
        'input.email',
        'input.more',
      ]);
      expect(await post({ action: 'refund', record: 'o2' })).to.equal('409 conflict');
      const danger = await here.agent.post('/actions', { action: 'refund', record: 'o1' });
      expect(codeOf(danger)).to.equal('409 confirmation_required');
      expect(danger.body.details).to.deep.equal([{ path: 'confirmed', message: 'danger: high' }]);
      expect(await post({ action: 'refund', record: 'o1', confirmed: 'true' })).to.equal('400 invalid');
      expect(calls(), 'the app sees nothing of it').to.equal(before);
      expect((await here.agent.post('/actions', { action: 'refund', record: 'o1', confirmed: true })).status).to.equal(
        200,
      );
    });

    it('answers pending for what needs approval, once for the same request, and the app sees nothing', async () => {
      const before = calls();
      const reply = await here.agent.post('/actions', { action: 'approve_me', record: 'o1' });
      expect(reply.status, reply.text).to.equal(202);
      expect(reply.body).to.have.all.keys('pending', 'approval', 'run');
      const again = await here.agent.post('/actions', { action: 'approve_me', record: 'o1' });
      expect(again.body).to.deep.equal(reply.body);
      expect((await here.agent.post('/actions', { action: 'approve_me', record: 'o2' })).body.run).not.to.equal(
        reply.body.run,
      );
      expect(await runOf(reply.body.run)).to.deep.include({ status: 'pending', approval: reply.body.approval });
      expect(calls()).to.equal(before);
      const cancelled = await here.agent.post(`/runs/${String(reply.body.run)}/cancel`);
      expect(cancelled.body.run).to.include({ status: 'cancelled' });
      expect(codeOf(await here.agent.post(`/runs/${String(reply.body.run)}/cancel`))).to.equal('409 conflict');
      expect((await here.agent.post('/actions', { action: 'approve_me', record: 'o1' })).body.run).not.to.equal(
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
      const live = await openLive(here.agent);
      const reply = await here.agent.post('/actions', { action: 'reindex', reason: 'Prices have changed.' });
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
      const reply = await here.agent.post('/actions', { action: 'ping' });
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
      expect((await here.agent.post('/actions', { action: 'settle_payment', record: 'p1' })).status).to.equal(200);
      expect(codeOf(await here.agent.post('/actions', { action: 'settle_payment', record: 'p2' }))).to.equal(
        '404 not_found',
      );
    });

    it('leaves one entry on the item’s timeline, in its latest status, and one in the record’s history', async () => {
      app.handle('action.run', () => ({ message: 'Sent.' }));
      const item = (await here.agent.post('/items', { inbox: 'mail', title: 'Where is my receipt?' })).body.item.id;
      const reply = await here.agent.post('/actions', {
        action: 'receipt',
        record: 'o1',
        item,
        input: { email: 'ana@example.com' },
      });
      const { timeline } = (await here.agent.get(`/items/${String(item)}`)).body;
      const entries = timeline.filter((entry: { type: string }) => entry.type === 'action');
      expect(entries).to.have.length(1);
      expect(entries[0].data).to.deep.equal({
        run: reply.body.run,
        action: 'receipt',
        label: 'Send receipt',
        status: 'succeeded',
        message: 'Sent.',
        finishedAt: (await here.agent.get(`/runs/${String(reply.body.run)}`)).body.run.finishedAt,
      });
      expect(entries[0].actor).to.deep.include({ type: 'agent', id: here.agent.id });
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
      const first = here.agent.post('/actions', { action: 'ping' }, { headers });
      await until('the app is called', () => calls === 1);
      const others = await Promise.all(
        Array.from({ length: 20 }, () => here.agent.post('/actions', { action: 'ping' }, { headers })),
      );
      for (const other of others) expect(codeOf(other)).to.equal('409 in_progress');
      finish({ message: 'Once.' });
      const done = await first;
      expect(done.status).to.equal(200);
      const replay = await here.agent.post('/actions', { action: 'ping' }, { headers });
      expect(replay.status).to.equal(200);
      expect(replay.text).to.equal(done.text);
      expect(replay.headers.get('idempotent-replayed')).to.equal('true');
      expect(calls).to.equal(1);
      expect(codeOf(await here.agent.post('/actions', { action: 'reindex' }, { headers }))).to.equal(
        '422 idempotency_mismatch',
      );
      app.handle('action.run', () => {
        throw rpcError(-32001, 'No.');
      });
      const refusing = { 'idempotency-key': 'once-2' };
      const refused = await here.agent.post('/actions', { action: 'ping' }, { headers: refusing });
      const refusedAgain = await here.agent.post('/actions', { action: 'ping' }, { headers: refusing });
      expect([refused.status, refusedAgain.status]).to.deep.equal([422, 422]);
      expect(refusedAgain.text).to.equal(refused.text);
      app.handle('action.run', () => null);
    });

    it('runs again under the same id what failed, through every step again up to its result, and nothing that succeeded', async () => {
      app.handle('action.run', () => {
        throw rpcError(-32001, 'Not today.');
      });
      const failed = await here.agent.post('/actions', { action: 'ping' });
      const attempts: number[] = [];
      app.handle('action.run', (params) => {
        attempts.push(params.attempt);
        return { message: 'Tomorrow.' };
      });
      const headers = { 'idempotency-key': 'retried' };
      const retried = await here.agent.post(`/runs/${String(failed.body.run)}/retry`, {}, { headers });
      expect(retried.status, retried.text).to.equal(200);
      expect(retried.body).to.deep.equal({ message: 'Tomorrow.', blocks: [], run: failed.body.run });
      expect((await here.agent.post(`/runs/${String(failed.body.run)}/retry`, {}, { headers })).text).to.equal(
        retried.text,
      );
      const again = await runOf(failed.body.run);
      expect(again).to.include({ status: 'succeeded', attempt: 2 });
      expect(again.startedAt).to.be.at.least(again.requestedAt);
      expect(attempts).to.deep.equal([2]);
      expect(codeOf(await here.agent.post(`/runs/${String(failed.body.run)}/retry`))).to.equal('409 conflict');
    });

    it('refuses to run again what succeeded, before it asks for a confirmation', async () => {
      app.handle('action.run', () => null);
      const dangerous = { action: 'refund', record: 'o1', confirmed: true };
      const { run } = (await here.agent.post('/actions', dangerous)).body;
      expect(await runOf(run)).to.include({ status: 'succeeded' });
      expect(codeOf(await here.agent.post(`/runs/${String(run)}/retry`))).to.equal('409 conflict');
    });

    it('shows runs to who asked, and to who may run the action on records that they see', async () => {
      app.handle('action.run', () => null);
      const mine = (
        await here.agent.post('/actions', { action: 'receipt', record: 'o1', input: { email: 'ana@example.com' } })
      ).body.run;
      expect((await here.viewer.get(`/runs/${String(mine)}`)).status).to.equal(404);
      expect((await (await here.world.agent('operator')).get(`/runs/${String(mine)}`)).status).to.equal(200);
      const page = await here.agent.get('/runs?action=receipt&limit=1');
      expect(page.body.runs).to.have.length(1);
      expect(page.body.runs[0].id).to.equal(mine);
      const next = await here.agent.get(
        `/runs?action=receipt&limit=200&cursor=${encodeURIComponent(page.body.cursor)}`,
      );
      expect(next.body.runs.map((run: { id: string }) => run.id)).not.to.include(mine);
      expect((await here.viewer.get('/runs')).body).to.deep.equal({ runs: [], cursor: null });
      expect(
        codeOf(await here.viewer.get(`/runs?action=receipt&cursor=${encodeURIComponent(page.body.cursor)}`)),
      ).to.equal('400 bad_cursor');
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
        await here.agent.post('/available', {
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
      expect((await here.agent.post('/available', { refs: [] })).status).to.equal(400);
      expect(
        (
          await here.agent.post('/available', {
            refs: Array.from({ length: 101 }, () => ({ resource: 'order', id: 'o1' })),
          })
        ).status,
      ).to.equal(400);
    });

    it('lists the actions that the role may run', async () => {
      expect(
        (await here.agent.get('/actions')).body.actions.map((action: { name: string }) => action.name),
      ).to.deep.equal(['approve_me', 'fresh', 'ping', 'receipt', 'refund', 'reindex', 'settle_payment', 'strict']);
      expect((await here.viewer.get('/actions')).body.actions).to.deep.equal([]);
    });
  });
});
