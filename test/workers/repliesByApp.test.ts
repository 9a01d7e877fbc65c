/** Replies by the app: each is sent once or its end is said honestly, whatever app and workers do meanwhile. */
import { expect } from 'chai';
import { never, rpcError } from '../support/app.ts';
import { deferred } from '../support/deferred.ts';
import { openLive } from '../support/live.ts';
import { until } from '../support/until.ts';
import { useReplyWorld } from './replyWorld.ts';

describe('replies', () => {
  const here = useReplyWorld();
  const { open, worker, connect, sends, make, reply, look, dataOf, ended, settled } = here;

  describe('by the app', () => {
    it('are given to it with their author, and told under the same entry', async () => {
      await open(true);
      await connect(() => null);
      const live = await openLive(here.agent);
      const item = await make('mail');
      const entry = await reply(item);
      expect(await settled(item, entry)).to.deep.equal({
        subject: 'Your invoice',
        text: 'We have corrected it.',
        status: 'sent',
        error: null,
      });
      const [call] = sends();
      expect(call).to.deep.include({
        delivery: entry,
        subject: 'Your invoice',
        text: 'We have corrected it.',
        actor: { type: 'agent', id: here.agent.id, name: 'Robin' },
      });
      expect((call as { item?: { id: string } } | undefined)?.item?.id).to.equal(item.id);
      const message = await live.next(
        'its later status',
        ({ type, change }) => type === 'timeline' && change === 'changed',
      );
      const { timeline, item: after } = await look(item);
      expect(message.entry).to.deep.equal(timeline[0]);
      expect(timeline.filter(({ type }: { type: string }) => type === 'reply')).to.have.length(1);
      expect([after.dueAt, after.version]).to.deep.equal([null, 2]);
      const audit = (await here.agent.get(`/audit?target=${String(item.id)}&verb=item.reply.sent`)).body.entries;
      expect(audit).to.have.length(1);
      expect(audit[0]).to.deep.include({
        outcome: 'ok',
        before: { status: 'sending' },
        after: { status: 'sent', error: null },
      });
      expect(audit[0].actor).to.include({ id: here.agent.id, role: 'admin' });
      await live.close();
    });

    it('fail with its reason when it refuses, and the deadline is back', async () => {
      await open(true);
      await connect(() => {
        throw rpcError(-32001, 'The customer has left.');
      });
      const live = await openLive(here.agent);
      const item = await make('mail');
      const entry = await reply(item);
      expect(await settled(item, entry)).to.include({ status: 'failed', error: 'The customer has left.' });
      expect((await look(item)).item).to.include({ dueAt: item.dueAt, version: 3 });
      await live.next(
        'the item as it is then',
        ({ type, item: told }) => type === 'item' && told.version === 3 && told.dueAt === item.dueAt,
      );
      const [due] = (await here.agent.get('/items?sort=due&inbox=mail')).body.items as { id: string }[];
      expect(due?.id).to.equal(item.id);
      await live.close();
    });

    it('that fail make an item overdue again whose time has passed, in lists and counts', async () => {
      await open(true);
      const item = await make('urgent');
      await until('it is overdue', async () => (await here.agent.get('/items?overdue=1')).body.items.length === 1);
      const entry = await reply(item);
      expect((await here.agent.get('/items?overdue=1')).body.items).to.have.length(0);
      const live = await openLive(here.agent);
      await connect(() => {
        throw rpcError(-32001, 'No.');
      });
      await settled(item, entry);
      expect((await here.agent.get('/items?overdue=1')).body.items).to.have.length(1);
      await live.next('the count', ({ type, inboxes }) => type === 'counts' && inboxes.urgent?.overdue === 1);
      await live.close();
    });

    it('that fail leave a deadline that was set since, and a closed item', async () => {
      await open(true);
      const [closed, anew] = [await make('mail'), await make('mail')];
      const entries = [await reply(closed), await reply(anew)];
      await here.agent.post(`/items/${String(closed.id)}/state`, { state: 'closed' });
      await here.agent.post(`/items/${String(anew.id)}/state`, { state: 'closed' });
      const reopened = (await here.agent.post(`/items/${String(anew.id)}/state`, { state: 'open' })).body.item;
      await connect(() => {
        throw rpcError(-32001, 'No.');
      });
      for (const [i, item] of [closed, anew].entries())
        expect((await settled(item, entries[i] ?? '')).status).to.equal('failed');
      expect((await look(closed)).item.dueAt).to.equal(null);
      expect((await look(anew)).item).to.include({ dueAt: reopened.dueAt, version: reopened.version });
    });

    it('wait while it is offline', async () => {
      await open(true);
      const item = await make('mail');
      const entries = await Promise.all([1, 2, 3].map((n) => reply(item, `Text ${String(n)}`)));
      await until(
        'they wait',
        async () =>
          (await here.world.sql("select 1 from staged_jobs where waits_for_app and name = 'replySend'")).length === 3,
      );
      expect((await dataOf(item, entries[0] ?? '')).status).to.equal('sending');
      await connect(() => null);
      for (const entry of entries) expect((await settled(item, entry)).status).to.equal('sent');
      expect(
        sends()
          .map(({ delivery }) => delivery)
          .sort(),
      ).to.deep.equal([...entries].sort());
    });

    it('are unknown after any other error of its, whose message tells nobody anything', async () => {
      await open(true);
      await connect(() => {
        throw rpcError(-32603, 'secret stack');
      });
      const item = await make('mail');
      const data = await settled(item, await reply(item));
      expect(data.status).to.equal('unknown');
      expect(JSON.stringify(data)).not.to.include('secret');
    });

    it('are tried five times when it asks for another time, and then failed', async () => {
      await open(true);
      await connect(() => {
        throw rpcError(-32001, 'The mail server is busy.', { retryable: true });
      });
      const item = await make('mail');
      const entry = await reply(item);
      expect(await settled(item, entry)).to.include({ status: 'failed', error: 'The mail server is busy.' });
      expect(sends()).to.have.length(5);
      expect((await look(item)).item.dueAt).to.equal(item.dueAt);
    });

    it('are unknown when it goes away with one, and are not repeated', async () => {
      await open(true);
      const first = await connect(never);
      const item = await make('mail');
      const entry = await reply(item);
      await until('it has it', () => sends().length === 1);
      first.kill();
      await first.closed;
      expect((await settled(item, entry)).status).to.equal('unknown');
      expect((await look(item)).item.dueAt).to.equal(null);
      await connect(() => null);
      const another = await reply(item, 'Another');
      expect((await settled(item, another)).status).to.equal('sent');
      expect(sends().map(({ delivery }) => delivery)).to.deep.equal([another]);
    });

    it('are unknown when the worker is killed in between, and are not repeated', async () => {
      await open(false);
      const first = await worker();
      await connect(never);
      const item = await make('mail');
      const entry = await reply(item);
      await until('the app has it', () => sends().length === 1, 20_000);
      first.kill('SIGKILL');
      await worker();
      const data = await ended(item, entry);
      expect(data.status).to.equal('unknown');
      expect(sends()).to.have.length(1);
      expect(await here.world.sql('select 1 from staged_jobs')).to.have.length(0);
    });
  });

  describe('of a worker that froze', () => {
    it('are settled by another, and what the frozen one learns when it wakes up changes nothing', async () => {
      await open(false);
      const frozen = await worker();
      const asked = deferred();
      await connect(async () => {
        await asked.promise;
        return null;
      });
      const item = await make('mail');
      const entry = await reply(item);
      await until('the app has it', () => sends().length === 1, 20_000);
      frozen.kill('SIGSTOP');
      await worker();
      const end = async () => {
        const found = await dataOf(item, entry);
        return found.status !== 'sending' && found;
      };
      expect((await until('it is settled', end, 30_000)).status).to.equal('unknown');
      asked.resolve();
      frozen.kill('SIGCONT');
      frozen.kill('SIGTERM');
      await until('it has ended', () => frozen.exitCode !== null, 30_000);
      expect((await dataOf(item, entry)).status).to.equal('unknown');
      expect(sends()).to.have.length(1);
      expect(await here.world.sql('select 1 from events where entry = $1 and is_update', [entry])).to.have.length(1);
    });
  });
});
