/** Who settings reach: roles are the project's, changes are audited wherever they act, agents widen by a fresh sign-in, each environment keeps an admin. */
import { expect } from 'chai';
import type { Client, Reply } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

const password = 'correct horse battery';
const day = 86_400_000;

const refused = (reply: Pick<Reply, 'status' | 'body' | 'text'>, status: number, code: string): void => {
  expect([reply.status, reply.body?.code], reply.text).to.deep.equal([status, code]);
};
const patch = (client: Client, path: string, body: object): Promise<Reply> => client.call('PATCH', path, body);
const remove = (client: Client, path: string): Promise<Reply> => client.call('DELETE', path);

describe('the reach of settings', () => {
  let world: World;
  /** Of all environments, of `demo` alone, and of `demo` with a sign-in that is not fresh. */
  let boss: Client;
  let local: Client;
  let worn: Client;
  let count = 0;

  before(async () => {
    world = await newWorld({ workers: false });
    await world.environment('staging');
    boss = await world.person('admin', 'Boss', { fresh: true, password });
    local = await world.person('admin', 'Local', { fresh: true, environments: ['demo'] });
    worn = await world.person('admin', 'Worn', { environments: ['demo', 'staging'] });
  });
  after(() => world.close());

  const name = (): string => `thing ${String((count += 1))}`;
  /** The environments whose audit log has an entry of the verb on the target. */
  const auditedIn = async (verb: string, target: string): Promise<string[]> =>
    (
      await world.sql<{ name: string }>(
        `select e.name from events v join environments e on e.id = v.env where v.verb = $1 and v.target = $2 and v.outcome = 'ok' order by 1`,
        [verb, target],
      )
    ).map((row) => row.name);

  describe('roles', () => {
    it('are made, changed and deleted only by those who have all environments', async () => {
      const made = await boss.post('/settings/roles', { name: name(), grants: [] });
      expect(made.status, made.text).to.equal(201);
      const path = `/settings/roles/${made.body.role.id as string}`;
      refused(await local.post('/settings/roles', { name: name(), grants: [] }), 403, 'forbidden');
      refused(await patch(local, path, { grants: [{ on: 'settings', can: ['manage'] }] }), 403, 'forbidden');
      refused(await remove(local, path), 403, 'forbidden');
      expect((await local.get('/settings/roles')).body.roles.map(({ id }: { id: string }) => id)).to.include(
        made.body.role.id,
      );
      const both = await world.person('admin', 'By name', { fresh: true, environments: ['demo', 'staging'] });
      expect((await patch(both, path, { name: name() })).status, 'has each by name').to.equal(200);
      expect((await remove(boss, path)).status).to.equal(204);
    });
  });

  describe('audit entries', () => {
    it('stand in every environment that a change acts on, and in that of the path', async () => {
      const { role } = (await boss.post('/settings/roles', { name: name(), grants: [] })).body;
      await patch(boss, `/settings/roles/${role.id as string}`, { name: name() });
      await remove(boss, `/settings/roles/${role.id as string}`);
      for (const verb of ['role.create', 'role.update', 'role.delete'])
        expect(await auditedIn(verb, role.id), verb).to.deep.equal(['demo', 'staging']);

      const { agent } = (await boss.post('/settings/agents', { name: 'A', role: 'viewer', environments: ['staging'] }))
        .body;
      expect(await auditedIn('agent.create', agent.id)).to.deep.equal(['demo', 'staging']);
      const there = world.elsewhere(boss, 'staging');
      await patch(there, `/settings/agents/${agent.id as string}`, { mode: 'readonly' });
      expect(await auditedIn('agent.update', agent.id)).to.deep.equal(['staging']);
      await patch(there, `/settings/agents/${agent.id as string}`, { environments: ['demo'] });
      expect(await auditedIn('agent.update', agent.id)).to.deep.equal(['demo', 'staging', 'staging']);
      await boss.post(`/settings/agents/${agent.id as string}/rotate`);
      expect(await auditedIn('agent.rotate', agent.id)).to.deep.equal(['demo']);

      const person = { email: 'everywhere@example.com', name: 'E', role: 'viewer', password, environments: ['*'] };
      const made = (await boss.post('/settings/people', person)).body.person;
      await patch(boss, `/settings/people/${made.id as string}`, { password: 'another password' });
      for (const verb of ['person.create', 'person.password'])
        expect(await auditedIn(verb, made.id), verb).to.deep.equal(['demo', 'staging']);

      await boss.post('/settings/environments', { name: 'acceptance' });
      expect(await auditedIn('environment.create', 'acceptance')).to.deep.equal(['acceptance', 'demo']);
    });

    it('of app keys stand in the environment of the key alone', async () => {
      const { appKey } = (await boss.post('/settings/app-keys', { name: 'K' })).body;
      expect(await auditedIn('appKey.create', appKey.id)).to.deep.equal(['demo']);
    });
  });

  describe('changing what an agent may do', () => {
    const agentOf = async (more: object): Promise<string> =>
      (await boss.post('/settings/agents', { name: name(), role: 'viewer', environments: ['demo'], ...more })).body
        .agent.id as string;

    it('needs a fresh sign-in, whether it is widened or narrowed', async () => {
      const at = Date.now();
      const cases: readonly [object, object][] = [
        [{ mode: 'readonly' }, { mode: 'supervised' }],
        [{ mode: 'readonly' }, { mode: 'normal' }],
        [{ mode: 'supervised' }, { mode: 'normal' }],
        [{}, { environments: ['demo', 'staging'] }],
        [{}, { environments: ['staging'] }],
        [{ expiresAt: at + day }, { expiresAt: at + 2 * day }],
        [{ expiresAt: at + day }, { expiresAt: null }],
        [{}, { role: 'operator' }],
        [{ mode: 'supervised' }, { name: 'Renamed', mode: 'normal' }],
        [{}, { mode: 'readonly' }],
        [{ environments: ['demo', 'staging'] }, { environments: ['staging'] }],
        [{ expiresAt: at + 2 * day }, { expiresAt: at + day }],
      ];
      for (const [from, to] of cases) {
        const path = `/settings/agents/${await agentOf(from)}`;
        refused(await patch(worn, path, to), 403, 'fresh_sign_in_required');
        const reply = await patch(boss, path, to);
        expect(reply.status, JSON.stringify([from, to]) + reply.text).to.equal(200);
      }
    });

    it('does not, where only its name is changed', async () => {
      expect((await patch(worn, `/settings/agents/${await agentOf({})}`, { name: 'Renamed' })).status).to.equal(200);
    });
  });
});

