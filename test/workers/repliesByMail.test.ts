/** Replies by mail: each is sent once or its end is said honestly, whatever mail server and workers do meanwhile. */
import { expect } from 'chai';
import { openMailBox, readLetter } from '../support/mail.ts';
import { until } from '../support/until.ts';
import { useReplyWorld } from './replyWorld.ts';

describe('replies', () => {
  const here = useReplyWorld();
  const { open, worker, make, reply, look, ended, settled } = here;

  describe('by mail', () => {
    it('reach the address of the item, with an id of their own, and their text as it was written', async () => {
      await open(true);
      const item = await make('letters', ' ada.löv+x@example.org ');
      const text = 'Hello\n.\nfrom us, ünïcode: 2*3 and **bold**\n..end';
      const answer = await here.agent.post(`/items/${String(item.id)}/reply`, {
        subject: 'Żółć – your invoice: Bcc: eve@example.org',
        text,
      });
      const entry = answer.body.entry.id as string;
      expect((await settled(item, entry)).status).to.equal('sent');
      const [letter] = here.box.letters;
      if (letter === undefined) throw new Error('No letter came.');
      expect(letter.from).to.equal('support@example.com');
      expect(letter.to).to.deep.equal(['ada.löv+x@example.org']);
      const { headers, text: sent } = readLetter(letter);
      expect(headers.get('message-id')).to.equal(`<${entry}@example.com>`);
      expect(headers.get('from')).to.equal('Support Team <support@example.com>');
      expect(headers.get('content-type')).to.match(/^multipart\/alternative;/);
      expect(headers.has('bcc')).to.equal(false);
      expect(sent.trimEnd()).to.equal(text);
    });

    it('have an HTML part that shows what the Markdown of the text says, and reads nothing in it as HTML', async () => {
      await open(true);
      const htmlOf = async (text: string): Promise<string> => {
        const item = await make('letters');
        await settled(item, await reply(item, text));
        const letter = here.box.letters.at(-1);
        return letter === undefined ? '' : readLetter(letter).html.replace(/^.*<body[^>]*>|<\/body>.*$/gs, '');
      };
      expect(await htmlOf('# Hi\n\nIt is **done**: `a*b`\nnext\n\n1. one\n2. two & <b>')).to.equal(
        '<p><strong>Hi</strong></p><p>It is <strong>done</strong>: <code>a*b</code><br>next</p><ol start="1"><li>one</li><li>two &#38; &#60;b&#62;</li></ol>',
      );
      expect(
        await htmlOf('[pay](https://pay.example/a?b=1&c=2) or https://pay.example/d. <img src=x onerror=y>'),
      ).to.equal(
        '<p><a href="https://pay.example/a?b=1&#38;c=2">pay</a> (<bdi>pay.example</bdi>) or <a href="https://pay.example/d">https://pay.example/d</a>. &#60;img src=x onerror=y&#62;</p>',
      );
      expect(await htmlOf('![x](https://evil.example/p.png) [y](javascript:z) 2 * 3')).to.equal(
        '<p><a href="https://evil.example/p.png">x</a> (<bdi>evil.example</bdi>) [y](javascript:z) 2 * 3</p>',
      );
      const deep = `${'>'.repeat(60)} https://a.example <b>`;
      expect(await htmlOf(deep), 'deeper than is read').to.equal(
        `${'&#62;'.repeat(60)} <a href="https://a.example/">https://a.example</a> &#60;b&#62;`,
      );
    });

    it('belong to the thread of the mail that they answer, and to that of the replies before', async () => {
      await open(true);
      const threads = async (inbox: string, messageId: unknown) => {
        const { body } = await here.agent.post('/items', {
          inbox,
          title: 'AW: Help',
          data: { email: 'ada@example.org', messageId },
        });
        const entries = [await reply(body.item, 'One'), await reply(body.item, 'Two')];
        for (const entry of entries) await settled(body.item, entry);
        const third = await reply(body.item, 'Three');
        await settled(body.item, third);
        const letter = here.box.letters.find(({ text }) => text.includes(`<${third}@example.com>`));
        const { headers } = readLetter(letter ?? { from: '', to: [], text: '' });
        const own = entries.map((entry) => `<${entry}@example.com>`);
        return { own, inReplyTo: headers.get('in-reply-to'), references: headers.get('references'), headers };
      };
      const mail = '<CA+1@mail.example.org>';
      const known = await threads('letters', mail);
      expect(known.inReplyTo).to.equal(mail);
      expect(known.references).to.equal([...known.own, mail].join(' '));
      for (const bare of ['CA+1@mail.example.org', `  ${mail} `, ['<old@example.org>', mail]])
        expect((await threads('letters', bare)).inReplyTo, String(bare)).to.equal(mail);
      for (const invalid of [
        `${mail.slice(0, -1)}\r\nBcc: eve@example.org>`,
        'no id',
        '<a b@c>',
        5,
        null,
        {},
        '<é@x>',
      ]) {
        const { own, inReplyTo, references, headers } = await threads('letters', invalid);
        expect([inReplyTo, references], JSON.stringify(invalid)).to.deep.equal([own.at(-1), own.join(' ')]);
        expect(headers.has('bcc')).to.equal(false);
      }
      const { own, inReplyTo } = await threads('unthreaded', mail);
      expect(inReplyTo).to.equal(own.at(-1));
    });

    it('name no thread when nothing came before, and say that an agent wrote them', async () => {
      await open(true);
      const person = await here.world.person('admin', 'Ana');
      for (const [client, submitted] of [
        [here.agent, 'auto-replied'],
        [person, undefined],
      ] as const) {
        const item = await make('unthreaded');
        const answer = await client.post(`/items/${String(item.id)}/reply`, { text: 'Hello' });
        await settled(item, answer.body.entry.id as string);
        const letter = here.box.letters.at(-1);
        const { headers } = readLetter(letter ?? { from: '', to: [], text: '' });
        expect([headers.get('in-reply-to'), headers.get('references')]).to.deep.equal([undefined, undefined]);
        expect(headers.get('auto-submitted')).to.equal(submitted);
        expect(headers.get('subject')).to.equal('Re: Help');
      }
    });

    it('go to the address that their author was told, whatever the item says once they are sent', async () => {
      await open(false);
      const item = await make('letters', 'Ana <ada@example.org>');
      const answer = await here.agent.post(`/items/${String(item.id)}/reply`, { text: 'Hello' });
      expect(answer.body.to).to.equal('ada@example.org');
      await here.world.sql(`update items set fields = '{"email":"eve@example.org"}'`);
      await worker();
      await settled(item, answer.body.entry.id as string);
      expect(here.box.letters.map(({ to }) => to)).to.deep.equal([['ada@example.org']]);
    });

    it('have one recipient or none: nothing that an item holds adds another', async () => {
      await open(true);
      for (const email of [
        'a@example.org, b@example.org',
        'a@example.org\r\nBcc: b@example.org',
        '<a@example.org> b@example.org',
        'a@b@example.org',
        'Ada <a@example.org>, b@example.org',
        'Ada <a@example.org>\r\nBcc: b@example.org',
        'Ada\r\nBcc: b@example.org <a@example.org>',
        'Ada <a@example.org> <b@example.org>',
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
