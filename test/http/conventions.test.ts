/** What holds for every request of HTTP: idempotency, versions, request ids, methods, headers, compression. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { request, type CallOptions, type Client, type Reply } from '../support/http.ts';
import { clerkGrants } from '../support/manifest.ts';
import { patience } from '../support/patience.ts';
import { head, raw } from '../support/raw.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

describe('conventions over HTTP', () => {
  let world: World;
  let admin: Client;
  let clerk: Client;
  let origin: string;

  before(async () => {
    world = await newWorld();
    await world.role('clerk', clerkGrants);
    admin = await world.agent('admin');
    clerk = await world.agent('clerk');
    origin = new URL(world.base).origin;
  });
  after(() => world.close());

  let made = 0;
  const make = async (more: object = {}, client = clerk): Promise<Reply['body']> => {
    made += 1;
    return (await client.post('/items', { inbox: 'mail', title: `Item ${String(made)}`, ...more })).body.item;
  };
  const fetched = async (item: { id: string }): Promise<Reply['body']> => (await admin.get(`/items/${item.id}`)).body;
  const refused = (
    reply: Pick<Reply, 'status' | 'body' | 'text'>,
    status: number,
    code: string,
    path?: string,
  ): void => {
    expect([reply.status, reply.body?.code], reply.text).to.deep.equal([status, code]);
    expect(reply.body.error).to.be.a('string').and.match(/\S/);
    if (path !== undefined) expect(reply.body.details.map((place: { path: string }) => place.path)).to.include(path);
  };
  const keyed = (key: string, more: Readonly<Record<string, string>> = {}): CallOptions => ({
    headers: { 'idempotency-key': key, ...more },
  });

  describe('idempotency keys', () => {
    it('answer the saved status, bytes and etag with idempotent-replayed, and do nothing again', async () => {
      const body = { inbox: 'mail', title: 'Once', key: 'once' };
      const first = await clerk.post('/items', body, keyed('k1'));
      const again = await clerk.post('/items', body, keyed('k1'));
      expect([first.status, again.status]).to.deep.equal([201, 201]);
      expect(again.text).to.equal(first.text);
      expect([first.headers.get('idempotent-replayed'), again.headers.get('idempotent-replayed')]).to.deep.equal([
        null,
        'true',
      ]);
      expect(again.headers.get('etag')).to.equal(first.headers.get('etag'));
      expect((await fetched(first.body.item)).item.occurrences).to.equal(1);
    });

    it('hold for each kind of change of an item', async () => {
      const item = await make();
      const bodies = {
        state: { state: 'waiting' },
        assign: { assignee: null },
        tags: { add: ['x'] },
        snooze: { until: Date.now() + 3_600_000 },
        notes: { text: 'x' },
        reply: { subject: 'x', text: 'y' },
        triage: { answers: { a: 1 } },
      };
      for (const [verb, body] of Object.entries(bodies)) {
        const [first, second] = [
          await clerk.post(`/items/${item.id}/${verb}`, body, keyed(`verb-${verb}`)),
          await clerk.post(`/items/${item.id}/${verb}`, body, keyed(`verb-${verb}`)),
        ];
        expect(second.text, verb).to.equal(first.text);
        expect([second.status, second.headers.get('idempotent-replayed')], verb).to.deep.equal([first.status, 'true']);
      }
      expect((await fetched(item)).timeline.map((entry: { type: string }) => entry.type)).to.deep.equal([
        'triage',
        'reply',
        'note',
        'snoozed',
        'tags',
        'state',
        'created',
      ]);
    });

    it('keep an answer of changed false too', async () => {
      const item = await make();
      const first = await clerk.post(`/items/${item.id}/state`, { state: 'open' }, keyed('unchanged'));
      await clerk.post(`/items/${item.id}/state`, { state: 'closed' });
      const again = await clerk.post(`/items/${item.id}/state`, { state: 'open' }, keyed('unchanged'));
      expect(again.text).to.equal(first.text);
      expect((await fetched(item)).item.state).to.equal('closed');
    });

    it('refuse another body, path or method with 422', async () => {
      const item = await make();
      await clerk.post(`/items/${item.id}/notes`, { text: 'one' }, keyed('mismatch'));
      refused(
        await clerk.post(`/items/${item.id}/notes`, { text: 'two' }, keyed('mismatch')),
        422,
        'idempotency_mismatch',
      );
      refused(
        await clerk.post(`/items/${item.id}/tags`, { add: ['one'] }, keyed('mismatch')),
        422,
        'idempotency_mismatch',
      );
      refused(
        await clerk.post(`/items/${(await make()).id}/notes`, { text: 'one' }, keyed('mismatch')),
        422,
        'idempotency_mismatch',
      );
      expect((await fetched(item)).timeline).to.have.length(2);
    });

    it('are each principal’s own', async () => {
      const body = { inbox: 'mail', title: 'Of two' };
      const [one, other] = [
        await clerk.post('/items', body, keyed('shared')),
        await admin.post('/items', body, keyed('shared')),
      ];
      expect(one.body.item.id).not.to.equal(other.body.item.id);
    });

    it('are left free by every failure', async () => {
      const item = await make();
      const send = (body: object, id = item.id) => clerk.post(`/items/${id}/state`, body, keyed('free'));
      refused(await send({ state: 7 }), 400, 'invalid');
      refused(await send({ state: 'nosuch' }), 400, 'invalid');
      refused(await send({ state: 'open' }, 'itm_01jd0000000000000000000000'), 404, 'not_found');
      refused(
        await clerk.post(`/items/${item.id}/state`, { state: 'closed' }, keyed('free', { 'if-match': '"9"' })),
        412,
        'version_conflict',
      );
      expect((await send({ state: 'closed' })).status).to.equal(200);
    });

    it('make one effect of many parallel calls, across processes too, and all get the same bytes', async () => {
      const second = await world.api();
      const item = await make();
      const path = `/items/${item.id}/notes`;
      const at = [clerk.base, second.base('demo')];
      const replies = await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          request('POST', `${at[i % 2] ?? ''}${path}`, { text: 'parallel' }, clerk.token, keyed('parallel')),
        ),
      );
      expect(replies.map((reply) => reply.status)).to.deep.equal(Array.from({ length: 100 }, () => 201));
      expect(new Set(replies.map((reply) => reply.text)).size).to.equal(1);
      expect((await fetched(item)).timeline).to.have.length(2);
    });

    it('hold for 24 hours', async () => {
      const body = { inbox: 'mail', title: 'Tomorrow' };
      const first = await clerk.post('/items', body, keyed('day'));
      const age = (ms: number) =>
        world.sql(`update idempotency_keys set created_at = created_at - $1 where key = 'day'`, [ms]);
      await age(86_400_000 - 60_000);
      expect((await clerk.post('/items', body, keyed('day'))).text).to.equal(first.text);
      await age(60_000);
      const next = await clerk.post('/items', body, keyed('day'));
      expect(next.headers.get('idempotent-replayed')).to.equal(null);
      expect(next.body.item.id).not.to.equal(first.body.item.id);
    });

    it('must be 1 to 255 printable characters, once', async () => {
      const body = { inbox: 'mail', title: 'x' };
      for (const key of ['', ' ', 'x'.repeat(256), 'é'])
        refused(await clerk.post('/items', body, keyed(key)), 400, 'invalid', 'idempotency-key');
      const two = await raw(
        world.port,
        `${head('POST /api/env/demo/items HTTP/1.1', `authorization: Bearer ${clerk.token}`, 'content-type: application/json', 'idempotency-key: a', 'idempotency-key: b', 'content-length: 2')}{}`,
      );
      refused(two, 400, 'invalid', 'idempotency-key');
      expect((await clerk.post('/items', body, keyed('x'.repeat(255)))).status).to.equal(201);
    });

    it('are refused where an answer must not be kept', async () => {
      refused(await clerk.post('/live/tickets', {}, keyed('ticket')), 400, 'invalid', 'idempotency-key');
    });

    it('are ignored by reads', async () => {
      expect((await clerk.get('/items?limit=1', keyed('read'))).status).to.equal(200);
    });
  });

  describe('if-match', () => {
    const match = (version: string): CallOptions => ({ headers: { 'if-match': version } });

    it('lets the version through that it names, and *', async () => {
      const item = await make();
      expect((await clerk.post(`/items/${item.id}/notes`, { text: 'a' }, match('"1"'))).status).to.equal(201);
      expect((await clerk.post(`/items/${item.id}/notes`, { text: 'a' }, match('*'))).status).to.equal(201);
      expect((await clerk.post(`/items/${item.id}/notes`, { text: 'a' }, match('"3"'))).headers.get('etag')).to.equal(
        '"4"',
      );
    });

    it('answers 412 with the current item and its etag to a stale one, and does nothing', async () => {
      const item = await make();
      const {
        body: { item: now },
      } = await clerk.post(`/items/${item.id}/tags`, { add: ['a'] });
      for (const [verb, body] of Object.entries({
        state: { state: 'open' },
        tags: { add: ['b'] },
        notes: { text: 'x' },
        reply: { subject: 'a', text: 'b' },
        triage: { answers: {} },
      })) {
        const reply = await clerk.post(`/items/${item.id}/${verb}`, body, match('"1"'));
        refused(reply, 412, 'version_conflict');
        expect(reply.body.current).to.deep.equal(now);
        expect(reply.headers.get('etag')).to.equal('"2"');
      }
      expect((await fetched(item)).item).to.deep.equal(now);
    });

    it('is looked at after visibility and rights', async () => {
      const secret = await make({ inbox: 'secret' }, admin);
      const bug = await make({ inbox: 'bugs' }, admin);
      refused(await clerk.post(`/items/${secret.id}/notes`, { text: 'x' }, match('"9"')), 404, 'not_found');
      refused(await clerk.post(`/items/${bug.id}/notes`, { text: 'x' }, match('"9"')), 403, 'forbidden');
    });

    it('lets one of two writers with the same version win', async () => {
      const item = await make();
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          clerk.post(`/items/${item.id}/tags`, { add: [`t${String(i)}`] }, match('"1"')),
        ),
      );
      expect(replies.map((reply) => reply.status).sort((a, b) => a - b)).to.deep.equal([
        200,
        ...Array.from({ length: 9 }, () => 412),
      ]);
      expect((await fetched(item)).item.tags).to.have.length(1);
    });

    it('is refused when malformed, and where nothing has a version', async () => {
      const item = await make();
      for (const version of ['1', '"x"', 'W/"1"', '"1", "2"', '""', '"-1"', '"1.0"'])
        refused(await clerk.post(`/items/${item.id}/notes`, { text: 'x' }, match(version)), 400, 'invalid', 'if-match');
      refused(await clerk.post('/items', { inbox: 'mail', title: 'x' }, match('"1"')), 400, 'invalid', 'if-match');
    });
  });

  describe('request ids', () => {
    it('are taken from the request when printable, else made, and stand on every answer', async () => {
      const id = 'trace 1 / ä'.replace('ä', '~');
      expect((await clerk.get('/me', { headers: { 'x-request-id': id } })).headers.get('x-request-id')).to.equal(id);
      expect(
        (await clerk.get('/me', { headers: { 'x-request-id': 'x'.repeat(128) } })).headers.get('x-request-id'),
      ).to.equal('x'.repeat(128));
      for (const bad of ['x'.repeat(129), 'é', ''])
        expect((await clerk.get('/me', { headers: { 'x-request-id': bad } })).headers.get('x-request-id')).to.match(
          /^req_/,
        );
      for (const path of ['/me', '/nosuch', '/items/x', '/items?limit=0'])
        expect((await clerk.get(path)).headers.get('x-request-id')).to.match(/^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
      for (const path of ['/health', '/openapi.json', '/nosuch', '/api/env/demo/items'])
        expect((await request('GET', origin + path, undefined, null)).headers.get('x-request-id')).to.match(/^req_/);
    });

    it('are in the audit log', async () => {
      const {
        body: { item },
      } = await clerk.post('/items', { inbox: 'mail', title: 'traced' }, { headers: { 'x-request-id': 'my-trace' } });
      const { body } = await admin.get(`/audit?target=${item.id}`);
      expect(body.entries[0]).to.include({ requestId: 'my-trace', verb: 'item.create' });
    });

    it('stand on what is refused before it is a request', async () => {
      const broken = await raw(world.port, 'GET / NONSENSE\r\n\r\n');
      refused(broken, 400, 'invalid');
      expect(broken.headers.get('x-request-id')).to.match(/^req_/);
    });
  });

  describe('methods and paths', () => {
    it('answers 405 with allow where a path takes other methods', async () => {
      const item = await make();
      const allow: readonly [string, string, string[]][] = [
        ['DELETE', '/items', ['GET', 'HEAD', 'POST']],
        ['PUT', `/items/${item.id}`, ['GET', 'HEAD', 'PATCH']],
        ['GET', `/items/${item.id}/state`, ['POST']],
        ['DELETE', '/me', ['GET', 'HEAD', 'PATCH']],
        ['POST', '/audit', ['GET', 'HEAD']],
        ['OPTIONS', '/items', ['GET', 'HEAD', 'POST']],
        ['POST', '/live', ['GET', 'HEAD']],
      ];
      for (const [method, path, methods] of allow) {
        const reply = await clerk.call(method, path);
        refused(reply, 405, 'method_not_allowed');
        expect(reply.headers.get('allow')?.split(', ').sort(), `${method} ${path}`).to.deep.equal(methods);
      }
    });

    it('answers 404 as JSON to unknown paths, inside and outside of an environment', async () => {
      for (const path of ['/', '/item', '/items/', '/items/x/y/z', '//items', '/ITEMS', '/items/x/State', ''])
        refused(await clerk.get(path), 404, 'not_found');
      for (const path of ['/nosuch', '/api', '/api/envy', '/api/env/demo%2Fitems']) {
        const reply = await request('GET', origin + path, undefined, clerk.token);
        refused(reply, 404, 'not_found');
      }
    });

    it('asks for a token before it says what there is, everywhere under /api/env', async () => {
      const texts = new Set<string>();
      for (const path of [
        '/api/env/demo/items',
        '/api/env/nosuch/items',
        '/api/env/demo/nosuch',
        '/api/env',
        '/api/env/demo/items/x',
      ]) {
        const reply = await request('GET', origin + path, undefined, null);
        refused(reply, 401, 'unauthorized');
        expect(reply.headers.get('www-authenticate')).to.equal('Bearer');
        texts.add(reply.text);
      }
      expect(texts.size).to.equal(1);
    });

    it('ignores a method override', async () => {
      const item = await make();
      const reply = await clerk.post(`/items/${item.id}`, {}, { headers: { 'x-http-method-override': 'DELETE' } });
      refused(reply, 405, 'method_not_allowed');
    });

    it('answers HEAD like GET without a body', async () => {
      const item = await make();
      const [got, headed] = [await clerk.get(`/items/${item.id}`), await clerk.call('HEAD', `/items/${item.id}`)];
      expect([headed.status, headed.text]).to.deep.equal([200, '']);
      for (const name of ['content-length', 'content-type', 'etag', 'cache-control'])
        expect(headed.headers.get(name), name).to.equal(got.headers.get(name));
    });

    it('refuses query parameters of changes', async () => {
      refused(await clerk.post('/items?inbox=mail', { inbox: 'mail', title: 'x' }), 400, 'invalid', 'inbox');
    });
  });

  describe('credentials', () => {
    it('that are unknown, revoked or expired get one and the same answer', async () => {
      const [revoked, expired] = [
        await world.agent('admin'),
        await world.agent('admin', { expiresAt: Date.now() - 1 }),
      ];
      expect((await revoked.get('/me')).status).to.equal(200);
      await world.revoke(revoked);
      const texts = new Set<string>();
      for (const client of [revoked, expired, world.nobody()]) {
        const reply = await client.get('/me');
        refused(reply, 401, 'unauthorized');
        expect(reply.headers.get('www-authenticate')).to.equal('Bearer');
        texts.add(reply.text);
      }
      expect(texts.size).to.equal(1);
    });

    it('stop working at their time', async () => {
      const ending = await world.agent('viewer', { expiresAt: Date.now() + 500 * patience });
      expect((await ending.get('/me')).status).to.equal(200);
      await until('it has expired', async () => (await ending.get('/me')).status === 401, 2_000);
    });

    it('that are revoked stop working in every process within a second', async () => {
      const second = await world.api();
      const agent = await world.agent('viewer');
      const there = () => request('GET', `${second.base('demo')}/me`, undefined, agent.token);
      expect((await there()).status).to.equal(200);
      await world.revoke(agent);
      expect((await agent.get('/me')).status).to.equal(401);
      await until('the other process knows', async () => (await there()).status === 401, 1_000);
    });

    it('are named whatever the case of Bearer', async () => {
      expect(
        (
          await request('GET', `${world.base}/me`, undefined, null, {
            headers: { authorization: `bearer ${clerk.token}` },
          })
        ).status,
      ).to.equal(200);
    });
  });

  describe('limits', () => {
    it('hold the largest item that they allow, however many bytes its characters have', async () => {
      const wide = '\u{1f600}';
      const data = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${String(i)}`, 'ü']));
      for (const sign of [wide, 'İ', 'ﷺ', '\u0344', 'ẞ', '日', '\u0301']) {
        const body = {
          inbox: 'mail',
          title: sign.repeat(500),
          data,
          key: sign.repeat(500),
          user: sign.repeat(500),
          tags: Array.from({ length: 50 }, (_, i) => `${String(i).padStart(2, '0')}${sign.repeat(98)}`),
          record: { resource: 'customer', id: sign.repeat(200) },
          links: Array.from({ length: 20 }, (_, i) => ({
            resource: 'customer',
            id: `${String(i).padStart(2, '0')}${sign.repeat(198)}`,
          })),
        };
        const created = await clerk.post('/items', body);
        expect(created.status, `${sign} ${created.text.slice(0, 300)}`).to.equal(201);
        const { item, linked } = await fetched(created.body.item);
        expect([item.title, item.tags.length, item.record.id, linked.length]).to.deep.equal([
          body.title,
          50,
          body.record.id,
          21,
        ]);
        expect((await clerk.post('/items', body)).body.item).to.include({ id: item.id, occurrences: 2, users: 1 });
        const found = await clerk.get(
          `/items?search=${encodeURIComponent(sign.repeat(200))}&tags=${encodeURIComponent(String(body.tags[0]))}`,
        );
        expect([found.status, found.body.items[0]?.id], sign).to.deep.equal([200, item.id]);
        expect((await clerk.get('/items?sort=title&limit=1')).status).to.equal(200);
      }
    });
  });

  describe('headers', () => {
    it('say that nothing may be stored', async () => {
      for (const path of ['/items', '/me', '/inboxes', '/changes', '/items/x', '/items?limit=0'])
        expect((await clerk.get(path)).headers.get('cache-control'), path).to.equal('no-store');
      const { origin } = new URL(world.base);
      for (const path of ['/openapi.json', '/asyncapi.json', '/docs', '/llms.txt', '/manifest.schema.json', '/health'])
        expect((await fetch(origin + path)).headers.get('cache-control'), path).to.equal('no-store');
    });

    it('say JSON in UTF-8', async () => {
      for (const path of ['/items', '/nosuch', '/items?limit=0'])
        expect((await clerk.get(path)).headers.get('content-type')).to.equal('application/json; charset=utf-8');
    });

    it('carry an etag where one item is answered: its version in quotes', async () => {
      const created = await clerk.post('/items', { inbox: 'mail', title: 'x' });
      const { id } = created.body.item;
      expect(created.headers.get('etag')).to.equal('"1"');
      expect((await clerk.get(`/items/${id}`)).headers.get('etag')).to.equal('"1"');
      expect((await clerk.post(`/items/${id}/state`, { state: 'open' })).headers.get('etag')).to.equal('"1"');
      expect((await clerk.post(`/items/${id}/state`, { state: 'closed' })).headers.get('etag')).to.equal('"2"');
      expect((await clerk.get('/items')).headers.get('etag')).to.equal(null);
    });

    it('carry the stream’s offset where items are answered', async () => {
      const item = await make();
      for (const path of ['/items', `/items/${item.id}`, `/items/${item.id}/timeline`])
        expect((await clerk.get(path)).headers.get('x-live-offset'), path).to.match(/^\S{20,}$/);
      expect((await clerk.post(`/items/${item.id}/notes`, { text: 'x' })).headers.get('x-live-offset')).to.match(
        /^\S{20,}$/,
      );
      const stale = await clerk.post(`/items/${item.id}/notes`, { text: 'y' }, { headers: { 'if-match': '"1"' } });
      refused(stale, 412, 'version_conflict');
      expect(stale.headers.get('x-live-offset')).to.match(/^\S{20,}$/);
      expect((await clerk.get('/me')).headers.get('x-live-offset')).to.equal(null);
    });

    it('carry the rate limit, refusals included', async () => {
      for (const reply of [
        await clerk.get('/me'),
        await clerk.get('/nosuch'),
        await request('GET', `${world.base}/me`, undefined, 'cagt_x'),
      ]) {
        expect(reply.headers.get('ratelimit-policy')).to.match(/^"default";q=\d+;w=\d+$/);
        expect(reply.headers.get('ratelimit')).to.match(/^"default";r=\d+;t=\d+$/);
      }
    });
  });

  describe('compression', () => {
    // `fetch` unpacks by itself, so these look at the bytes.
    const get = async (
      path: string,
      accept: string | null,
    ): Promise<{ encoding: string | null; vary: string | null; bytes: Buffer }> => {
      const accepts = accept === null ? [] : [`accept-encoding: ${accept}`];
      const reply = await raw(
        world.port,
        head(`GET /api/env/demo${path} HTTP/1.1`, `authorization: Bearer ${clerk.token}`, ...accepts),
      );
      expect(reply.status).to.equal(200);
      return {
        encoding: reply.headers.get('content-encoding'),
        vary: reply.headers.get('vary'),
        bytes: Buffer.from(reply.text, 'latin1'),
      };
    };

    before(async () => {
      for (let i = 0; i < 10; i++) await make({ title: `compressed ${'ä'.repeat(100)}` });
    });

    it('is done when asked for and the answer is over 1 KiB', async () => {
      const path = '/items?search=compressed';
      const plain = await get(path, null);
      expect(plain.encoding).to.equal(null);
      const gzip = await get(path, 'gzip, deflate');
      expect([gzip.encoding, gzip.vary]).to.deep.equal(['gzip', 'accept-encoding']);
      expect(gzip.bytes.length).to.be.below(plain.bytes.length);
      const parsed = (bytes: Buffer): unknown => (JSON.parse(bytes.toString()) as { items: unknown }).items;
      expect(parsed(gunzipSync(gzip.bytes))).to.deep.equal(parsed(plain.bytes));
      const br = await get(path, 'gzip, br');
      expect(br.encoding).to.equal('br');
      expect(parsed(brotliDecompressSync(br.bytes))).to.deep.equal(parsed(plain.bytes));
    });

    it('is not done for what is small, unknown or refused by a weight of nothing', async () => {
      expect((await get('/items?search=nothing', 'gzip')).encoding).to.equal(null);
      for (const accept of ['identity', 'zstd', 'gzip;q=0', 'br; q=0.000, gzip;q=0', 'brotli', ''])
        expect((await get('/items?search=compressed', accept)).encoding, accept).to.equal(null);
      expect((await get('/items?search=compressed', 'br;q=0, gzip;q=0.5')).encoding).to.equal('gzip');
    });
  });

  describe('HTTP itself', () => {
    const authorization = (): string => `authorization: Bearer ${clerk.token}`;

    it('answers JSON to a request without a host', async () => {
      const reply = await raw(
        world.port,
        `GET /api/env/demo/me HTTP/1.1\r\n${authorization()}\r\nconnection: close\r\n\r\n`,
      );
      expect(reply.status).to.equal(200);
    });

    it('answers JSON to an expectation that it doesn’t know, and lets a client ask before it sends', async () => {
      const body = JSON.stringify({ inbox: 'mail', title: 'expected' });
      const send = (expectation: string) =>
        raw(
          world.port,
          `${head('POST /api/env/demo/items HTTP/1.1', authorization(), 'content-type: application/json', `content-length: ${String(body.length)}`, `expect: ${expectation}`)}${body}`,
        );
      expect((await send('the-unexpected')).status).to.equal(201);
      expect((await send('100-continue')).text).to.include('HTTP/1.1 201');
    });

    it('serves HTTP/1.0', async () => {
      const reply = await raw(world.port, `GET /api/env/demo/me HTTP/1.0\r\n${authorization()}\r\n\r\n`);
      expect([reply.status, reply.body.environment]).to.deep.equal([200, 'demo']);
    });

    it('serves requests of one connection one after the other', async () => {
      const one = `GET /api/env/demo/me HTTP/1.1\r\nhost: x\r\n${authorization()}\r\n\r\n`;
      const { text } = await raw(world.port, one + one + head('GET /api/env/demo/me HTTP/1.1', authorization()));
      expect(text.match(/HTTP\/1\.1 200/g)).to.have.length(2);
    });

    it('lets go of a waiting call when its client goes away', async () => {
      const answered = async (): Promise<number> => {
        const metrics = await (await fetch(`${origin}/metrics`)).text();
        return Number(
          /console_http_requests_total\{method="GET",route="\/changes",status="200"\} (\d+)/.exec(metrics)?.[1] ?? 0,
        );
      };
      const before = await answered();
      // The answer to the request in front of it shows that the server has read both.
      const one = `GET /api/env/demo/me HTTP/1.1\r\nhost: x\r\n${authorization()}\r\n\r\n`;
      await raw(world.port, one + head('GET /api/env/demo/changes?wait=30000 HTTP/1.1', authorization()), {
        connected: (socket) => socket.once('data', () => socket.destroy()),
      });
      await until('the call has ended', async () => (await answered()) > before, 5_000);
    });
  });

  describe('the host', () => {
    it('answers health and readiness without a token', async () => {
      expect((await request('GET', `${origin}/health`, undefined, null)).body).to.deep.equal({ ok: true });
      const ready = await request('GET', `${origin}/ready`, undefined, null);
      expect(ready.status, ready.text).to.equal(200);
      expect(ready.body).to.include({ ready: true, postgres: true, redis: true });
    });

    it('answers measures, the documents and the manifest’s schema', async () => {
      const metrics = await fetch(`${origin}/metrics`);
      expect(metrics.headers.get('content-type')).to.include('text/plain');
      expect(await metrics.text()).to.include('console_http_requests_total');
      expect((await fetch(`${origin}/docs`)).headers.get('content-type')).to.include('text/html');
      expect((await request('GET', `${origin}/manifest.schema.json`, undefined, null)).body).to.include({
        title: 'Manifest',
        type: 'object',
      });
      refused(await request('POST', `${origin}/health`, {}, null), 405, 'method_not_allowed');
    });
  });
});
