/** Bad inputs: credentials, addresses and headers. */
import { expect } from 'chai';
import pg from 'pg';
import { request } from '../../support/http.ts';
import { head, type RawReply } from '../../support/raw.ts';
import { until } from '../../support/until.ts';
import { admin, authorization, badInputs, bytes, clerk, item, posts, refused, version, world } from './badInputs.ts';

badInputs(() => {
  describe('credentials', () => {
    const as = async (...headers: string[]): Promise<RawReply> =>
      bytes(world.port, head('GET /api/env/demo/items HTTP/1.1', ...headers));

    it('1: no authorization header', async () => {
      const reply = await as();
      refused(reply, 401, 'unauthorized');
      expect(reply.headers.get('www-authenticate')).to.equal('Bearer');
    });

    it('2: Bearer with nothing, spaces, two tokens', async () => {
      for (const value of [
        'Bearer',
        'Bearer ',
        'Bearer     ',
        `Bearer ${clerk.token} ${clerk.token}`,
        `Bearer ${clerk.token}, Bearer ${admin.token}`,
        clerk.token,
        `Token ${clerk.token}`,
      ]) {
        refused(await as(`authorization: ${value}`), 401, 'unauthorized');
      }
    });

    it('3: a valid token with its last character changed is refused without asking the database', async () => {
      const changed = clerk.token.slice(0, -1) + (clerk.token.endsWith('A') ? 'B' : 'A');
      const order: string[] = [];
      const locker = new pg.Client({ connectionString: world.config.migrateDatabaseUrl });
      await locker.connect();
      try {
        await locker.query('begin; lock table tokens in access exclusive mode');
        const unknown = as(`authorization: Bearer ${world.nobody().token}`).then(() => order.push('unknown'));
        refused(await as(`authorization: Bearer ${changed}`), 401, 'unauthorized');
        order.push('changed');
        await until(
          'the unknown one asks the database',
          async () =>
            (await world.sql(`select from pg_locks where relation = 'tokens'::regclass and not granted`)).length > 0,
        );
        await locker.query('commit');
        await unknown;
      } finally {
        await locker.end();
      }
      expect(order).to.deep.equal(['changed', 'unknown']);
    });

    it('4: right checksum, unknown secret: the same body as 3', async () => {
      const changed = clerk.token.slice(0, -1) + (clerk.token.endsWith('A') ? 'B' : 'A');
      const [unknown, wrong, none] = [
        await as(`authorization: Bearer ${world.nobody().token}`),
        await as(`authorization: Bearer ${changed}`),
        await as(),
      ];
      expect(new Set([unknown.text, wrong.text, none.text]).size).to.equal(1);
    });

    it('5: an agent’s token in the query, in a cookie or as Basic', async () => {
      refused(
        await bytes(world.port, head(`GET /api/env/demo/items?token=${clerk.token} HTTP/1.1`)),
        401,
        'unauthorized',
      );
      refused(
        await as(`cookie: token=${clerk.token}; session=${clerk.token}; authorization=Bearer ${clerk.token}`),
        401,
        'unauthorized',
      );
      refused(
        await as(`authorization: Basic ${Buffer.from(`${clerk.token}:`).toString('base64')}`),
        401,
        'unauthorized',
      );
    });

    it('6: the token of a principal without this environment: equal to an unknown environment', async () => {
      const [without, unknown] = [
        await world.elsewhere(clerk, 'staging').get('/items'),
        await world.elsewhere(clerk, 'nosuch').get('/items'),
      ];
      refused(without, 404, 'not_found');
      expect(without.text).to.equal(unknown.text);
    });

    it('7: two authorization headers: neither one’s rights', async () => {
      refused(
        await as(`authorization: Bearer ${clerk.token}`, `authorization: Bearer ${admin.token}`),
        [400, 401],
        'unauthorized',
      );
    });
  });

  describe('addresses and headers', () => {
    it('8: traversal in the environment', async () => {
      for (const path of [
        '/api/env/%2e%2e/items',
        '/api/env/../items',
        '/api/env/demo/../staging/items',
        '/api/env/demo%2f..%2fstaging/items',
        '/api/env/__proto__/items',
        '/api/env/demo%00/items',
      ]) {
        refused(await bytes(world.port, head(`GET ${path} HTTP/1.1`, authorization())), 404, 'not_found');
      }
    });

    it('9: an address of 65 KiB', async () => {
      for (const path of [
        `/api/env/${'x'.repeat(65 * 1024)}/items`,
        `/api/env/demo/items?search=${'x'.repeat(65 * 1024)}`,
      ]) {
        refused(await bytes(world.port, head(`GET ${path} HTTP/1.1`, authorization())), 414, 'uri_too_long');
      }
    });

    it('10: a header of 20 KiB', async () => {
      refused(
        await bytes(
          world.port,
          head('GET /api/env/demo/items HTTP/1.1', authorization(), `x-long: ${'x'.repeat(20 * 1024)}`),
        ),
        431,
        'headers_too_large',
      );
    });

    it('88: PUT, DELETE, TRACE, and a method override that is ignored', async () => {
      for (const { path } of posts()) {
        for (const method of ['PUT', 'DELETE', 'TRACE', 'PATCH', 'PROPFIND']) {
          // It has the form of an item's address.
          if (path === '/items/claim' && method === 'PATCH') continue;
          const reply = await bytes(world.port, head(`${method} /api/env/demo${path} HTTP/1.1`, authorization()));
          refused(reply, 405, 'method_not_allowed');
          expect(reply.headers.get('allow')).to.include('POST');
        }
      }
      const before = await version();
      refused(
        await clerk.post(
          `/items/${item.id}`,
          {},
          { headers: { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE' } },
        ),
        405,
        'method_not_allowed',
      );
      expect(await version()).to.equal(before);
    });

    it('89: a host that is none, and 8 KiB of spaces in a forwarding header', async () => {
      const evil = await bytes(
        world.port,
        `GET /api/env/demo/me HTTP/1.1\r\nhost: evil@x\r\nconnection: close\r\n${authorization()}\r\n\r\n`,
      );
      expect(evil.status).to.be.oneOf([200, 400]);
      const spaces = await bytes(
        world.port,
        head(
          'GET /api/env/demo/me HTTP/1.1',
          authorization(),
          `x-forwarded-proto: ${' '.repeat(8 * 1024)}x`,
          `x-forwarded-for: ${' '.repeat(4 * 1024)}`,
        ),
      );
      expect(spaces.status).to.be.oneOf([200, 400]);
    });

    it('46: %ZZ or %00 in the query', async () => {
      for (const query of ['search=%ZZ', '%ZZ=1', 'search=%00', 'search=%', 'search=%E0%A4', 'inbox=%ff'])
        refused(await clerk.get(`/items?${query}`), 400, 'invalid');
    });

    it('85 and 426: a plain GET of the live stream', async () => {
      refused(await clerk.get('/live'), 426, 'upgrade_required');
      refused(await request('GET', `${world.base}/live`, undefined, null), 401, 'unauthorized');
      refused(
        await request('GET', `${world.base}/live?ticket=${'A'.repeat(43)}`, undefined, null),
        401,
        'unauthorized',
      );
    });
  });
});
