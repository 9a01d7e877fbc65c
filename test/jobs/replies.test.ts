/** Replies: each is sent once or its end is said honestly, whatever app, mail server and workers do meanwhile. */
import type { ChildProcess } from 'node:child_process';
import { expect } from 'chai';
import { connectApp, never, rpcError, type FakeApp } from '../support/app.ts';
import type { Client } from '../support/http.ts';
import { openLive } from '../support/live.ts';
import { openMailBox, type MailBox } from '../support/mail.ts';
import { startProgram, type Program } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';
import { newSignal } from './support.ts';

const hour = 3_600_000;
const manifest = {
  inboxes: [
    { name: 'mail', responseTime: hour, reply: { via: 'app' } },
    { name: 'urgent', responseTime: 1, reply: { via: 'app' } },
    { name: 'letters', responseTime: hour, reply: { via: 'smtp', from: 'Support Team <support@example.com>', to: '{{item.fields.email}}' } },
  ],
};

describe('replies', () => {
  let world: World;
  let agent: Client;
  let appKey: Client;
  let box: MailBox;
  let app: FakeApp | null = null;
  const programs: Program[] = [];

  const open = async (workers: boolean, env: Record<string, string> = { SMTP_URL: box.url }): Promise<void> => {
    world = await newWorld({ manifest, workers, env });
    [agent, appKey] = [await world.agent('admin', { name: 'Robin' }), await world.appKey()];
  };
  beforeEach(async () => {
    box = await openMailBox();
  });
  afterEach(async () => {
    await app?.close();
    app = null;
    for (const program of programs.splice(0)) await program.end();
    await world.close();
    await box.close();
  });

  const worker = async (): Promise<ChildProcess> => {
    const program = await startProgram(world, 'workers/main.ts', { SMTP_URL: box.url });
    programs.push(program);
    return program.child;
  };
  const connect = async (handler?: (params: { delivery: string }) => unknown): Promise<FakeApp> => {
    app = await connectApp(appKey, { manifest, handlers: handler === undefined ? {} : { 'reply.send': handler } });
    return app;
  };
  const sends = (): { delivery: string }[] => (app?.received ?? []).filter(({ method }) => method === 'reply.send').map(({ params }) => params as { delivery: string });
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const make = async (inbox: string, email: unknown = 'ada@example.org'): Promise<any> => (await agent.post('/items', { inbox, title: 'Help', data: { email } })).body.item;
  const reply = async (item: { id: string }, text = 'We have corrected it.'): Promise<string> => {
    const answer = await agent.post(`/items/${item.id}/reply`, { subject: 'Your invoice', text });
    expect(answer.status).to.equal(202);
    return answer.body.entry.id as string;
  };
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const look = async (item: { id: string }): Promise<any> => (await agent.get(`/items/${item.id}`)).body;
  const dataOf = async (item: { id: string }, entry: string): Promise<{ status: string; error: string | null }> =>
    (await look(item)).timeline.find(({ id }: { id: string }) => id === entry).data;
  /** Not to wait for the backoff, which is data: makes what is staged due. */
  const hurry = () => world.sql("update staged_jobs set due_at = 0 where name = 'replySend' and enqueued_at is null and due_at > 0");
  const settled = (item: { id: string }, entry: string): Promise<{ status: string; error: string | null }> => until('it is settled', async () => {
    await hurry();
    const data = await dataOf(item, entry);
    return data.status !== 'sending' && data;
  }, 30_000);

  describe('by the app', () => {
    it('are given to it with their author, and told under the same entry', async () => {
      await open(true);
      await connect(() => null);
      const live = await openLive(agent);
      const item = await make('mail');
      const entry = await reply(item);
      expect(await settled(item, entry)).to.deep.equal({ subject: 'Your invoice', text: 'We have corrected it.', status: 'sent', error: null });
      const [call] = sends();
      expect(call).to.deep.include({ delivery: entry, subject: 'Your invoice', text: 'We have corrected it.', actor: { type: 'agent', id: agent.id, name: 'Robin' } });
      expect((call as { item?: { id: string } } | undefined)?.item?.id).to.equal(item.id);
      const message = await live.next('its later status', ({ type, change }) => type === 'timeline' && change === 'changed');
      const { timeline, item: after } = await look(item);
      expect(message.entry).to.deep.equal(timeline[0]);
      expect(timeline.filter(({ type }: { type: string }) => type === 'reply')).to.have.length(1);
      expect([after.dueAt, after.version]).to.deep.equal([null, 2]);
      const audit = (await agent.get(`/audit?target=${String(item.id)}&verb=item.reply.sent`)).body.entries;
      expect(audit).to.have.length(1);
      expect(audit[0]).to.deep.include({ outcome: 'ok', before: { status: 'sending' }, after: { status: 'sent', error: null } });
      expect(audit[0].actor).to.include({ id: agent.id, role: 'admin' });
      await live.close();
    });

    it('fail with its reason when it refuses, and the deadline is back', async () => {
      await open(true);
      await connect(() => {
        throw rpcError(-32001, 'The customer has left.');
      });
      const live = await openLive(agent);
      const item = await make('mail');
      const entry = await reply(item);
      expect(await settled(item, entry)).to.include({ status: 'failed', error: 'The customer has left.' });
      expect((await look(item)).item).to.include({ dueAt: item.dueAt, version: 3 });
      await live.next('the item as it is then', ({ type, item: told }) => type === 'item' && told.version === 3 && told.dueAt === item.dueAt);
      const [due] = (await agent.get('/items?sort=due&inbox=mail')).body.items as { id: string }[];
      expect(due?.id).to.equal(item.id);
      await live.close();
    });

    it('that fail make an item overdue again whose time has passed, in lists and counts', async () => {
      await open(true);
      const item = await make('urgent');
      await until('it is overdue', async () => (await agent.get('/items?overdue=1')).body.items.length === 1);
      const entry = await reply(item);
      expect((await agent.get('/items?overdue=1')).body.items).to.have.length(0);
      const live = await openLive(agent);
      await connect(() => {
        throw rpcError(-32001, 'No.');
      });
      await settled(item, entry);
      expect((await agent.get('/items?overdue=1')).body.items).to.have.length(1);
      await live.next('the count', ({ type, inboxes }) => type === 'counts' && inboxes.urgent?.overdue === 1);
      await live.close();
    });

    it('that fail leave a deadline that was set since, and a closed item', async () => {
      await open(true);
      const [closed, anew] = [await make('mail'), await make('mail')];
      const entries = [await reply(closed), await reply(anew)];
      await agent.post(`/items/${String(closed.id)}/state`, { state: 'closed' });
      await agent.post(`/items/${String(anew.id)}/state`, { state: 'closed' });
      const reopened = (await agent.post(`/items/${String(anew.id)}/state`, { state: 'open' })).body.item;
      await connect(() => {
        throw rpcError(-32001, 'No.');
      });
      for (const [i, item] of [closed, anew].entries()) expect((await settled(item, entries[i] ?? '')).status).to.equal('failed');
      expect((await look(closed)).item.dueAt).to.equal(null);
      expect((await look(anew)).item).to.include({ dueAt: reopened.dueAt, version: reopened.version });
    });

    it('wait while it is offline', async () => {
      await open(true);
      const item = await make('mail');
      const entries = await Promise.all([1, 2, 3].map((n) => reply(item, `Text ${String(n)}`)));
      await until('they wait', async () => (await world.sql("select 1 from staged_jobs where waits_for_app and name = 'replySend'")).length === 3);
      expect((await dataOf(item, entries[0] ?? '')).status).to.equal('sending');
      await connect(() => null);
      for (const entry of entries) expect((await settled(item, entry)).status).to.equal('sent');
      expect(sends().map(({ delivery }) => delivery).sort()).to.deep.equal([...entries].sort());
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

    it('are unknown when the worker is killed in between, and are not repeated', async function () {
      this.timeout(60_000);
      await open(false);
      const first = await worker();
      await connect(never);
      const item = await make('mail');
      const entry = await reply(item);
      await until('the app has it', () => sends().length === 1, 20_000);
      first.kill('SIGKILL');
      await worker();
      const data = await until('it is settled', async () => {
        const found = await dataOf(item, entry);
        return found.status !== 'sending' && found;
      }, 30_000);
      expect(data.status).to.equal('unknown');
      expect(sends()).to.have.length(1);
      expect(await world.sql('select 1 from staged_jobs')).to.have.length(0);
    });
  });

  describe('of a worker that froze', () => {
    it('are settled by another, and what the frozen one learns when it wakes up changes nothing', async function () {
      this.timeout(90_000);
      await open(false);
      const frozen = await worker();
      const asked = newSignal();
      await connect(async () => {
        await asked.come;
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
      asked.give();
      frozen.kill('SIGCONT');
      frozen.kill('SIGTERM');
      await until('it has ended', () => frozen.exitCode !== null, 30_000);
      expect((await dataOf(item, entry)).status).to.equal('unknown');
      expect(sends()).to.have.length(1);
      expect(await world.sql('select 1 from events where entry = $1 and is_update', [entry])).to.have.length(1);
    });
  });

  describe('by mail', () => {
    it('reach the address of the item, as plain text with an id of their own', async () => {
      await open(true);
      const item = await make('letters', ' ada.löv+x@example.org ');
      const answer = await agent.post(`/items/${String(item.id)}/reply`, { subject: 'Żółć – your invoice: Bcc: eve@example.org', text: 'Hello\n.\nfrom us, ünïcode\n..end' });
      const entry = answer.body.entry.id as string;
      expect((await settled(item, entry)).status).to.equal('sent');
      const [letter] = box.letters;
      expect(letter?.from).to.equal('support@example.com');
      expect(letter?.to).to.deep.equal(['ada.löv+x@example.org']);
      const [head = '', body = ''] = (letter?.text ?? '').split('\r\n\r\n');
      expect(head).to.include(`Message-ID: <${entry}@example.com>`);
      expect(head).to.match(/^From: Support Team <support@example\.com>$/m);
      expect(head).to.match(/^Content-Type: text\/plain; charset=utf-8$/m);
      expect(head).to.not.match(/^Bcc:/im);
      expect(Buffer.from(body.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))), 'latin1').toString().trimEnd()).to.equal('Hello\r\n.\r\nfrom us, ünïcode\r\n..end');
    });

    it('have one recipient or none: nothing that an item holds adds another', async () => {
      await open(true);
      for (const email of ['a@example.org, b@example.org', 'a@example.org\r\nBcc: b@example.org', '<a@example.org> b@example.org', 'a@b@example.org', 'Ada <a@example.org>', 'a@', '@b', '', 5, null, 'group: a@example.org;']) {
        const answer = await agent.post(`/items/${String((await make('letters', email)).id)}/reply`, { subject: 'a', text: 'b' });
        expect([answer.status, answer.body.code], String(email)).to.deep.equal([422, 'action_failed']);
      }
    });

    it('fail when the server refuses the recipient or the text', async () => {
      await open(true);
      for (const at of ['recipient', 'text'] as const) {
        box.mood({ kind: 'refuse', code: 550, at });
        const item = await make('letters');
        const data = await settled(item, await reply(item));
        expect(data.status).to.equal('failed');
        expect(data.error).to.include('No such user');
        expect((await look(item)).item.dueAt).to.equal(item.dueAt);
      }
      expect(box.letters).to.have.length(0);
    });

    it('are tried again when the server is busy, breaks off before the text or is away, and sent once', async () => {
      await open(true);
      for (const mood of [{ kind: 'refuse', code: 451, at: 'recipient' }, { kind: 'refuse', code: 452, at: 'text' }, { kind: 'drop', at: 'recipient' }] as const) {
        box.mood(mood);
        const tried = box.tries();
        const item = await make('letters');
        const entry = await reply(item);
        await until('it was tried', () => box.tries() > tried);
        box.mood({ kind: 'accept' });
        expect(await settled(item, entry)).to.include({ status: 'sent', error: null });
      }
      expect(box.letters).to.have.length(3);
      const port = Number(new URL(box.url).port);
      await box.close();
      const item = await make('letters');
      const entry = await reply(item);
      await until('it was tried', async () => (await world.sql("select 1 from staged_jobs where payload ->> 'attempts' = '1'")).length === 1);
      box = await openMailBox(port);
      expect((await settled(item, entry)).status).to.equal('sent');
      expect(box.letters).to.have.length(1);
    });

    it('fail after five tries', async () => {
      await open(true);
      box.mood({ kind: 'refuse', code: 451, at: 'recipient' });
      const item = await make('letters');
      const data = await settled(item, await reply(item));
      expect(data.status).to.equal('failed');
      expect(data.error).to.include('Try again later');
      expect(box.tries()).to.equal(5);
    });

    it('are unknown when the server breaks off once it was given the text, and are not repeated', async () => {
      await open(true);
      box.mood({ kind: 'drop', at: 'text' });
      const item = await make('letters');
      expect((await settled(item, await reply(item))).status).to.equal('unknown');
      box.mood({ kind: 'accept' });
      const other = await make('letters');
      expect((await settled(other, await reply(other))).status).to.equal('sent');
      expect(box.texts()).to.equal(2);
    });

    it('are unknown when the worker is killed before the server answers, and are not repeated', async function () {
      this.timeout(60_000);
      await open(false);
      const first = await worker();
      box.mood({ kind: 'hang' });
      const item = await make('letters');
      const entry = await reply(item);
      await until('the server has the text', () => box.unanswered() === 1, 20_000);
      first.kill('SIGKILL');
      box.mood({ kind: 'accept' });
      await worker();
      const data = await until('it is settled', async () => {
        const found = await dataOf(item, entry);
        return found.status !== 'sending' && found;
      }, 30_000);
      expect(data.status).to.equal('unknown');
      expect(box.texts()).to.equal(1);
    });

    it('share connections, and are sent once each', async () => {
      await open(true);
      const items = await Promise.all(Array.from({ length: 60 }, () => make('letters')));
      const entries = await Promise.all(items.map((item) => reply(item)));
      for (const [i, item] of items.entries()) expect((await settled(item, entries[i] ?? '')).status).to.equal('sent');
      const ids = box.letters.map(({ text }) => /^Message-ID: <(.+)@example\.com>/m.exec(text)?.[1] ?? '');
      expect(ids.sort()).to.deep.equal([...entries].sort());
      expect(box.connections()).to.be.at.most(8);
    });

    it('sign in to the server, and keep the password to themselves', async () => {
      await box.close();
      const signIns: string[] = [];
      box = await openMailBox(0, {
        authOptional: false,
        disabledCommands: ['STARTTLS'],
        allowInsecureAuth: true,
        onAuth: ({ username, password }, _session, callback) => {
          signIns.push(`${username ?? ''} ${password ?? ''}`);
          if (password === 'p%ss wörd') callback(null, { user: username });
          else callback(new Error('Wrong password'));
        },
      });
      await open(true, { SMTP_URL: box.url.replace('//', '//robin:p%25ss%20w%C3%B6rd@') });
      const item = await make('letters');
      const entry = await reply(item);
      expect((await settled(item, entry)).status).to.equal('sent');
      expect(signIns).to.deep.equal(['robin p%ss wörd']);
      const kept = JSON.stringify([await world.sql('select * from events'), await world.sql('select * from staged_jobs')]);
      expect(kept).to.not.match(/p%ss|p%25ss/);
    });

    it('fail with a clear reason where no mail server is set up', async () => {
      await open(true, {});
      const item = await make('letters');
      expect(await settled(item, await reply(item))).to.include({ status: 'failed', error: 'No mail server is set up: SMTP_URL is missing.' });
    });
  });
});
