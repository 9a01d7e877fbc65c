/** Records over HTTP: those that the app serves itself. */
import { expect } from 'chai';
import { connectApp, rpcError, type FakeApp } from '../../support/app.ts';
import type { Client } from '../../support/http.ts';
import { until } from '../../support/until.ts';
import type { World } from '../../support/world.ts';
import { idsOf, json, manifest, openRecordsWorld } from './recordsWorld.ts';

describe('records over HTTP: served by the app', () => {
  let world: World;
  let app: Client;
  let clerk: Client;

  before(async () => {
    ({ world, app, clerk } = await openRecordsWorld());
  });
  after(() => world.close());

  describe('of a resource that the app serves', () => {
    let served: FakeApp;
    const payment = (n: number): object => ({
      id: `p_${String(n)}`,
      title: `Payment ${String(n)}`,
      fields: { amount: n, customer: 'c_01' },
      more: 'is left out',
    });

    const routes = [
      '/resources/payment?q=x',
      '/resources/payment/list',
      '/resources/payment/p_1',
      '/resources/payment/p_1/related/refunds',
      '/resources/customer/c_01/related/payments',
    ];

    it('answers app_offline while it is offline, and everything else of the service still', async () => {
      for (const route of routes) {
        const reply = await clerk.get(route);
        expect([reply.status, reply.body.code], route).to.deep.equal([503, 'app_offline']);
      }
      expect((await clerk.get('/resources/customer/c_01')).status).to.equal(200);
    });

    describe('while it is online', () => {
      beforeEach(async () => {
        served = await connectApp(app, { manifest });
      });
      afterEach(async () => {
        await served.close();
        await until('it is offline', async () => (await world.sql('select from app_connections')).length === 0);
      });

      it('asks it for each read, and hands its cursor on sealed', async () => {
        served.handle('records.list', ({ cursor }: { cursor: string | null }) =>
          cursor === null ? { records: [payment(1)], cursor: 'page 2' } : { records: [payment(2)] },
        );
        const path = `/resources/payment/list?filters=${json({ amount: { gt: 0 } })}&sort=-amount&q=pay&limit=1`;
        const first = await clerk.get(path);
        expect(first.body.records).to.deep.equal([
          {
            resource: 'payment',
            id: 'p_1',
            title: 'Payment 1',
            subtitle: null,
            fields: { amount: 1, customer: 'c_01' },
            updatedAt: null,
          },
        ]);
        expect(first.body.cursor).not.to.include('page');
        const second = await clerk.get(`${path}&cursor=${String(first.body.cursor)}`);
        expect([idsOf(second), second.body.cursor]).to.deep.equal([['p_2'], null]);
        expect(
          served.received.filter(({ method }) => method === 'records.list').map(({ params }) => params),
        ).to.deep.equal([
          { resource: 'payment', q: 'pay', filters: { amount: { gt: 0 } }, sort: '-amount', cursor: null, limit: 1 },
          {
            resource: 'payment',
            q: 'pay',
            filters: { amount: { gt: 0 } },
            sort: '-amount',
            cursor: 'page 2',
            limit: 1,
          },
        ]);
        expect((await clerk.get(`/resources/payment/list?cursor=${String(first.body.cursor)}`)).body.code).to.equal(
          'bad_cursor',
        );
        expect((await clerk.get(`/resources/payment/list?filters=${json({ nosuch: 1 })}`)).body.code).to.equal(
          'invalid',
        );
      });

      it('searches, reads and relates through it', async () => {
        served.handle('records.search', () => ({ records: [payment(3)] }));
        served.handle('records.get', ({ ids }: { ids: string[] }) => ({
          records: ids.includes('p_1') ? [payment(1)] : [],
        }));
        served.handle('records.list', ({ filters }: { filters: object }) => ({
          records: JSON.stringify(filters) === '{"customer":"c_01"}' ? [payment(1)] : [],
        }));
        served.handle('records.related', () => ({
          records: [
            { ...payment(9), resource: 'payment' },
            { id: 'v', title: 'Hidden', resource: 'vault' },
            { id: 'x', title: 'Unknown', resource: 'nosuch' },
          ],
        }));
        served.handle('record.blocks', () => ({
          blocks: [{ type: 'text', title: 'App', text: 'hi' }, { type: 'nonsense' }],
        }));
        expect(idsOf(await clerk.get('/resources/payment?q=x'))).to.deep.equal(['p_3']);
        const page = (await clerk.get('/resources/payment/p_1')).body;
        expect(page.record).to.include({ id: 'p_1', title: 'Payment 1' });
        expect(page.blocks.map(({ type }: { type: string }) => type)).to.deep.equal(['text', 'error']);
        expect((await clerk.get('/resources/payment/p_2')).status).to.equal(404);
        expect(idsOf(await clerk.get('/resources/customer/c_01/related/payments'))).to.deep.equal(['p_1']);
        expect(idsOf(await clerk.get('/resources/payment/p_1/related/customer'))).to.deep.equal(['c_01']);
        expect(idsOf(await clerk.get('/resources/payment/p_1/related/refunds'))).to.deep.equal(['p_9']);
        expect((await clerk.get('/resources/payment/p_2/related/refunds')).status).to.equal(404);
      });

      it('answers app_error for an error and for every answer that is not valid, and passes on only what the app refuses', async () => {
        const errors: readonly (readonly [code: number, told: string, said: string])[] = [
          [-32603, 'secret stack', 'Something went wrong inside the app.'],
          [-32001, 'Payments are closed today.', 'Payments are closed today.'],
          [-32601, 'secret list', 'The app gave an answer that is not valid.'],
        ];
        for (const [code, told, said] of errors) {
          served.handle('records.list', () => {
            throw rpcError(code, told);
          });
          const { status, body, text } = await clerk.get('/resources/payment/list?limit=1');
          expect([status, body.code, body.error]).to.deep.equal([502, 'app_error', said]);
          expect(text).not.to.include('secret');
        }
        const answers: readonly (() => unknown)[] = [
          () => null,
          () => 'x',
          () => ({}),
          () => ({ records: 'x' }),
          () => ({ records: [{ id: 'p' }] }),
          () => ({ records: [{ id: 'list', title: 'x' }] }),
          () => ({ records: [{ id: 'p', title: 'x', fields: [] }] }),
          () => ({ records: [payment(1)], cursor: 5 }),
          () => ({ records: [payment(1), payment(2)] }),
        ];
        for (const answer of answers) {
          served.handle('records.list', answer);
          const reply = await clerk.get('/resources/payment/list?limit=1');
          expect([reply.status, reply.body.code], String(answer)).to.deep.equal([502, 'app_error']);
        }
      });

      it('answers app_offline when its connection breaks under a call', async () => {
        served.handle('records.list', () => {
          served.kill();
          return new Promise(() => undefined);
        });
        const reply = await clerk.get('/resources/payment/list');
        expect([reply.status, reply.body.code]).to.deep.equal([503, 'app_offline']);
      });
    });
  });
});
