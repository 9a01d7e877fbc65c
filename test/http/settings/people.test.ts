/** Settings over HTTP: people, app keys and environments. */
import { expect } from 'chai';
import { clientOf, type Client } from '../../support/http.ts';
import { openSettingsWorld, patch, refused, remove, type SettingsWorld } from './settingsWorld.ts';

describe('settings over HTTP: people and environments', () => {
  let world: SettingsWorld['world'];
  let boss: SettingsWorld['boss'];
  let second: SettingsWorld['second'];
  let made: SettingsWorld['made'];
  let soon: SettingsWorld['soon'];
  let signIn: SettingsWorld['signIn'];

  before(async () => {
    ({ world, boss, second, made, soon, signIn } = await openSettingsWorld());
  });
  after(() => world.close());

  describe('people', () => {
    it('sign in once they are let in, and not any more once they are removed', async () => {
      const { person, ...rest } = await made('people', {
        email: 'Mia@Example.com',
        name: 'Mia',
        role: 'operator',
        password: 'first password',
      });
      expect(rest).to.deep.equal({});
      expect(person).to.deep.include({ email: 'mia@example.com', name: 'Mia', environments: ['demo'] });
      const { token } = (await signIn('mia@example.com', 'first password')).body;
      const [here, there] = [clientOf(world.base, token, person.id), clientOf(second, token, person.id)];
      expect([(await here.get('/me')).status, (await there.get('/me')).status]).to.deep.equal([200, 200]);
      refused(
        await boss.post('/settings/people', {
          email: 'MIA@example.com',
          name: 'x',
          role: 'viewer',
          password: 'long enough',
        }),
        409,
        'conflict',
      );
      expect((await remove(boss, `/settings/people/${person.id}`)).status).to.equal(200);
      expect((await here.get('/me')).status).to.equal(401);
      expect(await soon(there, '/me', 200)).to.equal(401);
      refused(await signIn('mia@example.com', 'first password'), 401, 'unauthorized');
    });

    it('get none of the most common passwords, wherever one is set', async () => {
      const input = { email: 'common@example.com', name: 'Common', role: 'viewer' };
      for (const common of [
        'password',
        'PassWord1',
        '12345678',
        'qwertyuiop',
        'iloveyou',
        'ｐassword',
        ' password',
        'passw\u200bord',
        'z'.repeat(30),
      ])
        refused(await boss.post('/settings/people', { ...input, password: common }), 400, 'invalid', 'password');
      const { person } = await made('people', { ...input, password: 'first password' });
      refused(await patch(boss, `/settings/people/${person.id}`, { password: 'password' }), 400, 'invalid', 'password');
      const own = clientOf(world.base, (await signIn(input.email, 'first password')).body.token, person.id);
      const next = { password: { current: 'first password', next: 'Password' } };
      refused(await patch(own, '/me', next), 400, 'invalid', 'password.next');
      expect((await signIn(input.email, 'first password')).status, 'the password is the former').to.equal(200);
    });

    it('lose their sessions with a new password, and keep them with a new name', async () => {
      const { person } = await made('people', {
        email: 'leo@example.com',
        name: 'Leo',
        role: 'viewer',
        password: 'first password',
      });
      const session = clientOf(world.base, (await signIn('leo@example.com', 'first password')).body.token, person.id);
      expect(
        (await patch(boss, `/settings/people/${person.id}`, { name: 'Leo Berg', email: 'LEO.BERG@example.com' })).body
          .person,
      ).to.deep.include({ name: 'Leo Berg', email: 'leo.berg@example.com' });
      expect((await session.get('/me')).body.principal.name).to.equal('Leo Berg');
      await patch(boss, `/settings/people/${person.id}`, { password: 'second password' });
      expect((await session.get('/me')).status).to.equal(401);
      refused(await signIn('leo.berg@example.com', 'first password'), 401, 'unauthorized');
      expect((await signIn('leo.berg@example.com', 'second password')).status).to.equal(200);
      refused(await patch(boss, `/settings/people/${person.id}`, { password: 'short' }), 400, 'invalid', 'password');
      refused(await patch(boss, `/settings/people/${person.id}`, { email: 'boss@example.com' }), 409, 'conflict');
    });
  });

  describe('app keys', () => {
    it('belong to the environment of the path, rotate with overlap, and end when they are revoked', async () => {
      const { appKey, token, baseUrl } = await made('app-keys', { name: 'Shop' });
      expect(token).to.match(/^capp_/);
      expect(baseUrl).to.match(/\/demo$/);
      expect(appKey).to.include({ name: 'Shop', environment: 'demo', lastUsedAt: null });
      expect(
        (await patch(boss, `/settings/app-keys/${appKey.id}`, { name: 'Shop, Frankfurt' })).body.appKey,
      ).to.deep.equal({ ...appKey, name: 'Shop, Frankfurt', lastUsedAt: null });
      refused(await patch(boss, `/settings/app-keys/${appKey.id}`, {}), 400, 'invalid');
      const create = (key: string): Promise<number> =>
        clientOf(world.base, key, '')
          .post('/items', { inbox: 'mail', title: 'x' })
          .then(({ status }) => status);
      expect(await create(token)).to.equal(201);
      const rotated = (await made(`app-keys/${appKey.id}/rotate`, { grace: 60_000 })).token;
      expect([await create(token), await create(rotated)]).to.deep.equal([201, 201]);
      const staging = world.elsewhere(boss, 'staging');
      expect((await staging.get('/settings/app-keys')).text).not.to.include(appKey.id);
      refused(await remove(staging, `/settings/app-keys/${appKey.id}`), 404, 'not_found');
      expect((await remove(boss, `/settings/app-keys/${appKey.id}`)).status).to.equal(204);
      expect([await create(token), await create(rotated)]).to.deep.equal([401, 401]);
    });
  });

  describe('environments', () => {
    it('are made empty, and whoever made one gets in', async () => {
      const local = await world.person('admin', 'Local', { fresh: true, environments: ['demo'] });
      const reply = await local.post('/settings/environments', { name: 'acceptance' });
      expect(reply.status, reply.text).to.equal(201);
      expect(reply.body.environment).to.include({
        name: 'acceptance',
        definedAt: null,
        baseUrl: `${world.config.publicUrl}/api/env/acceptance`,
      });
      const there = world.elsewhere(local, 'acceptance');
      expect((await there.get('/inboxes')).body.inboxes).to.deep.equal([]);
      const names = (client: Client): Promise<string[]> =>
        client
          .get('/settings/environments')
          .then(({ body }) => body.environments.map((one: { name: string }) => one.name));
      expect(await names(there)).to.deep.equal(['acceptance', 'demo']);
      expect(await names(boss)).to.include('staging');
      refused(await local.post('/settings/environments', { name: 'staging' }), 409, 'conflict');
      refused(await local.post('/settings/environments', { name: 'not a name' }), 400, 'invalid', 'name');
      refused(
        await local.post('/settings/agents', { name: 'x', role: 'viewer', environments: ['staging'] }),
        400,
        'invalid',
        'environments.0',
      );
      refused(
        await local.post('/settings/agents', { name: 'x', role: 'viewer', environments: ['*'] }),
        400,
        'invalid',
        'environments.0',
      );
    });
  });

  it('show and hand on no more environments than one’s own', async () => {
    const local = await world.person('admin', 'Local', { fresh: true, environments: ['demo'] });
    const [own, wide, other] = [
      await world.agent('viewer'),
      await world.agent('viewer', { environments: ['*'] }),
      await world.agent('viewer', { environments: ['staging'] }),
    ];
    const listed = (await local.get('/settings/agents?limit=200')).body.agents.map(({ id }: { id: string }) => id);
    expect([own, wide, other].map(({ id }) => listed.includes(id))).to.deep.equal([true, true, false]);
    refused(
      await patch(local, `/settings/people/${local.id}`, { environments: ['demo', 'staging'] }),
      400,
      'invalid',
      'environments.1',
    );
    refused(await patch(local, `/settings/people/${boss.id}`, { password: 'taken over now' }), 403, 'forbidden');
    refused(await local.post(`/settings/agents/${wide.id}/rotate`), 403, 'forbidden');
    const { person } = await made('people', {
      email: 'moved@example.com',
      name: 'Moved',
      role: 'viewer',
      password: 'moved about',
      environments: ['demo', 'staging'],
    });
    const session = clientOf(world.base, (await signIn('moved@example.com', 'moved about')).body.token, person.id);
    expect(
      (await patch(boss, `/settings/people/${person.id as string}`, { environments: ['staging'] })).body.person
        .environments,
    ).to.deep.equal(['staging']);
    expect([
      (await session.get('/me')).status,
      (await world.elsewhere(session, 'staging').get('/me')).status,
    ]).to.deep.equal([404, 200]);
  });
});
