/** Conventions over HTTP: versions, request ids, methods, paths and credentials. */
import { expect } from 'chai';
import { request, type CallOptions } from '../../support/http.ts';
import { patience } from '../../support/patience.ts';
import { raw } from '../../support/raw.ts';
import { until } from '../../support/until.ts';
import { openConventionsWorld, refused, type ConventionsWorld } from './conventionsWorld.ts';

describe('conventions over HTTP: requests', () => {
  let world: ConventionsWorld['world'];
  let admin: ConventionsWorld['admin'];
  let clerk: ConventionsWorld['clerk'];
  let origin: ConventionsWorld['origin'];
  let make: ConventionsWorld['make'];
  let fetched: ConventionsWorld['fetched'];

  before(async () => {
    ({ world, admin, clerk, origin, make, fetched } = await openConventionsWorld());
  });
  after(() => world.close());

  describe('if-match', () => {
    const match = (version: string): CallOptions => ({ headers: { 'if-match': version } });

    it('lets the version through that it names, and *', async () => {
      const item = await make();
      expect((await clerk.post(`/items/${item.id}/notes`, { text: 'a' }, match('"1"'))).status).to.equal(201);
      expect((await clerk.post(`/items/${item.id}/notes`, { text: 'a' }, match('*'))).status).to.equal(201);
      expect((await clerk.post(`/items/${item.id}/notes`, { text: 'a' }, match('"3"'))).headers.get('etag')).to.equal(
        '"4"',
      );
      // A proxy that compresses makes validators weak.
      expect((await clerk.post(`/items/${item.id}/notes`, { text: 'a' }, match('W/"4"'))).headers.get('etag')).to.equal(
        '"5"',
      );
      refused(await clerk.post(`/items/${item.id}/notes`, { text: 'a' }, match('W/"4"')), 412, 'version_conflict');
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
      for (const version of ['"01"', '1', '"x"', 'w/"1"', 'W/1', 'W/"1", W/"2"', '"1", "2"', '""', '"-1"', '"1.0"'])
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
});
