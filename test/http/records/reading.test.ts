/** Records over HTTP: one record with what belongs to it, and what is hidden. */
import { expect } from 'chai';
import { withoutDetails, withoutNames, type Client } from '../../support/http.ts';
import type { World } from '../../support/world.ts';
import { idsOf, openRecordsWorld, type RecordsWorld } from './recordsWorld.ts';

describe('records over HTTP: reading', () => {
  let world: World;
  let admin: Client;
  let clerk: Client;
  let put: RecordsWorld['put'];

  before(async () => {
    ({ world, admin, clerk, put } = await openRecordsWorld());
  });
  after(() => world.close());

  describe('what is hidden, retired or unknown', () => {
    it('is answered with the same bytes', async () => {
      for (const rest of ['', '/list', '/v', '/v/related/x', '/list?filters=%7B']) {
        const [hidden, ...others] = await Promise.all(
          ['vault', 'pg_class', 'constructor', '__proto__', 'nosuch'].map((name) =>
            clerk.get(`/resources/${name}${rest}`),
          ),
        );
        expect(hidden?.status, rest).to.equal(404);
        for (const other of others)
          expect([other.status, withoutNames(other.text)], rest).to.deep.equal([404, withoutNames(hidden?.text ?? '')]);
      }
      const unknown = await clerk.get('/resources/customer/nobody');
      const paths = [
        '/resources/customer/c_01/related/toString',
        '/resources/customer/c_01/related/vaults',
        '/resources/customer/nobody/related/orders',
        '/resources/order/nobody/related/customer',
        '/resources/customer/%00',
        '/resources/customer/records',
      ];
      for (const path of paths)
        expect([withoutDetails((await clerk.get(path)).text), path], path).to.deep.equal([unknown.text, path]);
    });
  });

  describe('the page of a record', () => {
    it('has the record under any id, with blocks, items that the role sees, and the actions that apply', async () => {
      const ids = ['a/b c', 'ä%2F', '..a', 'records', "it's"];
      await put(
        'customer',
        ids.map((id) => ({ id, title: 'Odd' })),
      );
      for (const id of ids)
        expect((await clerk.get(`/resources/customer/${encodeURIComponent(id)}`)).body.record, id).to.include({
          id,
          title: 'Odd',
        });
      await put('customer', [], ids);
      const record = { resource: 'customer', id: 'c_00' };
      const mail = (await admin.post('/items', { inbox: 'mail', title: 'By record', record })).body.item.id as string;
      const linked = (await admin.post('/items', { inbox: 'refunds', title: 'By link', links: [record] })).body.item
        .id as string;
      await admin.post('/items', { inbox: 'secret', title: 'Hidden', record });
      const page = (await clerk.get('/resources/customer/c_00')).body;
      expect(page.record).to.include({ id: 'c_00', title: 'Customer 00', updatedAt: 1_000 });
      expect(page.blocks).to.deep.equal([
        { type: 'text', title: 'Who', text: 'Customer 00 <c0@example.com>', plain: true },
      ]);
      expect(page.items.map(({ id }: { id: string }) => id)).to.have.members([mail, linked]);
      expect(
        page.actions.map(({ action, defaults }: { action: string; defaults: object }) => [action, defaults]),
      ).to.deep.equal([['refund', { to: 'c0@example.com' }]]);
      expect((await clerk.get('/resources/customer/c_01')).body.actions, 'its plan is another').to.deep.equal([]);
    });

    it('has what was done to it and to its items, newest first, page by page, and nothing of what the role does not see', async () => {
      const record = { resource: 'customer', id: 'c_02' };
      const make = async (inbox: string): Promise<string> =>
        (await admin.post('/items', { inbox, title: 'x', record })).body.item.id as string;
      const [mail, secret] = [await make('mail'), await make('secret')];
      await admin.post(`/items/${secret}/notes`, { text: 'secret' });
      for (let n = 0; n < 101; n++) await admin.post(`/items/${mail}/notes`, { text: `note ${String(n)}` });
      const event = (entry: string, type: string, data: object, more = ''): Promise<unknown> =>
        world.sql(
          `insert into events (env, at, actor_type, actor_name, entry, type, data, about${more === '' ? '' : ', is_update'}) select id, 5, 'agent', 'A', $1, $2, $3, 'customer/c_02'${more} from environments where name = 'demo'`,
          [entry, type, JSON.stringify(data)],
        );
      await event('ent_01jd0000000000000000000001', 'action', {
        run: 'r',
        action: 'refund',
        label: 'Refund',
        status: 'running',
        message: null,
      });
      await event(
        'ent_01jd0000000000000000000001',
        'action',
        { run: 'r', action: 'refund', label: 'Refund', status: 'succeeded', message: 'ok' },
        ', true',
      );
      await event('ent_01jd0000000000000000000002', 'action', {
        run: 'r',
        action: 'upgrade',
        label: 'Upgrade',
        status: 'succeeded',
        message: null,
      });
      const first = (await clerk.get('/resources/customer/c_02')).body;
      expect(first.history).to.have.length(100);
      expect(first.history[0]).to.deep.include({
        id: 'ent_01jd0000000000000000000001',
        item: null,
        type: 'action',
        data: { run: 'r', action: 'refund', label: 'Refund', status: 'succeeded', message: 'ok' },
      });
      const second = (await clerk.get(`/resources/customer/c_02?historyCursor=${String(first.historyCursor)}`)).body;
      expect(second.historyCursor).to.equal(null);
      const all = [...first.history, ...second.history] as { id: string; item: string | null; type: string }[];
      expect(all.map(({ type }) => type)).to.deep.equal([
        'action',
        ...Array.from({ length: 101 }, () => 'note'),
        'created',
      ]);
      expect(new Set(all.map(({ id }) => id)).size).to.equal(103);
      expect(all.slice(1).every(({ item }) => item === mail)).to.equal(true);
      expect(
        (await clerk.get(`/resources/customer/c_01?historyCursor=${String(first.historyCursor)}`)).body.code,
      ).to.equal('bad_cursor');
    });
  });

  describe('relations', () => {
    it('go by a field of theirs, page by page', async () => {
      const first = await clerk.get('/resources/customer/c_01/related/orders?limit=2');
      expect(idsOf(first)).to.deep.equal(['o/0', 'o/1']);
      expect(
        idsOf(await clerk.get(`/resources/customer/c_01/related/orders?cursor=${String(first.body.cursor)}`)),
      ).to.deep.equal(['o/2']);
      expect(
        (await clerk.get(`/resources/customer/c_02/related/orders?cursor=${String(first.body.cursor)}`)).body.code,
      ).to.equal('bad_cursor');
    });

    it('go by a key of its own, one or several', async () => {
      expect(idsOf(await clerk.get('/resources/order/o%2F3/related/customer'))).to.deep.equal(['c_02']);
      expect(idsOf(await clerk.get('/resources/order/o%2F3/related/several')).sort()).to.deep.equal(['c_01', 'c_03']);
    });
  });
});
