/** The specification's sections 7 to 9: errors, limits and versioning. */
import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { request, type Reply } from '../support/http.ts';
import { codeOf, idsOf, newShopWorld, ok, type ShopWorld } from './shopWorld.ts';

describe('specification: errors, limits and versioning', () => {
  let shop: ShopWorld;
  before(async () => {
    shop = await newShopWorld();
  });
  after(() => shop.close());

  describe('errors', () => {
    /** Each with its status and code. */
    const refused = async (): Promise<readonly (readonly [string, Reply])[]> => {
      const { agent, world } = shop;
      const id = await shop.item();
      const viewer = await world.agent('viewer');
      return [
        ['400 bad_json', await agent.post('/items', undefined, { raw: '{' })],
        ['400 invalid', await agent.get('/items?nosuch=1')],
        ['400 bad_cursor', await agent.get('/items?cursor=garbage')],
        ['401 unauthorized', await world.nobody().get('/items')],
        ['403 forbidden', await viewer.post(`/items/${id}/notes`, { text: 'x' })],
        ['403 person_required', await agent.post('/approvals/apr_none/approve')],
        ['403 fresh_sign_in_required', await agent.post('/actions', { action: 'wipe' })],
        ['404 not_found', await agent.get('/items/itm_none')],
        ['404 not_found', await agent.get('/nosuch')],
        ['405 method_not_allowed', await agent.call('DELETE', `/items/${id}`)],
        ['409 confirmation_required', await agent.post('/actions', { action: 'refund', record: 'o1' })],
        ['409 conflict', await agent.post('/actions', { action: 'ship', record: 'o2' })],
        [
          '412 version_conflict',
          await agent.post(`/items/${id}/state`, { state: 'closed' }, { headers: { 'if-match': '"99"' } }),
        ],
        [
          '415 unsupported_media_type',
          await agent.post('/items', undefined, { raw: 'x', headers: { 'content-type': 'text/plain' } }),
        ],
        ['426 upgrade_required', await agent.get('/live')],
      ];
    };

    it('an error has an HTTP status and a JSON body { "error": "<message>" }', async () => {
      for (const [what, reply] of await refused()) {
        expect(reply.status, what).to.be.within(400, 499);
        expect(reply.body.error, what).to.be.a('string').and.not.equal('');
      }
    });

    it('a refused WebSocket is answered like any other request: with a status and { "error": "<message>" }', async () => {
      const refusal = new Promise<IncomingMessage>((resolve) => {
        new WebSocket(`${shop.world.base.replace('http', 'ws')}/live`)
          .on('error', () => undefined)
          .on('unexpected-response', (_request, response) => {
            resolve(response);
          });
      });
      const response = await refusal;
      const body = JSON.parse(Buffer.concat((await response.toArray()) as Buffer[]).toString()) as Reply['body'];
      expect([response.statusCode, body.code]).to.deep.equal([401, 'unauthorized']);
      expect(body.error).to.be.a('string').and.not.equal('');
    });

    it('an error carries a code', async () => {
      for (const [what, reply] of await refused()) expect(reply.body.code, what).to.match(/^[a-z_]+$/);
    });

    it('each condition has its own status and code', async () => {
      for (const [what, reply] of await refused()) expect(codeOf(reply)).to.equal(what);
    });

    it('{ pending: true } is a normal result, not an error', async () => {
      const reply = await shop.agent.post('/actions', { action: 'write_off', record: 'o1' });
      expect([reply.status, reply.body.pending]).to.deep.equal([202, true]);
      expect(reply.body).not.to.have.any.keys('error', 'code');
    });
  });

  describe('limits', () => {
    before(async () => {
      for (let batch = 0; batch < 9; batch++)
        await Promise.all(Array.from({ length: 25 }, () => shop.item({ inbox: 'late' })));
    });

    it('a page of GET /items has 50 items by default', async () => {
      expect(ok(await shop.agent.get('/items?inbox=late')).items).to.have.length(50);
    });

    it('the limit of GET /items is at most 200', async () => {
      expect(new Set(idsOf(ok(await shop.agent.get('/items?inbox=late&limit=200')).items)).size).to.equal(200);
      for (const limit of ['201', '0', '-1', 'all'])
        expect(codeOf(await shop.agent.get(`/items?limit=${limit}`)), limit).to.equal('400 invalid');
    });

    it('requests are limited in rate, which every answer tells', async () => {
      for (const reply of [await shop.agent.get('/items?limit=1'), await shop.agent.get('/items/itm_none')]) {
        expect(reply.headers.get('ratelimit-policy')).to.match(/;q=\d+;w=\d+/);
        expect(reply.headers.get('ratelimit')).to.match(/;r=\d+/);
      }
    });

    it('requests are limited in size: a body above 1 MiB is 413', async () => {
      expect(
        codeOf(await shop.agent.post('/items', { inbox: 'bugs', title: 'x'.repeat(1_100_000), data: {} })),
      ).to.equal('413 too_large');
    });
  });

  describe('versioning', () => {
    it('the API has one version, told by its own description', async () => {
      const { info } = (await (await fetch(new URL('/openapi.json', shop.world.base))).json()) as {
        info: { version: string };
      };
      expect(info.version).to.match(/^\d+\.\d+\.\d+$/);
    });

    it('the API address is scoped to an environment, and one that is not there is 404', async () => {
      ok(await shop.agent.get('/items?limit=1'));
      expect(
        codeOf(
          await request('GET', `${shop.world.base.replace(/demo$/, 'nowhere')}/items`, undefined, shop.agent.token),
        ),
      ).to.equal('404 not_found');
    });
  });
});