describe('the last admin of each environment', () => {
  let world: World;
  let wide: Client;
  let here: Client;

  beforeEach(async () => {
    world = await newWorld({ workers: false });
    await world.environment('staging');
    wide = await world.person('admin', 'Wide', { fresh: true, password });
    here = await world.person('admin', 'Here', { fresh: true, password, environments: ['demo'] });
  });
  afterEach(() => world.close());

  it('stays, though another environment has an admin', async () => {
    const self = `/settings/people/${wide.id}`;
    for (const reply of [
      await remove(wide, self),
      await patch(wide, self, { role: 'viewer' }),
      await patch(wide, self, { environments: ['demo'] }),
    ]) {
      refused(reply, 409, 'conflict');
      expect(reply.body.error).to.include('staging').and.not.include('demo');
    }
    expect((await patch(wide, self, { environments: ['staging'] })).status, 'demo has another one').to.equal(200);
    refused(await remove(here, `/settings/people/${here.id}`), 409, 'conflict');
  });

  it('stays when the right leaves their role, and may go once there is another', async () => {
    const { role } = (await wide.post('/settings/roles', { name: 'keeper', grants: [{ on: 'settings', can: ['*'] }] }))
      .body;
    const there = await world.person('keeper', 'There', { fresh: true, password, environments: ['staging'] });
    expect((await patch(wide, `/settings/people/${wide.id}`, { name: 'Wide still' })).status).to.equal(200);
    await world.person('admin', 'Spare', { password, environments: ['demo', 'staging'] });
    expect((await patch(wide, `/settings/roles/${role.id as string}`, { grants: [] })).status).to.equal(200);
    expect((await there.get('/me')).status).to.equal(404);
    expect((await remove(wide, `/settings/people/${wide.id}`)).status).to.equal(200);
  });
});
