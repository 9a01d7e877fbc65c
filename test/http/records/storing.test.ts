/** Records over HTTP: which kinds there are, and how the app stores them. */
import { expect } from 'chai';
import { withoutNames, type Client } from '../../support/http.ts';
import type { World } from '../../support/world.ts';
import { openRecordsWorld, type RecordsWorld } from './recordsWorld.ts';

describe('records over HTTP: storing', () => {
  let world: World;
  let app: Client;
  let admin: Client;
  let clerk: Client;
  let nobody: Client;
  let put: RecordsWorld['put'];

  before(async () => {
    ({ world, app, admin, clerk, nobody, put } = await openRecordsWorld());
  });
  after(() => world.close());

  describe('discovery', () => {
    it('shows the resources that the role sees, with fields and with relations to those alone', async () => {
      const { resources } = (await clerk.get('/resources')).body as {
        resources: { name: string; relations: { name: string }[]; fields: object[] }[];
      };
      expect(resources.map(({ name }) => name)).to.deep.equal(['customer', 'order', 'payment']);
      expect(resources[0]?.relations.map(({ name }) => name)).to.deep.equal(['orders', 'payments']);
      expect(resources[0]?.fields[2]).to.deep.equal({
        name: 'seats',
        label: 'seats',
        description: null,
        type: 'number',
        currency: null,
        filter: true,
        sort: true,
        search: false,
      });
      expect((await nobody.get('/resources')).body).to.deep.equal({ resources: [], cursor: null });
      const first = (await admin.get('/resources?limit=3')).body;
      expect(
        (await admin.get(`/resources?cursor=${String(first.cursor)}`)).body.resources.map(
          ({ name }: { name: string }) => name,
        ),
      ).to.deep.equal(['vault']);
    });
  });

  describe('storing', () => {
    it('stores, replaces and deletes whole records, and says how many', async () => {
      expect(
        (await put('order', [{ id: 'new', title: 'New', subtitle: 'x', fields: { total: 1 } }])).body,
      ).to.deep.equal({ stored: 1, deleted: 0 });
      expect((await put('order', [{ id: 'new', title: 'Newer' }])).body).to.deep.equal({ stored: 1, deleted: 0 });
      const { record } = (await clerk.get('/resources/order/new')).body;
      expect(record).to.include({ resource: 'order', id: 'new', title: 'Newer', subtitle: null });
      expect(record.fields).to.deep.equal({});
      expect((await put('order', [], ['new', 'unknown'])).body).to.deep.equal({ stored: 0, deleted: 1 });
      expect((await clerk.get('/resources/order/new')).status).to.equal(404);
      expect((await app.post('/resources/order/records')).body).to.deep.equal({ stored: 0, deleted: 0 });
    });

    it('is for the app alone, and for stored resources', async () => {
      const body = { records: [{ id: 'x', title: 'X' }] };
      for (const client of [admin, clerk])
        expect((await client.post('/resources/order/records', body)).body).to.include({ code: 'forbidden' });
      expect((await app.post('/resources/payment/records', body)).body).to.include({ code: 'conflict' });
      const [hidden, unknown] = [
        await clerk.post('/resources/vault/records', body),
        await clerk.post('/resources/constructor/records', body),
      ];
      expect([hidden.status, withoutNames(hidden.text)]).to.deep.equal([404, withoutNames(unknown.text)]);
      expect((await app.post('/resources/nosuch/records', body)).status).to.equal(404);
    });

    it('answers a repeat under an idempotency key with the same bytes, the number of deleted ones too', async () => {
      const body = { records: [{ id: 'once', title: 'Once' }], deleted: ['o/4'] };
      const headers = { 'idempotency-key': 'records-once' };
      const [first, again] = [
        await app.post('/resources/order/records', body, { headers }),
        await app.post('/resources/order/records', body, { headers }),
      ];
      expect([first.status, first.text]).to.deep.equal([200, '{"stored":1,"deleted":1}']);
      expect([again.status, again.text, again.headers.get('idempotent-replayed')]).to.deep.equal([
        200,
        first.text,
        'true',
      ]);
      expect((await app.post('/resources/order/records', {}, { headers })).body.code).to.equal('idempotency_mismatch');
    });

    it('is audited, and what was refused too', async () => {
      await put('vault', [{ id: 'audited', title: 'A' }]);
      const refused = await world.agent('clerk', { name: 'refused' });
      await refused.post('/resources/vault/records', { records: [] });
      const { entries } = (await admin.get('/audit?verb=records.put&target=vault&limit=2')).body;
      expect(
        entries.map(({ outcome, actor }: { outcome: string; actor: { type: string } }) => [outcome, actor.type]),
      ).to.deep.equal([
        ['denied', 'agent'],
        ['ok', 'app'],
      ]);
      expect(entries[1].after).to.deep.equal({ stored: 1, changed: 1, deleted: 0 });
    });

    it('counts characters as people do: ids of 200, titles of 500', async () => {
      const id = '🧾'.repeat(200);
      await put('order', [{ id, title: '🧾'.repeat(500) }]);
      expect((await admin.get(`/resources/order/${encodeURIComponent(id)}`)).body.record).to.include({ id });
    });

    const bad: readonly [string, object, string][] = [
      ['an id of 201 signs', { records: [{ id: '🧾'.repeat(201), title: 'x' }] }, 'records.0.id'],
      ['the id list', { records: [{ id: 'list', title: 'x' }] }, 'records.0.id'],
      ['an id of dots', { deleted: ['..'] }, 'deleted.0'],
      ['an id with a control character', { records: [{ id: 'a\u0007', title: 'x' }] }, 'records.0.id'],
      ['an id of 201 characters', { records: [{ id: 'x'.repeat(201), title: 'x' }] }, 'records.0.id'],
      ['one id twice', { records: [{ id: 'a', title: 'x' }], deleted: ['a'] }, 'deleted.0'],
      ['a title of spaces', { records: [{ id: 'a', title: '  ' }] }, 'records.0.title'],
      ['no title', { records: [{ id: 'a' }] }, 'records.0.title'],
      ['fields that are no object', { records: [{ id: 'a', title: 'x', fields: [] }] }, 'records.0.fields'],
      [
        'fields over 32 KiB',
        { records: [{ id: 'a', title: 'x', fields: { long: 'x'.repeat(33_000) } }] },
        'records.0.fields',
      ],
      ['a NUL in a field', { records: [{ id: 'a', title: 'x', fields: { a: 'x\0' } }] }, 'records.0.fields.a'],
      ['a member that is not known', { records: [{ id: 'a', title: 'x', resource: 'y' }] }, 'records.0.resource'],
      [
        '1,001 records',
        { records: Array.from({ length: 1001 }, (_, n) => ({ id: String(n), title: 'x' })) },
        'records',
      ],
    ];
    for (const [title, body, path] of bad) {
      it(`refuses ${title}, stores nothing and names ${path}`, async () => {
        const { status, body: answer } = await app.post('/resources/vault/records', body);
        expect(status).to.equal(400);
        expect(answer.details.map((detail: { path: string }) => detail.path)).to.include(path);
        expect(
          await world.sql("select from records where resource = 'vault' and id in ('a', '0', 'list')"),
        ).to.deep.equal([]);
      });
    }

    it('names each offending path of all records at once', async () => {
      const records = [
        { id: '..', title: 'x', subTitle: 'y' },
        { id: '', title: ' ', fields: [] },
        5,
        { id: 'fine', title: 'x' },
        { title: 'x', updatedAt: -1 },
        { id: 'fine', title: 'y' },
      ];
      const { status, body } = await app.post('/resources/vault/records', { records, deleted: ['list', 7] });
      expect(status).to.equal(400);
      expect(body.details.map(({ path }: { path: string }) => path)).to.deep.equal([
        'records.0.id',
        'records.0.subTitle',
        'records.1.id',
        'records.1.title',
        'records.1.fields',
        'records.2',
        'records.4.id',
        'records.4.updatedAt',
        'records.5.id',
        'deleted.0',
        'deleted.1',
      ]);
    });
  });
});
