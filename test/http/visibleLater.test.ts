/** What somebody might see once and may not see any more: in the audit log after the definition changed, and in replayed answers. */
import { expect } from 'chai';
import type { Client } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  ...testManifest,
  flags: [{ key: 'moonshot', kind: 'boolean', default: false }],
  actions: [...testManifest.actions, { name: 'quietly', label: 'Quietly', resource: 'customer' }],
} as const;

describe('what may not be seen any more', () => {
  let world: World;
  let admin: Client;
  let grants: number;

  before(async () => {
    world = await newWorld({ manifest });
    grants = 0;
    admin = await world.agent('admin');
  });
  after(() => world.close());

  const roleOf = async (
    ...on: readonly string[]
  ): Promise<{ name: string; narrow(...on: string[]): Promise<void> }> => {
    const name = `role${String(grants++)}`;
    const grantsOf = (kinds: readonly string[]) => kinds.map((kind) => ({ on: kind, can: ['*'] }));
    await world.role(name, grantsOf(on));
    return {
      name,
      narrow: async (...left) => {
        await world.sql('update roles set grants = $2 where name = $1', [name, JSON.stringify(grantsOf(left))]);
        await world.sql('update revisions set n = n + 1');
        await world.deps.directory.refresh();
      },
    };
  };

  describe('in the replayed answer of an idempotency key', () => {
    const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

    it('is 404 for an item whose inbox is hidden now, and audited as denied', async () => {
      const { name, narrow } = await roleOf('inbox:mail', 'inbox:bugs');
      const clerk = await world.agent(name);
      const made = await clerk.post('/items', { inbox: 'bugs', title: 'Once' }, keyed('made'));
      const path = `/items/${String(made.body.item.id)}/notes`;
      const noted = await clerk.post(path, { text: 'x' }, keyed('noted'));
      expect([made.status, noted.status]).to.deep.equal([201, 201]);
      const again = await clerk.post(path, { text: 'x' }, keyed('noted'));
      expect([again.text, again.headers.get('idempotent-replayed')]).to.deep.equal([noted.text, 'true']);
      await narrow('inbox:mail');
      const replays = [
        await clerk.post('/items', { inbox: 'bugs', title: 'Once' }, keyed('made')),
        await clerk.post(path, { text: 'x' }, keyed('noted')),
      ];
      for (const reply of replays) {
        expect([reply.status, reply.body.code], reply.text).to.deep.equal([404, 'not_found']);
        expect(reply.headers.get('idempotent-replayed')).to.equal(null);
      }
      const { entries } = (await admin.get(`/audit?actor=${clerk.id}&limit=2`)).body;
      expect(entries.map((entry: { outcome: string }) => entry.outcome)).to.deep.equal(['denied', 'denied']);
    });

    it('has no record of a resource that is hidden now', async () => {
      const { name, narrow } = await roleOf('inbox:mail', 'resource:vault');
      const clerk = await world.agent(name);
      await world.records('vault', [{ id: 'v9', title: 'Silver' }]);
      const body = { inbox: 'mail', title: 'With a record', record: { resource: 'vault', id: 'v9' } };
      const made = await clerk.post('/items', body, keyed('record'));
      expect(made.body.item.record.title).to.equal('Silver');
      await narrow('inbox:mail');
      const replay = await clerk.post('/items', body, keyed('record'));
      expect([replay.status, replay.body.item.record]).to.deep.equal([201, null]);
      expect(replay.text).not.to.match(/vault|Silver/);
    });

    it('is 404 for a flag that is hidden now', async () => {
      const { name, narrow } = await roleOf('inbox:mail', 'flag:moonshot');
      const clerk = await world.agent(name);
      const change = { change: { targets: { c1: true } } };
      const done = await clerk.post('/flags/moonshot', change, keyed('flag'));
      expect(done.status, done.text).to.equal(200);
      await narrow('inbox:mail');
      expect((await clerk.post('/flags/moonshot', change, keyed('flag'))).status).to.equal(404);
    });

    it('is 403 for settings that one may not manage any more', async () => {
      const { name, narrow } = await roleOf('settings');
      const person = await world.person(name, 'Mo Lind', { fresh: true });
      const body = { name: 'bot', role: 'viewer' };
      expect((await person.post('/settings/agents', body, keyed('agent'))).status).to.equal(201);
      await narrow('inbox:mail');
      const replay = await person.post('/settings/agents', body, keyed('agent'));
      expect([replay.status, replay.body.code]).to.deep.equal([403, 'forbidden']);
    });
  });

  describe('at the end of a list', () => {
    it('makes no further page', async () => {
      const { name } = await roleOf('inbox:mail', 'resource:customer');
      const clerk = await world.agent(name);
      await world.records('customer', [{ id: 'c7', title: 'Ada' }]);
      const run = await admin.post('/actions', { action: 'quietly', record: 'c7', input: {} });
      expect(run.status, run.text).to.equal(202);
      const record = { resource: 'customer', id: 'c7' };
      const { item } = (await clerk.post('/items', { inbox: 'mail', title: 'Linked', record })).body;
      for (let n = 1; n < 100; n++) await clerk.post(`/items/${String(item.id)}/notes`, { text: String(n) });
      const page = await clerk.get('/resources/customer/c7');
      expect(page.body.history).to.have.length(100);
      expect(page.body.historyCursor).to.equal(null);
      expect((await admin.get('/resources/customer/c7')).body.historyCursor).not.to.equal(null);
    });
  });

  describe('in the audit log', () => {
    it('stays hidden when the app does not declare it any more, and stays there for who may see all', async () => {
      const { name } = await roleOf('inbox:mail', 'audit');
      const auditor = await world.agent(name);
      const app = await world.appKey();
      await app.post('/resources/vault/records', { records: [{ id: 'v7', title: 'Gold' }], deleted: [] });
      expect((await admin.post('/flags/moonshot', { change: { value: true } })).status).to.equal(200);
      await admin.post('/items', { inbox: 'secret', title: 'Hush' });
      const read = async (client: Client): Promise<string> => (await client.get('/audit?limit=200')).text;
      const before = await read(admin);
      expect(await read(auditor)).not.to.match(/vault|moonshot|secret/i);

      const { resources, inboxes, flags, views, ...rest } = manifest;
      await world.app(
        {},
        {
          manifest: {
            ...rest,
            resources: resources.filter((resource) => resource.name !== 'vault'),
            inboxes: inboxes.filter((inbox) => inbox.name !== 'secret'),
            views: views.filter((view) => view.name !== 'secrets'),
          },
        },
      );
      await until('the new definition holds', async () => (await admin.get('/flags/moonshot')).status === 404);

      expect(flags).to.have.length(1);
      expect(await read(auditor)).not.to.match(/vault|moonshot|secret/i);
      const after = await read(admin);
      for (const word of ['vault', 'moonshot', 'secret']) {
        expect(before, word).to.include(`"${word}"`);
        expect(after, word).to.include(`"${word}"`);
      }
    });
  });
});
