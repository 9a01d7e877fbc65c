/** People sign in, stay fresh, come by cookie, and sign out; guesses are in signInGuesses.test.ts. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { clientOf, request, type Reply } from '../support/http.ts';
import { openLive } from '../support/live.ts';
import { head, raw } from '../support/raw.ts';
import { until } from '../support/until.ts';
import { hour, password, useSignIn } from './signInWorld.ts';

describe('signing in', () => {
  const here = useSignIn();
  const { person, signIn, sessionOf, tokenOf, refused, stretch, stale, reload, audited } = here;

  describe('with e-mail and password', () => {
    it('answers a session for 12 hours that is fresh for 15 minutes', async () => {
      const { client, email } = await person();
      const before = Date.now();
      const reply = await signIn({ email, password });
      expect(reply.status, reply.text).to.equal(200);
      expect(reply.body.token).to.match(/^cper_[0-9A-Za-z]{38}$/);
      expect(reply.body.person).to.deep.include({ id: client.id, email, name: 'Ana Lind', environments: ['*'] });
      expect(reply.body.person.role.name).to.equal('operator');
      expect(reply.body.expiresAt).to.be.within(before + 12 * hour, Date.now() + 12 * hour);
      expect(reply.headers.get('cache-control')).to.equal('no-store');
      const me = await sessionOf(reply).get('/me');
      expect([me.status, me.body.principal, me.body.fresh]).to.deep.equal([
        200,
        { type: 'person', id: client.id, name: 'Ana Lind', mode: 'normal' },
        true,
      ]);
      const [row] = await here.world.sql<{ fresh_until: number }>(
        'select fresh_until from tokens where principal = $1 order by created_at desc limit 1',
        [client.id],
      );
      expect(row?.fresh_until).to.be.within(before + hour / 4, Date.now() + hour / 4);
      await stale(client);
      expect((await sessionOf(reply).get('/me')).body.fresh).to.equal(false);
      await here.world.sql('update tokens set expires_at = 1 where principal = $1', [client.id]);
      await reload();
      refused(await sessionOf(reply).get('/me'), 401, 'unauthorized');
    });

    it('takes an address as people type it, and a password composed either way', async () => {
      const email = 'jörg.Ö@example.com';
      await here.world.person('viewer', 'Jörg', { email: email.toLowerCase(), password: 'pässwört 12' });
      expect(
        (await signIn({ email: 'JÖRG.ö@Example.com'.normalize('NFD'), password: 'pässwört 12'.normalize('NFD') }))
          .status,
      ).to.equal(200);
    });

    it('holds in every environment of the person, and in no other', async () => {
      const { email } = await person('viewer', { environments: ['staging'] });
      const there = here.world.base.replace('demo', 'staging');
      const reply = await signIn({ email, password }, { base: there });
      expect(reply.status).to.equal(200);
      expect((await here.world.elsewhere(sessionOf(reply), 'staging').get('/me')).status).to.equal(200);
      refused(await sessionOf(reply).get('/me'), 404, 'not_found');
    });

    it('answers an environment without access like one that does not exist, and only to the right password', async () => {
      const { email } = await person('viewer', { environments: ['staging'] });
      const nowhere = here.world.base.replace('demo', 'nosuch');
      const [without, unknown] = [
        await signIn({ email, password }),
        await signIn({ email, password }, { base: nowhere }),
      ];
      refused(without, 404, 'not_found');
      expect(without.text).to.equal(unknown.text);
      refused(await signIn({ email, password: 'wrong password' }, { base: nowhere }), 401, 'unauthorized');
      expect(
        (
          await here.world.sql('select from tokens where principal in (select id from people where email = $1)', [
            email,
          ])
        ).length,
      ).to.equal(1);
    });

    it('is strict about its body, and takes no query, key or version', async () => {
      const { email } = await person();
      refused(await signIn({ email }), 400, 'invalid', 'password');
      refused(await signIn({ email, password, remember: true }), 400, 'invalid', 'remember');
      refused(await signIn({ email: 'nobody', password }), 400, 'invalid', 'email');
      refused(await signIn({ email, password: 7 }), 400, 'invalid', 'password');
      refused(await signIn(undefined, { raw: '{' }), 400, 'bad_json');
      refused(
        await signIn({ email, password }, { headers: { 'idempotency-key': 'k' } }),
        400,
        'invalid',
        'idempotency-key',
      );
      refused(await signIn({ email, password }, { headers: { 'if-match': '"1"' } }), 400, 'invalid', 'if-match');
      refused(await request('POST', `${here.world.base}/sign-in?x=1`, { email, password }, null), 400, 'invalid', 'x');
      const get = await request('GET', `${here.world.base}/sign-in`, undefined, null);
      refused(get, 405, 'method_not_allowed');
      expect(get.headers.get('allow')).to.equal('POST');
    });

    it('ignores a token that is sent along', async () => {
      const { email } = await person();
      expect(
        (await signIn({ email, password }, { headers: { authorization: `Bearer ${here.world.nobody().token}` } }))
          .status,
      ).to.equal(200);
    });
  });

  it('opens no session with a password that is being replaced', async () => {
    const boss = await here.world.person('admin', 'Boss', { fresh: true });
    const { client, email } = await person();
    let current = password;
    for (let round = 0; round < 3; round++) {
      const next = `password ${String(round)}`;
      const [changed, ...replies] = await Promise.all([
        boss.call('PATCH', `/settings/people/${client.id}`, { password: next }),
        ...[1, 2, 3].map(() => signIn({ email, password: current })),
      ]);
      expect(changed.status, changed.text).to.equal(200);
      for (const reply of replies) {
        expect(reply.status).to.be.oneOf([200, 401, 429]);
        if (reply.status === 200) refused(await sessionOf(reply).get('/me'), 401, 'unauthorized');
      }
      await here.world.sql('delete from sign_in_tries');
      current = next;
    }
    expect((await signIn({ email, password: current })).status).to.equal(200);
  });

  describe('a fresh sign-in', () => {
    it('is renewed by the password, for this session alone, on every process', async () => {
      const { client, email } = await person();
      const [one, other] = [sessionOf(await signIn({ email, password })), sessionOf(await signIn({ email, password }))];
      const second = await here.world.api();
      await stale(client);
      const reply = await one.post('/sign-in/fresh', { password });
      expect(reply.status, reply.text).to.equal(200);
      expect(reply.body).to.include({ fresh: true });
      expect(reply.body.freshUntil).to.be.above(Date.now() + hour / 4 - 5_000);
      expect([(await one.get('/me')).body.fresh, (await other.get('/me')).body.fresh]).to.deep.equal([true, false]);
      expect((await clientOf(second.base(), one.token, one.id).get('/me')).body.fresh).to.equal(true);
    });

    it('is refused for a wrong password, which is slowed and leaves the session as it was', async () => {
      const { client, email } = await person();
      const session = sessionOf(await signIn({ email, password }));
      await stale(client);
      const renew = (): Promise<Reply> =>
        session.post('/sign-in/fresh', { password: 'guess' }, { headers: { 'x-forwarded-for': here.from } });
      for (let i = 0; i < 10; i++) refused(await renew(), 403, 'forbidden');
      // As those of a stranger from then on: three, and then the waits of the account.
      for (let i = 0; i < 5; i++) {
        refused(await renew(), 403, 'forbidden');
        await stretch();
      }
      refused(await renew(), 429, 'rate_limited');
      expect((await session.get('/me')).body.fresh).to.equal(false);
    });

    it('is for people alone', async () => {
      for (const path of ['/sign-in/fresh', '/sign-out']) {
        const body = path === '/sign-out' ? {} : { password };
        refused(await (await here.world.agent('admin')).post(path, body), 403, 'person_required');
        refused(await (await here.world.appKey()).post(path, body), 403, 'forbidden');
        refused(await here.world.nobody().post(path, body), 401, 'unauthorized');
      }
      refused(
        await (await person()).client.post('/sign-in/fresh', { password }, { headers: { 'idempotency-key': 'k' } }),
        400,
        'invalid',
        'idempotency-key',
      );
    });
  });

  describe('signing out', () => {
    it('ends this session at once and on every process, and no other one', async () => {
      const { email } = await person();
      const [one, other] = [sessionOf(await signIn({ email, password })), sessionOf(await signIn({ email, password }))];
      const second = await here.world.api();
      const there = clientOf(second.base(), one.token, one.id);
      expect((await there.get('/me')).status).to.equal(200);
      const live = await openLive(one);
      const reply = await one.post('/sign-out');
      expect([reply.status, reply.text, tokenOf(reply)]).to.deep.equal([204, '', '']);
      expect(reply.headers.get('set-cookie')).to.include('Max-Age=0');
      refused(await one.get('/me'), 401, 'unauthorized');
      await until('the other process knows', async () => (await there.get('/me')).status === 401, 1_000);
      expect(await live.closed).to.equal(4401);
      expect((await other.get('/me')).status).to.equal(200);
    });

    it('takes an idempotency key, like every change but those that refuse it', async () => {
      const { email } = await person();
      const session = sessionOf(await signIn({ email, password }));
      expect((await session.post('/sign-out', {}, { headers: { 'idempotency-key': 'out' } })).status).to.equal(204);
      refused(await session.get('/me'), 401, 'unauthorized');
    });
  });

  describe('by cookie', () => {
    let token: string;
    let cookie: string;
    before(async () => {
      const { email } = await person();
      const reply = await signIn({ email, password });
      token = tokenOf(reply);
      cookie = `console_session=${token}`;
      expect(token).to.equal(reply.body.token);
    });
    const by = (
      method: string,
      path: string,
      headers: Readonly<Record<string, string>>,
      body?: unknown,
    ): Promise<Reply> => request(method, `${here.world.base}${path}`, body, null, { headers: { cookie, ...headers } });
    const note = { inbox: 'mail', title: 'By cookie' };

    it('is set for this host’s environments, out of reach of scripts and of other sites', async () => {
      const { email } = await person();
      const [set] = (await signIn({ email, password })).headers.getSetCookie();
      expect(set).to.match(/^console_session=cper_\w{38}; Path=\/api\/env; Max-Age=43200; HttpOnly; SameSite=Lax$/);
      expect(
        (await signIn({ email, password }, { headers: { 'x-forwarded-proto': 'https' } })).headers.get('set-cookie'),
      ).to.match(/; Secure, console_browser=.*; Secure$/);
    });

    it('reads without more, and changes only from a page of the same host', async () => {
      expect((await by('GET', '/me', {})).body.principal.type).to.equal('person');
      expect((await by('POST', '/items', { origin: here.origin }, note)).status).to.equal(201);
      for (const headers of [
        {},
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: here.origin.replace('http:', 'https:') },
        { origin: `${here.origin}.evil.example` },
        { origin: here.origin.replace(/:\d+$/, ':1') },
      ] as Record<string, string>[]) {
        refused(await by('POST', '/items', headers, note), 403, 'forbidden');
        refused(await by('POST', '/sign-out', headers), 403, 'forbidden');
      }
      expect(
        (await by('GET', '/me', { origin: 'https://evil.example' })).headers.get('access-control-allow-origin'),
      ).to.equal(null);
      const { email } = await person();
      refused(await signIn({ email, password }, { headers: { origin: 'https://evil.example' } }), 403, 'forbidden');
    });

    it('gives way to a bearer token, also to one that is not valid', async () => {
      const viewer = await here.world.agent('viewer');
      expect((await by('GET', '/me', { authorization: `Bearer ${viewer.token}` })).body.principal.type).to.equal(
        'agent',
      );
      refused(await by('GET', '/me', { authorization: 'Bearer nothing' }), 401, 'unauthorized');
    });

    it('holds a person’s session and nothing else, once', async () => {
      const [agent, key] = [await here.world.agent('admin'), await here.world.appKey()];
      for (const value of [
        `console_session=${agent.token}`,
        `console_session=${key.token}`,
        `${cookie}; console_session=${agent.token}`,
        `other=${token}`,
        'console_session=',
        'console_session=x',
      ]) {
        const reply = await raw(here.world.port, head('GET /api/env/demo/me HTTP/1.1', `cookie: ${value}`));
        refused(reply, 401, 'unauthorized');
      }
    });

    it('opens the stream from a page of the same host alone', async () => {
      const upgrade = (...headers: string[]) =>
        raw(
          here.world.port,
          `${[
            'GET /api/env/demo/live HTTP/1.1',
            `host: ${new URL(here.origin).host}`,
            'connection: upgrade',
            'upgrade: websocket',
            'sec-websocket-version: 13',
            'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
            ...headers,
          ].join('\r\n')}\r\n\r\n`,
          { connected: (socket) => socket.once('data', () => setImmediate(() => socket.destroy())) },
        );
      expect((await upgrade(`cookie: ${cookie}`, `origin: ${here.origin}`)).status).to.equal(101);
      expect((await upgrade(`cookie: ${cookie}`, 'origin: https://evil.example')).status).to.equal(403);
      expect((await upgrade(`cookie: ${cookie}`)).status).to.equal(403);
      expect(
        (await upgrade(`cookie: console_session=${(await here.world.agent('admin')).token}`, `origin: ${here.origin}`))
          .status,
      ).to.equal(401);
    });
  });

  describe('in the audit log', () => {
    it('stands every sign-in, and every one that failed, without a password', async () => {
      const { client, email } = await person();
      const unknown = `x${email}`;
      const digest = (typed: string): string => `sha256:${createHash('sha256').update(typed).digest('hex')}`;
      await signIn({ email, password: 'not it at all' }, { headers: { 'x-request-id': 'trace-1' } });
      await signIn({ email: unknown, password: 'not it either' });
      const session = sessionOf(await signIn({ email, password }));
      await session.post('/sign-in/fresh', { password: 'nor this one' }, { headers: { 'x-forwarded-for': here.from } });
      await session.post('/sign-in/fresh', { password }, { headers: { 'x-forwarded-for': here.from } });
      await session.post('/sign-out');
      const failed = { actor: null, outcome: 'denied', after: { code: 'unauthorized' }, address: here.from };
      const [first, second] = await audited('person.signIn', client.id);
      expect(first).to.deep.equal({ ...failed, actor_name: digest(email), target: client.id, request_id: 'trace-1' });
      expect(second).to.deep.include({ actor: client.id, actor_name: 'Ana Lind', outcome: 'ok' });
      const nobody = (await audited('person.signIn', null)).find(({ actor_name: name }) => name === digest(unknown));
      expect(nobody).to.deep.include(failed);
      expect(
        await here.world.sql(
          `select verb, outcome from events where actor = $1 and verb in ('person.freshSignIn', 'person.signOut') order by id`,
          [client.id],
        ),
      ).to.deep.equal([
        { verb: 'person.freshSignIn', outcome: 'denied' },
        { verb: 'person.freshSignIn', outcome: 'ok' },
        { verb: 'person.signOut', outcome: 'ok' },
      ]);
      const text = JSON.stringify(await here.world.sql('select * from events'));
      for (const secret of [password, 'not it at all', 'not it either', 'nor this one', session.token, email, unknown])
        expect(text).not.to.include(secret);
    });

    it('stands a guess in an environment that does not exist, in those of the person', async () => {
      const { client, email } = await person('viewer', { environments: ['staging'] });
      await signIn({ email, password: 'guess' }, { base: here.world.base.replace('demo', 'nosuch') });
      const rows = await here.world.sql(
        `select e.name, v.outcome from events v join environments e on e.id = v.env where v.target = $1`,
        [client.id],
      );
      expect(rows).to.deep.equal([{ name: 'staging', outcome: 'denied' }]);
    });
  });
});
