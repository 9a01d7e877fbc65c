/** Items over HTTP: who may do what with them. */
import { expect } from 'chai';
import type { Client } from '../../support/http.ts';
import type { World } from '../../support/world.ts';
import { openItemsWorld, refused, type ItemsWorld } from './itemsWorld.ts';

describe('items over HTTP: rights', () => {
  let world: World;
  let admin: Client;
  let app: Client;
  let ana: Client;
  let make: ItemsWorld['make'];
  let change: ItemsWorld['change'];
  let done: ItemsWorld['done'];
  let detail: ItemsWorld['detail'];
  let timeline: ItemsWorld['timeline'];

  before(async () => {
    ({ world, admin, app, ana, make, change, done, detail, timeline } = await openItemsWorld());
  });
  after(() => world.close());

  describe('who may what', () => {
    it('lets an app key create and triage, and nothing else', async () => {
      const item = await make({ inbox: 'secret', title: 'From the app', key: 'from-app' }, app);
      expect((await change(item, 'triage', { answers: { spam: 'no' } }, app)).status).to.equal(200);
      const [entry] = await timeline(item);
      expect(entry?.actor).to.deep.equal({ type: 'app', id: app.id, name: 'app' });
      for (const path of [
        '/items',
        `/items/${item.id}`,
        `/items/${item.id}/timeline`,
        '/me',
        '/inboxes',
        '/audit',
        '/changes',
        '/people',
      ])
        refused(await app.get(path), 403, 'forbidden');
      for (const verb of ['state', 'assign', 'tags', 'snooze', 'notes', 'reply'])
        refused(await change(item, verb, {}, app), 403, 'forbidden');
      refused(
        await app.post('/bulk', { ids: [item.id], operation: { type: 'state', state: 'closed' } }),
        403,
        'forbidden',
      );
      refused(await app.get('/items/itm_01jd0000000000000000000000'), 403, 'forbidden');
    });

    it('lets a readonly agent read everything of its role and change nothing', async () => {
      const reader = await world.agent('admin', { mode: 'readonly' });
      const item = await make();
      expect((await reader.get(`/items/${item.id}`)).status).to.equal(200);
      refused(await reader.post('/items', { inbox: 'mail', title: 'x' }), 403, 'forbidden');
      for (const [verb, body] of Object.entries({
        state: { state: 'closed' },
        assign: { assignee: null },
        tags: { add: ['x'] },
        snooze: { until: null },
        notes: { text: 'x' },
        reply: { subject: 'x', text: 'x' },
        triage: { answers: {} },
      })) {
        refused(await change(item, verb, body, reader), 403, 'forbidden');
      }
      expect((await detail(item)).item).to.deep.equal(item);
    });

    it('checks each verb by itself', async () => {
      await world.role('noter', [{ on: 'inbox:mail', can: ['note'] }]);
      const noter = await world.agent('noter');
      const item = await make();
      expect((await change(item, 'notes', { text: 'x' }, noter)).status).to.equal(201);
      for (const [verb, body] of Object.entries({
        state: { state: 'closed' },
        assign: { assignee: null },
        tags: { add: ['x'] },
        snooze: { until: null },
        reply: { subject: 'x', text: 'x' },
        triage: { answers: {} },
      })) {
        refused(await change(item, verb, body, noter), 403, 'forbidden');
      }
    });

    it('records under the name of who did it', async () => {
      const item = await make();
      await done(item, 'notes', { text: 'x' }, ana);
      expect((await timeline(item))[0]?.actor).to.deep.equal({ type: 'person', id: ana.id, name: 'Ana Lind' });
    });

    it('offers no deleting', async () => {
      const item = await make();
      const reply = await admin.call('DELETE', `/items/${item.id}`);
      refused(reply, 405, 'method_not_allowed');
      expect(reply.headers.get('allow')?.split(', ').sort()).to.deep.equal(['GET', 'HEAD', 'PATCH']);
    });
  });
});
