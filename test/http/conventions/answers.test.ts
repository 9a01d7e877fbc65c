/** Conventions over HTTP: limits, headers, compression, HTTP itself and what stands outside of environments. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { request } from '../../support/http.ts';
import { head, raw } from '../../support/raw.ts';
import { until } from '../../support/until.ts';
import { openConventionsWorld, refused, type ConventionsWorld } from './conventionsWorld.ts';

describe('conventions over HTTP: answers', () => {
  let world: ConventionsWorld['world'];
  let clerk: ConventionsWorld['clerk'];
  let origin: ConventionsWorld['origin'];
  let make: ConventionsWorld['make'];
  let fetched: ConventionsWorld['fetched'];

  before(async () => {
    ({ world, clerk, origin, make, fetched } = await openConventionsWorld());
  });
  after(() => world.close());

  describe('limits', () => {
    it('hold the largest item that they allow, however many bytes its characters have', async () => {
      const wide = '\u{1f600}';
      // An app’s items may name records that come later.
      const app = await world.appKey();
      const data = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${String(i)}`, 'ü']));
      for (const sign of [wide, 'İ', 'ﷺ', 'ẞ', '日', '\u0301']) {
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
        const created = await app.post('/items', body);
        expect(created.status, `${sign} ${created.text.slice(0, 300)}`).to.equal(201);
        const { item, linked } = await fetched(created.body.item);
        expect([item.title, item.tags.length, item.record.id, linked.length]).to.deep.equal([
          body.title,
          50,
          body.record.id,
          21,
        ]);
        expect((await app.post('/items', body)).body.item).to.include({ id: item.id, occurrences: 2, users: 1 });
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
