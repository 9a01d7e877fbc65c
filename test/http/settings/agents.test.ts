/** Settings over HTTP: agents and roles, whose credentials are shown once and whose changes act everywhere within a second. */
import { expect } from 'chai';
import { clientOf, type Reply } from '../../support/http.ts';
import { openLive } from '../../support/live.ts';
import { day, openSettingsWorld, patch, refused, remove, type SettingsWorld } from './settingsWorld.ts';

describe('settings over HTTP: agents and roles', () => {
  let world: SettingsWorld['world'];
  let boss: SettingsWorld['boss'];
  let name: SettingsWorld['name'];
  let made: SettingsWorld['made'];
  let newAgent: SettingsWorld['newAgent'];
  let soon: SettingsWorld['soon'];

  before(async () => {
    ({ world, boss, name, made, newAgent, soon } = await openSettingsWorld());
  });
  after(() => world.close());

  describe('agents', () => {
    it('are made with a token that is told once and works at once', async () => {
      const before = Date.now();
      const { agent, token, baseUrl } = await made('agents', { name: 'Triage bot', role: 'operator' });
      expect(token).to.match(/^cagt_[0-9A-Za-z]{38}$/);
      expect(baseUrl).to.match(/^http.*\/api\/env\/demo$/);
      expect(agent).to.deep.include({
        name: 'Triage bot',
        mode: 'normal',
        environments: ['demo'],
        expiresAt: null,
        createdBy: boss.id,
        lastUsedAt: null,
      });
      expect(agent.role.name).to.equal('operator');
      expect(agent.createdAt).to.be.within(before, Date.now());
      expect((await clientOf(world.base, token, agent.id).get('/me')).body.principal).to.deep.equal({
        type: 'agent',
        id: agent.id,
        name: 'Triage bot',
        mode: 'normal',
      });
      const { agents } = (await boss.get('/settings/agents?limit=200')).body;
      expect(agents.find(({ id }: { id: string }) => id === agent.id)).to.have.keys(
        'id',
        'name',
        'role',
        'mode',
        'environments',
        'expiresAt',
        'createdBy',
        'lastUsedAt',
        'createdAt',
      );
      expect(JSON.stringify(agents)).not.to.include(token);
    });

    it('take a role by id or name, a mode, an end and environments, and nothing else', async () => {
      const [found] = await world.sql<{ id: string }>(`select id from roles where name = 'viewer'`);
      const roleId = found?.id ?? '';
      const expiresAt = Date.now() + day;
      const { agent } = await made('agents', {
        name: 'All',
        role: roleId,
        mode: 'readonly',
        expiresAt,
        environments: ['*'],
      });
      expect(agent).to.deep.include({
        mode: 'readonly',
        expiresAt,
        environments: ['*'],
        role: { id: roleId, name: 'viewer' },
      });
      const post = (body: object): Promise<Reply> =>
        boss.post('/settings/agents', { name: 'x', role: 'viewer', ...body });
      refused(await post({ role: 'nosuch' }), 400, 'invalid', 'role');
      for (const name of ['Ana\u202e', 'Ana\u200b', '\ufeffAna', 'A\u00adna', 'A\u180ena', ' '])
        refused(await post({ name }), 400, 'invalid', 'name');
      expect((await post({ name: 'سارا می‌خواهد 👩‍💻' })).status).to.equal(201);
      refused(await post({ environments: ['demo', 'nosuch'] }), 400, 'invalid', 'environments.1');
      refused(await post({ environments: ['*', 'demo'] }), 400, 'invalid', 'environments');
      refused(await post({ expiresAt: Date.now() - 1 }), 400, 'invalid', 'expiresAt');
      refused(await post({ mode: 'root' }), 400, 'invalid', 'mode');
      refused(await post({ name: '' }), 400, 'invalid', 'name');
      refused(await post({ token: 'mine' }), 400, 'invalid', 'token');
    });

    it('change at once and everywhere: absent leaves, null clears', async () => {
      const { agent, client, there } = await newAgent({ role: 'operator', expiresAt: Date.now() + day });
      expect((await there.get('/flags')).status).to.be.oneOf([200, 404]);
      const reply = await patch(boss, `/settings/agents/${agent.id}`, { expiresAt: null });
      expect(reply.body.agent).to.deep.include({ expiresAt: null, mode: 'normal', role: agent.role });
      await patch(boss, `/settings/agents/${agent.id}`, { mode: 'readonly' });
      refused(await client.post('/items', { inbox: 'mail', title: 'x' }), 403, 'forbidden');
      await patch(boss, `/settings/agents/${agent.id}`, { mode: 'normal', role: 'viewer' });
      expect((await client.get('/me')).body.role.name).to.equal('viewer');
      await patch(boss, `/settings/agents/${agent.id}`, { environments: ['staging'] });
      expect((await client.get('/me')).status).to.equal(404);
      expect(await soon(there, '/me', 200)).to.equal(404);
      refused(await patch(boss, `/settings/agents/${agent.id}`, {}), 400, 'invalid');
    });

    it('keep the old token for the grace of a rotation, and no longer', async () => {
      const { agent, client, there } = await newAgent();
      const { token, baseUrl } = await made(`agents/${agent.id}/rotate`, { grace: 60_000 });
      expect(baseUrl).to.include('/api/env/demo');
      const next = clientOf(world.base, token, agent.id);
      expect([
        (await client.get('/me')).status,
        (await there.get('/me')).status,
        (await next.get('/me')).status,
      ]).to.deep.equal([200, 200, 200]);
      const [row] = await world.sql<{ left: number }>(
        'select (min(expires_at) - $2)::int as left from tokens where principal = $1',
        [agent.id, Date.now()],
      );
      expect(row?.left).to.be.within(50_000, 60_000);
      const last = clientOf(world.base, (await made(`agents/${agent.id}/rotate`, {})).token, agent.id);
      expect([
        (await client.get('/me')).status,
        (await next.get('/me')).status,
        (await last.get('/me')).status,
      ]).to.deep.equal([401, 401, 200]);
      expect(await soon(there, '/me', 200)).to.equal(401);
      refused(await boss.post(`/settings/agents/${agent.id}/rotate`, { grace: 7 * day + 1 }), 400, 'invalid', 'grace');
      refused(await boss.post(`/settings/agents/${agent.id}/rotate`, { grace: -1 }), 400, 'invalid', 'grace');
    });

    it('are revoked on every process within a second, and their streams are closed', async () => {
      const { agent, client, there } = await newAgent();
      const live = await openLive(there);
      expect((await there.get('/me')).status).to.equal(200);
      const reply = await remove(boss, `/settings/agents/${agent.id}`);
      expect([reply.status, reply.text]).to.deep.equal([204, '']);
      expect((await client.get('/me')).status).to.equal(401);
      expect(await soon(there, '/me', 200)).to.equal(401);
      expect(await live.closed).to.equal(4401);
      for (const call of [
        remove(boss, `/settings/agents/${agent.id}`),
        patch(boss, `/settings/agents/${agent.id}`, { name: 'x' }),
        boss.post(`/settings/agents/${agent.id}/rotate`),
      ])
        refused(await call, 404, 'not_found');
      expect((await boss.get('/settings/agents?limit=200')).text).not.to.include(agent.id);
    });

    it('are listed in pages by name', async () => {
      for (let i = 0; i < 3; i++) await newAgent();
      const ids: string[] = [];
      let cursor: string | null = null;
      do {
        const { body }: Reply = await boss.get(`/settings/agents?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`);
        ids.push(...body.agents.map(({ id }: { id: string }) => id));
        cursor = body.cursor;
      } while (cursor !== null);
      const all = (await boss.get('/settings/agents?limit=200')).body.agents;
      expect(ids).to.deep.equal(all.map(({ id }: { id: string }) => id));
      refused(await boss.get('/settings/agents?cursor=x'), 400, 'bad_cursor');
      refused(await boss.get('/settings/agents?q=x'), 400, 'invalid', 'q');
    });
  });

  describe('roles', () => {
    it('change what everyone who has them may do, at once and everywhere', async () => {
      const { role } = await made('roles', { name: name(), grants: [{ on: 'inbox:mail', can: ['see'] }] });
      expect(role).to.deep.include({ builtIn: false, grants: [{ on: 'inbox:mail', can: ['see'] }] });
      const { client, there } = await newAgent({ role: role.name });
      expect((await there.get('/items?inbox=mail')).status).to.equal(200);
      const { status, body } = await patch(boss, `/settings/roles/${role.id}`, {
        grants: [{ on: 'inbox:bugs', can: ['*'] }],
      });
      expect([status, body.role.name]).to.deep.equal([200, role.name]);
      expect((await client.get('/items?inbox=mail')).status).to.equal(404);
      expect(await soon(there, '/items?inbox=mail', 200)).to.equal(404);
    });

    it('hold at once where nobody has heard of them yet', async () => {
      const { token, id } = await world.agent('viewer');
      await world.sql(
        `with made as (insert into roles (id, name, grants, created_at, updated_at) values ('rol_unheard', 'unheard', '[{"on":"inbox:mail","can":["see"]}]', 0, 0) returning id),
         raised as (update revisions set n = n + 1)
         update agents set role = made.id from made where agents.id = $1`,
        [id],
      );
      expect((await clientOf(world.base, token, id).get('/items?inbox=mail')).status).to.equal(200);
    });

    it('are refused where they mean nothing, have a name that is taken, are built in or in use', async () => {
      const { role } = await made('roles', { name: name(), grants: [] });
      refused(
        await boss.post('/settings/roles', { name: 'x', grants: [{ on: 'inbox', can: ['see'] }] }),
        400,
        'invalid',
        'grants.0.on',
      );
      refused(
        await boss.post('/settings/roles', { name: 'x', grants: [{ on: 'inbox:*', can: ['fly'] }] }),
        400,
        'invalid',
        'grants.0.can.0',
      );
      refused(await boss.post('/settings/roles', { name: role.id, grants: [] }), 400, 'invalid', 'name');
      refused(await boss.post('/settings/roles', { name: role.name, grants: [] }), 409, 'conflict');
      refused(await patch(boss, `/settings/roles/${role.id}`, { name: 'admin' }), 409, 'conflict');
      const { roles } = (await boss.get('/settings/roles')).body;
      for (const { id } of roles.filter(({ builtIn }: { builtIn: boolean }) => builtIn)) {
        refused(await patch(boss, `/settings/roles/${String(id)}`, { grants: [] }), 409, 'conflict');
        refused(await remove(boss, `/settings/roles/${String(id)}`), 409, 'conflict');
      }
      const { agent } = await newAgent({ role: role.id });
      refused(await remove(boss, `/settings/roles/${role.id}`), 409, 'conflict');
      await remove(boss, `/settings/agents/${agent.id}`);
      expect((await remove(boss, `/settings/roles/${role.id}`)).status).to.equal(204);
    });
  });
});
