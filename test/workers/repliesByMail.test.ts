/** Replies by mail: each is sent once or its end is said honestly, whatever mail server and workers do meanwhile. */
import { expect } from 'chai';
import { openMailBox } from '../support/mail.ts';
import { until } from '../support/until.ts';
import { useReplyWorld } from './replyWorld.ts';

describe('replies', () => {
  const here = useReplyWorld();
  const { open, worker, make, reply, look, ended, settled } = here;

  describe('by mail', () => {
    it('reach the address of the item, as plain text with an id of their own', async () => {
      await open(true);
      const item = await make('letters', ' ada.löv+x@example.org ');
      const answer = await here.agent.post(`/items/${String(item.id)}/reply`, {
        subject: 'Żółć – your invoice: Bcc: eve@example.org',
        text: 'Hello\n.\nfrom us, ünïcode\n..end',
      });
      const entry = answer.body.entry.id as string;
      expect((await settled(item, entry)).status).to.equal('sent');
      const [letter] = here.box.letters;
      expect(letter?.from).to.equal('support@example.com');
      expect(letter?.to).to.deep.equal(['ada.löv+x@example.org']);
      const [head = '', body = ''] = (letter?.text ?? '').split('\r\n\r\n');
      expect(head).to.include(`Message-ID: <${entry}@example.com>`);
      expect(head).to.match(/^From: Support Team <support@example\.com>$/m);
      expect(head).to.match(/^Content-Type: text\/plain; charset=utf-8$/m);
      expect(head).to.not.match(/^Bcc:/im);
      expect(
        Buffer.from(
          body
            .replace(/=\r\n/g, '')
            .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
          'latin1',
        )
          .toString()
          .trimEnd(),
      ).to.equal('Hello\r\n.\r\nfrom us, ünïcode\r\n..end');
    });

    it('have one recipient or none: nothing that an item holds adds another', async () => {
      await open(true);
      for (const email of [
        'a@example.org, b@example.org',
        'a@example.org\r\nBcc: b@example.org',
        '<a@example.org> b@example.org',
        'a@b@example.org',
        'Ada <a@example.org>',
        'a@',
        '@b',
        '',
        5,
        null,
        'group: a@example.org;',
      ]) {
        const answer = await here.agent.post(`/items/${String((await make('letters', email)).id)}/reply`, {
          subject: 'a',
          text: 'b',
        });
        expect([answer.status, answer.body.code], String(email)).to.deep.equal([422, 'action_failed']);
      }
    });

    it('fail when the server refuses the recipient or the text', async () => {
      await open(true);
      for (const at of ['recipient', 'text'] as const) {
        here.box.mood({ kind: 'refuse', code: 550, at });
        const item = await make('letters');
        const data = await settled(item, await reply(item));
        expect(data.status).to.equal('failed');
        expect(data.error).to.include('No such user');
        expect((await look(item)).item.dueAt).to.equal(item.dueAt);
      }
      expect(here.box.letters).to.have.length(0);
    });

    it('are tried again when the server is busy, breaks off before the text or is away, and sent once', async () => {
      await open(true);
      for (const mood of [
        { kind: 'refuse', code: 451, at: 'recipient' },
        { kind: 'refuse', code: 452, at: 'text' },
        { kind: 'drop', at: 'recipient' },
      ] as const) {
        here.box.mood(mood);
        const tried = here.box.tries();
        const item = await make('letters');
        const entry = await reply(item);
        await until('it was tried', () => here.box.tries() > tried);
        here.box.mood({ kind: 'accept' });
        expect(await settled(item, entry)).to.include({ status: 'sent', error: null });
      }
      expect(here.box.letters).to.have.length(3);
      const port = Number(new URL(here.box.url).port);
      await here.box.close();
      const item = await make('letters');
      const entry = await reply(item);
      await until(
        'it was tried',
        async () => (await here.world.sql("select 1 from staged_jobs where payload ->> 'attempts' = '1'")).length === 1,
      );
      here.box = await openMailBox(port);
      expect((await settled(item, entry)).status).to.equal('sent');
      expect(here.box.letters).to.have.length(1);
    });

    it('fail after five tries', async () => {
      await open(true);
      here.box.mood({ kind: 'refuse', code: 451, at: 'recipient' });
      const item = await make('letters');
      const data = await settled(item, await reply(item));
      expect(data.status).to.equal('failed');
      expect(data.error).to.include('Try again later');
      expect(here.box.tries()).to.equal(5);
    });

    it('are unknown when the server breaks off once it was given the text, and are not repeated', async () => {
      await open(true);
      here.box.mood({ kind: 'drop', at: 'text' });
      const item = await make('letters');
      expect((await settled(item, await reply(item))).status).to.equal('unknown');
      here.box.mood({ kind: 'accept' });
      const other = await make('letters');
      expect((await settled(other, await reply(other))).status).to.equal('sent');
      expect(here.box.texts()).to.equal(2);
    });

    it('are unknown when the worker is killed before the server answers, and are not repeated', async () => {
      await open(false);
      const first = await worker();
      here.box.mood({ kind: 'hang' });
      const item = await make('letters');
      const entry = await reply(item);
      await until('the server has the text', () => here.box.unanswered() === 1, 20_000);
      first.kill('SIGKILL');
      here.box.mood({ kind: 'accept' });
      await worker();
      const data = await ended(item, entry);
      expect(data.status).to.equal('unknown');
      expect(here.box.texts()).to.equal(1);
    });

    it('share connections, and are sent once each', async () => {
      await open(true);
      const items = await Promise.all(Array.from({ length: 60 }, () => make('letters')));
      const entries = await Promise.all(items.map((item) => reply(item)));
      for (const [i, item] of items.entries()) expect((await settled(item, entries[i] ?? '')).status).to.equal('sent');
      const ids = here.box.letters.map(({ text }) => /^Message-ID: <(.+)@example\.com>/m.exec(text)?.[1] ?? '');
      expect(ids.sort()).to.deep.equal([...entries].sort());
      // Idle ones are closed, and opened again by later letters.
      expect(here.box.connections()).to.be.at.most(items.length / 3);
    });

    it('sign in to the server, and keep the password to themselves', async () => {
      await here.box.close();
      const signIns: string[] = [];
      here.box = await openMailBox(0, {
        authOptional: false,
        disabledCommands: ['STARTTLS'],
        allowInsecureAuth: true,
        onAuth: ({ username, password }, _session, callback) => {
          signIns.push(`${username ?? ''} ${password ?? ''}`);
          if (password === 'p%ss wörd') callback(null, { user: username });
          else callback(new Error('Wrong password'));
        },
      });
      await open(true, { SMTP_URL: here.box.url.replace('//', '//robin:p%25ss%20w%C3%B6rd@') });
      const item = await make('letters');
      const entry = await reply(item);
      expect((await settled(item, entry)).status).to.equal('sent');
      expect(signIns).to.deep.equal(['robin p%ss wörd']);
      const kept = JSON.stringify([
        await here.world.sql('select * from events'),
        await here.world.sql('select * from staged_jobs'),
      ]);
      expect(kept).to.not.match(/p%ss|p%25ss/);
    });

    it('fail with a clear reason where no mail server is set up', async () => {
      await open(true, {});
      const item = await make('letters');
      expect(await settled(item, await reply(item))).to.include({
        status: 'failed',
        error: 'No mail server is set up: SMTP_URL is missing.',
      });
    });
  });
});
