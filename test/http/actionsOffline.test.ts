/** Actions over HTTP while the app is offline: what is queued, refused, checked again and expired. */
import { expect } from 'chai';
import { connectApp } from '../support/app.ts';
import type { Client } from '../support/http.ts';
import { until } from '../support/until.ts';
import { clerk, manifest, useActions } from './actionsWorld.ts';

describe('http: actions', () => {
  const here = useActions();
  const { online, offline, runOf, settled, codeOf } = here;

  describe('with the app offline', () => {
    it('queues, and runs what was queued once the app is back: in order per record, each once', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 6; n++) {
        const reply = await here.agent.post('/actions', {
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
      expect((await here.agent.post(`/runs/${cancelled}/cancel`)).body.run.status).to.equal('cancelled');
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
      expect(codeOf(await here.agent.post('/actions', { action: 'strict' }))).to.equal('503 app_offline');
      expect((await here.agent.get('/runs?action=strict')).body.runs).to.deep.equal([]);
    });

    it('checks a queued run anew when it starts: a lost right, a record that has gone, a condition that no longer holds', async () => {
      const role = await here.world.role('passing', clerk);
      const passing = await here.world.agent('passing');
      const ask = async (client: Client, record: string): Promise<string> =>
        (await client.post('/actions', { action: 'refund', record, confirmed: true })).body.run;
      await here.world.records('order', [
        { id: 'o5', title: 'Order 5', fields: { status: 'paid' } },
        { id: 'o6', title: 'Order 6', fields: { status: 'paid' } },
        { id: 'o7', title: 'Order 7', fields: { status: 'paid' } },
      ]);
      const [lost, gone, changed] = [
        await ask(passing, 'o5'),
        await ask(here.agent, 'o6'),
        await ask(here.agent, 'o7'),
      ];
      await here.world.sql('update roles set grants = $2 where id = $1', [
        role,
        JSON.stringify([{ on: 'resource:order', can: ['see'] }]),
      ]);
      await here.world.sql('update revisions set n = n + 1');
      await here.world.sql("delete from records where id = 'o6'");
      await here.world.sql(`update records set fields = '{"status":"refunded"}' where id = 'o7'`);
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
            (await here.world.sql<{ status: string }>('select status from runs where id = $1', [id]))[0]?.status ===
            'failed',
          20_000,
        );
      expect(seen).to.deep.equal([]);
      expect([(await runOf(gone)).code, (await runOf(changed)).code]).to.deep.equal(['not_found', 'conflict']);
      await offline(app);
    });

    it('says of a queued run that its action is gone, but not to whoever may not run it any more', async () => {
      const role = await here.world.role('leaving', clerk);
      const leaving = await here.world.agent('leaving');
      const [own, theirs] = [
        (await here.agent.post('/actions', { action: 'ping' })).body.run,
        (await leaving.post('/actions', { action: 'ping' })).body.run,
      ];
      await here.world.sql(`update roles set grants = '[]' where id = $1`, [role]);
      await here.world.sql('update revisions set n = n + 1');
      const less = { ...manifest, actions: manifest.actions.filter(({ name }) => name !== 'ping') };
      const app = await connectApp(here.key, { manifest: less, startedAt: Date.now() });
      const ended = (run: string) =>
        until(`${run} has failed`, async () => {
          const [found] = await here.world.sql<{ status: string; error: string; code: string }>(
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
      const back = await connectApp(here.key, { manifest, startedAt: Date.now() });
      await offline(back);
    });

    it('expires what waited too long, said so in the run', async () => {
      const reply = await here.agent.post('/actions', { action: 'ping' });
      await here.world.sql('update runs set expires_at = 1 where id = $1', [reply.body.run]);
      await settled(reply.body.run);
      expect(await runOf(reply.body.run)).to.include({ status: 'expired' });
      const app = await online();
      const retried = await here.agent.post(`/runs/${String(reply.body.run)}/retry`);
      expect([retried.status, retried.body.run]).to.deep.equal([200, reply.body.run]);
      expect(await runOf(reply.body.run)).to.include({ status: 'succeeded' });
      await offline(app);
    });
  });
});
