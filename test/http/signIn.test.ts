/** People sign in, stay fresh, come by cookie, and sign out; guesses are slowed and reveal nothing. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { clientOf, request, type CallOptions, type Client, type Reply } from '../support/http.ts';
import { openLive } from '../support/live.ts';
import { head, raw } from '../support/raw.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const password = 'correct horse battery';
const hour = 3_600_000;

describe('signing in', () => {
  let world: World;
  let origin: string;
  let addresses = 0;
  /** Another address for each test, as tries count by address too. */
  let from: string;

  // Behind a proxy, so that a test sets its address.
  before(async () => {
    world = await newWorld({ env: { TRUST_PROXY: '1' } });
    await world.environment('staging');
    origin = new URL(world.base).origin;
  });
  after(() => world.close());
  beforeEach(() => {
    addresses += 1;
    from = `192.0.2.${String(addresses)}`;
  });

  const person = async (role = 'operator', more: object = {}): Promise<{ client: Client; email: string }> => {
    const email = `p${String(Math.random()).slice(2)}@example.com`;
    return { client: await world.person(role, 'Ana Lind', { email, password, ...more }), email };
  };
  const signIn = (
    body: unknown,
    { base = world.base, headers = {}, ...rest }: CallOptions & { base?: string } = {},
  ): Promise<Reply> =>
    request('POST', `${base}/sign-in`, body, null, { headers: { 'x-forwarded-for': from, ...headers }, ...rest });
  const sessionOf = ({ body }: Reply): Client => clientOf(world.base, body.token, body.person.id);
  const tokenOf = (reply: Reply): string =>
    /console_session=([^;]*)/.exec(reply.headers.get('set-cookie') ?? '')?.[1] ?? '';
  const refused = (
    reply: Pick<Reply, 'status' | 'body' | 'text'>,
    status: number,
    code: string,
    path?: string,
  ): void => {
    expect([reply.status, reply.body?.code], reply.text).to.deep.equal([status, code]);
    if (path !== undefined) expect(reply.body.details.map((place: { path: string }) => place.path)).to.include(path);
  };
  /** Waits that are under way last a minute more, however slow the machine is. */
  const stretch = (): Promise<unknown> =>
    world.sql('update sign_in_tries set free_at = free_at + 60000 where free_at > last_at');
  /** Everybody but known browsers has to wait. */
  const block = (): Promise<unknown> =>
    world.sql(
      `update sign_in_tries set failures = 100, last_at = $1, free_at = $1::bigint + 600000 where subject not like 'known:%'`,
      [world.clock.now()],
    );
  const stale = (client: Client): Promise<unknown> =>
    world.sql('update tokens set fresh_until = 1 where principal = $1', [client.id]).then(() => reload());
  const reload = async (): Promise<void> => {
    await world.sql('update revisions set n = n + 1');
    await world.deps.directory.refresh();
  };
  const audited = (verb: string, target: string | null): Promise<Record<string, unknown>[]> =>
    world.sql(
      `select actor, actor_name, target, outcome, after, address, request_id from events where verb = $1 and target is not distinct from $2 order by id`,
      [verb, target],
    );

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
      const [row] = await world.sql<{ fresh_until: number }>(
        'select fresh_until from tokens where principal = $1 order by created_at desc limit 1',
        [client.id],
      );
      expect(row?.fresh_until).to.be.within(before + hour / 4, Date.now() + hour / 4);
      await stale(client);
      expect((await sessionOf(reply).get('/me')).body.fresh).to.equal(false);
      await world.sql('update tokens set expires_at = 1 where principal = $1', [client.id]);
      await reload();
      refused(await sessionOf(reply).get('/me'), 401, 'unauthorized');
    });

    it('takes an address as people type it, and a password composed either way', async () => {
      const email = 'jörg.Ö@example.com';
      await world.person('viewer', 'Jörg', { email: email.toLowerCase(), password: 'pässwört 12' });
      expect(
        (await signIn({ email: 'JÖRG.ö@Example.com'.normalize('NFD'), password: 'pässwört 12'.normalize('NFD') }))
          .status,
      ).to.equal(200);
    });

    it('holds in every environment of the person, and in no other', async () => {
      const { email } = await person('viewer', { environments: ['staging'] });
      const there = world.base.replace('demo', 'staging');
      const reply = await signIn({ email, password }, { base: there });
      expect(reply.status).to.equal(200);
      expect((await world.elsewhere(sessionOf(reply), 'staging').get('/me')).status).to.equal(200);
      refused(await sessionOf(reply).get('/me'), 404, 'not_found');
    });

    it('answers an environment without access like one that does not exist, and only to the right password', async () => {
      const { email } = await person('viewer', { environments: ['staging'] });
      const nowhere = world.base.replace('demo', 'nosuch');
      const [without, unknown] = [
        await signIn({ email, password }),
        await signIn({ email, password }, { base: nowhere }),
      ];
      refused(without, 404, 'not_found');
      expect(without.text).to.equal(unknown.text);
      refused(await signIn({ email, password: 'wrong password' }, { base: nowhere }), 401, 'unauthorized');
      expect(
        (await world.sql('select from tokens where principal in (select id from people where email = $1)', [email]))
          .length,
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
      refused(await request('POST', `${world.base}/sign-in?x=1`, { email, password }, null), 400, 'invalid', 'x');
      const get = await request('GET', `${world.base}/sign-in`, undefined, null);
      refused(get, 405, 'method_not_allowed');
      expect(get.headers.get('allow')).to.equal('POST');
    });

    it('ignores a token that is sent along', async () => {
      const { email } = await person();
      expect(
        (await signIn({ email, password }, { headers: { authorization: `Bearer ${world.nobody().token}` } })).status,
      ).to.equal(200);
    });
  });

  describe('with the wrong password', () => {
    it('answers an address that exists and one that does not with the same bytes', async () => {
      const { email } = await person();
      await world.person('viewer', 'No Password', { email: 'nopassword@example.com' });
      const own = new Set(['x-request-id', 'date', 'ratelimit']);
      const shown = ({ status, text, headers }: Reply): object => ({
        status,
        text,
        headers: [...headers].filter(([name]) => !own.has(name)),
      });
      const [known, unknown, without] = [
        await signIn({ email, password: 'not that one' }),
        await signIn({ email: `x${email}`, password }),
        await signIn({ email: 'nopassword@example.com', password }),
      ];
      refused(known, 401, 'unauthorized');
      expect(known.headers.get('set-cookie')).to.equal(null);
      expect(shown(known)).to.deep.equal(shown(unknown));
      expect(shown(without)).to.deep.equal(shown(unknown));
    });

    it('slows guesses at an account, whether it exists or not, from wherever they come, and lets the right one in after the wait', async () => {
      const { email } = await person();
      for (const account of [email, `x${email}`]) {
        for (let i = 0; i < 8; i++) {
          from = `198.51.100.${String(i % 2)}`;
          await world.sql('update sign_in_tries set free_at = 0');
          refused(await signIn({ email: account, password: `guess ${String(i)}` }), 401, 'unauthorized');
        }
        await stretch();
        const reply = await signIn({ email: account, password });
        refused(reply, 429, 'rate_limited');
        expect(Number(reply.headers.get('retry-after'))).to.be.within(1, 70);
      }
      await world.sql('update sign_in_tries set free_at = 0');
      expect((await signIn({ email, password })).status).to.equal(200);
      refused(await signIn({ email, password: 'wrong again' }), 401, 'unauthorized');
    });

    it('lets the first three tries of an address through the waits of the account, in each hour', async () => {
      const { email } = await person();
      for (let i = 0; i < 8; i++)
        await signIn({ email, password: 'guess' }, { headers: { 'x-forwarded-for': '198.51.100.9' } });
      const guess = async (): Promise<number> => {
        await stretch();
        return (await signIn({ email, password: 'guess' })).status;
      };
      expect([await guess(), await guess(), await guess(), await guess(), await guess()]).to.deep.equal([
        401, 401, 401, 429, 429,
      ]);
      await world.sql(`update sign_in_tries set last_at = last_at - $1 where subject like 'pair:%'`, [hour]);
      expect([await guess(), await guess()]).to.deep.equal([401, 401]);
      expect((await signIn({ email, password })).status, 'the third').to.equal(200);
      expect([await guess(), await guess(), await guess()], 'a right one sets back').to.deep.equal([401, 401, 401]);
    });

    it('gives a browser that has signed in tries of its own, ten in an hour, until the password changes', async () => {
      const { email } = await person();
      const reply = await signIn({ email, password });
      const [set = ''] = reply.headers.getSetCookie().filter((one) => one.startsWith('console_browser='));
      expect(set).to.match(/^console_browser=[\w.-]+; Path=\/api\/env; Max-Age=7776000; HttpOnly; SameSite=Lax$/);
      const [cookie = ''] = set.split(';', 1);
      const attempt = (given: string, account = email): Promise<Reply> =>
        signIn({ email: account, password: given }, { headers: { cookie } });
      await signIn({ email, password: 'guess' });
      await block();
      refused(await signIn({ email, password }), 429, 'rate_limited');
      const failed = (n: number): Promise<unknown> =>
        world.sql(`update sign_in_tries set failures = $1 where subject like 'known:%'`, [n]);
      refused(await attempt('guess'), 401, 'unauthorized');
      await failed(9);
      expect((await attempt(password)).status, 'the tenth').to.equal(200);
      refused(await attempt('guess'), 401, 'unauthorized');
      await failed(10);
      refused(await attempt(password), 429, 'rate_limited');
      await world.sql(`update sign_in_tries set last_at = last_at - $1 where subject like 'known:%'`, [hour]);
      expect((await attempt(password)).status, 'an hour later').to.equal(200);
    });

    it('knows a browser for one account, 90 days, and until the password changes', async () => {
      const { client, email } = await person();
      const reply = await signIn({ email, password });
      const [cookie = ''] = reply.headers
        .getSetCookie()
        .map((one) => one.split(';', 1)[0])
        .slice(1);
      const attempt = (given: string, account = email): Promise<Reply> =>
        signIn({ email: account, password: given }, { headers: { cookie } });
      await signIn({ email, password: 'guess' });
      await block();
      expect((await attempt(password)).status).to.equal(200);
      const other = await person();
      await signIn({ email: other.email, password: 'guess' }, { headers: { 'x-forwarded-for': '198.51.100.10' } });
      await block();
      refused(await attempt(password, other.email), 429, 'rate_limited');
      const last = cookie.endsWith('A') ? 'Q' : 'A';
      refused(
        await signIn({ email, password }, { headers: { cookie: `${cookie.slice(0, -1)}${last}` } }),
        429,
        'rate_limited',
      );
      world.clock.advance(90 * 24 * hour);
      await block();
      refused(await attempt(password), 429, 'rate_limited');
      world.clock.advance(-90 * 24 * hour);
      const boss = await world.person('admin', 'Boss', { fresh: true });
      await boss.call('PATCH', `/settings/people/${client.id}`, { password: 'another password' });
      await block();
      refused(await attempt('another password'), 429, 'rate_limited');
    });

    it('waits longer with each guess, never longer than half a minute for an account and five for an address, and not longer for asking', async () => {
      const { email } = await person();
      const waits: number[][] = [];
      for (const failures of [3, 4, 5, 6, 18, 19, 20, 200, 1_000_000]) {
        await world.sql('update sign_in_tries set free_at = 0, failures = $1', [failures]);
        if (failures === 3)
          await signIn({ email, password: 'guess' }).then(() =>
            world.sql('update sign_in_tries set free_at = 0, failures = $1', [failures]),
          );
        refused(await signIn({ email, password: 'guess' }), 401, 'unauthorized');
        const rows = await world.sql<{ ms: number }>(
          `select (free_at - last_at)::int as ms from sign_in_tries where last_at = (select max(last_at) from sign_in_tries) and subject not like 'pair:%' order by subject`,
        );
        waits.push(rows.map(({ ms }) => ms / 1000));
      }
      expect(waits).to.deep.equal([
        [0, 0],
        [1, 0],
        [2, 0],
        [4, 0],
        [30, 0],
        [30, 1],
        [30, 2],
        [30, 300],
        [30, 300],
      ]);
      const held = await world.sql('select * from sign_in_tries order by subject');
      const reply = await signIn({ email, password });
      refused(reply, 429, 'rate_limited');
      expect(await world.sql('select * from sign_in_tries order by subject')).to.deep.equal(held);
    });

    it('slows guesses from an address at many accounts', async () => {
      const { email } = await person();
      refused(await signIn({ email: 'first@example.com', password: 'guess' }), 401, 'unauthorized');
      await world.sql('update sign_in_tries set failures = 19 where subject = $1', [`address:${from}`]);
      refused(await signIn({ email: 'second@example.com', password: 'guess' }), 401, 'unauthorized');
      await stretch();
      refused(await signIn({ email, password }), 429, 'rate_limited');
      from = '192.0.2.250';
      expect((await signIn({ email, password })).status).to.equal(200);
    });

    it('lets no more guesses through that are made at once, over several processes', async () => {
      const { email } = await person();
      const second = await world.api();
      const guess = (i: number): Promise<Reply> =>
        signIn({ email, password: `guess ${String(i)}` }, { base: i % 2 === 0 ? world.base : second.base() });
      const replies = await world.clock.stopWhile(() => Promise.all(Array.from({ length: 16 }, (_, i) => guess(i))));
      expect(replies.filter(({ status }) => status === 401)).to.have.length(5);
      expect(replies.filter(({ status }) => status === 429)).to.have.length(11);
    });

    it('forgets failures after an hour without a try, and keeps nothing of what was typed', async () => {
      const { email } = await person();
      for (let i = 0; i < 5; i++) await signIn({ email, password: 'guess' });
      await stretch();
      refused(await signIn({ email, password }), 429, 'rate_limited');
      await world.sql('update sign_in_tries set free_at = 0, last_at = last_at - $1', [hour + 1000]);
      for (let i = 0; i < 4; i++) refused(await signIn({ email, password: 'guess' }), 401, 'unauthorized');
      expect((await signIn({ email, password })).status).to.equal(200);
      const kept = await world.sql<{ subject: string }>('select subject from sign_in_tries');
      expect(kept.filter(({ subject }) => subject.includes('@'))).to.deep.equal([]);
    });
  });

  it('opens no session with a password that is being replaced', async () => {
    const boss = await world.person('admin', 'Boss', { fresh: true });
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
      await world.sql('delete from sign_in_tries');
      current = next;
    }
    expect((await signIn({ email, password: current })).status).to.equal(200);
  });

  describe('a fresh sign-in', () => {
    it('is renewed by the password, for this session alone, on every process', async () => {
      const { client, email } = await person();
      const [one, other] = [sessionOf(await signIn({ email, password })), sessionOf(await signIn({ email, password }))];
      const second = await world.api();
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
        session.post('/sign-in/fresh', { password: 'guess' }, { headers: { 'x-forwarded-for': from } });
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
        refused(await (await world.agent('admin')).post(path, body), 403, 'person_required');
        refused(await (await world.appKey()).post(path, body), 403, 'forbidden');
        refused(await world.nobody().post(path, body), 401, 'unauthorized');
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
      const second = await world.api();
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
    ): Promise<Reply> => request(method, `${world.base}${path}`, body, null, { headers: { cookie, ...headers } });
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
      expect((await by('POST', '/items', { origin }, note)).status).to.equal(201);
      for (const headers of [
        {},
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: origin.replace('http:', 'https:') },
        { origin: `${origin}.evil.example` },
        { origin: origin.replace(/:\d+$/, ':1') },
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
      const viewer = await world.agent('viewer');
      expect((await by('GET', '/me', { authorization: `Bearer ${viewer.token}` })).body.principal.type).to.equal(
        'agent',
      );
      refused(await by('GET', '/me', { authorization: 'Bearer nothing' }), 401, 'unauthorized');
    });

    it('holds a person’s session and nothing else, once', async () => {
      const [agent, key] = [await world.agent('admin'), await world.appKey()];
      for (const value of [
        `console_session=${agent.token}`,
        `console_session=${key.token}`,
        `${cookie}; console_session=${agent.token}`,
        `other=${token}`,
        'console_session=',
        'console_session=x',
      ]) {
        const reply = await raw(world.port, head('GET /api/env/demo/me HTTP/1.1', `cookie: ${value}`));
        refused(reply, 401, 'unauthorized');
      }
    });

    it('opens the stream from a page of the same host alone', async () => {
      const upgrade = (...headers: string[]) =>
        raw(
          world.port,
          `${[
            'GET /api/env/demo/live HTTP/1.1',
            `host: ${new URL(origin).host}`,
            'connection: upgrade',
            'upgrade: websocket',
            'sec-websocket-version: 13',
            'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
            ...headers,
          ].join('\r\n')}\r\n\r\n`,
          { connected: (socket) => socket.once('data', () => setImmediate(() => socket.destroy())) },
        );
      expect((await upgrade(`cookie: ${cookie}`, `origin: ${origin}`)).status).to.equal(101);
      expect((await upgrade(`cookie: ${cookie}`, 'origin: https://evil.example')).status).to.equal(403);
      expect((await upgrade(`cookie: ${cookie}`)).status).to.equal(403);
      expect(
        (await upgrade(`cookie: console_session=${(await world.agent('admin')).token}`, `origin: ${origin}`)).status,
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
      await session.post('/sign-in/fresh', { password: 'nor this one' }, { headers: { 'x-forwarded-for': from } });
      await session.post('/sign-in/fresh', { password }, { headers: { 'x-forwarded-for': from } });
      await session.post('/sign-out');
      const failed = { actor: null, outcome: 'denied', after: { code: 'unauthorized' }, address: from };
      const [first, second] = await audited('person.signIn', client.id);
      expect(first).to.deep.equal({ ...failed, actor_name: digest(email), target: client.id, request_id: 'trace-1' });
      expect(second).to.deep.include({ actor: client.id, actor_name: 'Ana Lind', outcome: 'ok' });
      const nobody = (await audited('person.signIn', null)).find(({ actor_name: name }) => name === digest(unknown));
      expect(nobody).to.deep.include(failed);
      expect(
        await world.sql(
          `select verb, outcome from events where actor = $1 and verb in ('person.freshSignIn', 'person.signOut') order by id`,
          [client.id],
        ),
      ).to.deep.equal([
        { verb: 'person.freshSignIn', outcome: 'denied' },
        { verb: 'person.freshSignIn', outcome: 'ok' },
        { verb: 'person.signOut', outcome: 'ok' },
      ]);
      const text = JSON.stringify(await world.sql('select * from events'));
      for (const secret of [password, 'not it at all', 'not it either', 'nor this one', session.token, email, unknown])
        expect(text).not.to.include(secret);
    });

    it('stands a guess in an environment that does not exist, in those of the person', async () => {
      const { client, email } = await person('viewer', { environments: ['staging'] });
      await signIn({ email, password: 'guess' }, { base: world.base.replace('demo', 'nosuch') });
      const rows = await world.sql(
        `select e.name, v.outcome from events v join environments e on e.id = v.env where v.target = $1`,
        [client.id],
      );
      expect(rows).to.deep.equal([{ name: 'staging', outcome: 'denied' }]);
    });
  });
});
