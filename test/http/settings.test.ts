/** Settings over HTTP: credentials shown once, changes that act everywhere within a second, and an admin who is always left. */
import { expect } from 'chai';
import { clientOf, request, type CallOptions, type Client, type Reply } from '../support/http.ts';
import { openLive } from '../support/live.ts';
import { patience } from '../support/patience.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const password = 'correct horse battery';
const day = 86_400_000;

const refused = (reply: Pick<Reply, 'status' | 'body' | 'text'>, status: number, code: string, path?: string): void => {
  expect([reply.status, reply.body?.code], reply.text).to.deep.equal([status, code]);
  if (path !== undefined)
    expect(
      reply.body.details.map((place: { path: string }) => place.path),
      reply.text,
    ).to.include(path);
};
const keyed = (key: string): CallOptions => ({ headers: { 'idempotency-key': key } });
const patch = (client: Client, path: string, body: object, options?: CallOptions): Promise<Reply> =>
  client.call('PATCH', path, body, options);
const remove = (client: Client, path: string, options?: CallOptions): Promise<Reply> =>
  client.call('DELETE', path, undefined, options);

describe('settings over HTTP', () => {
  let world: World;
  let boss: Client;
  let second: string;
  let count = 0;

  before(async () => {
    world = await newWorld({ env: { TRUST_PROXY: '1' } });
    await world.environment('staging');
    boss = await world.person('admin', 'Boss', { fresh: true, password, email: 'boss@example.com' });
    second = (await world.api()).base();
  });
  after(() => world.close());

  const name = (): string => `thing ${String((count += 1))}`;
  const made = async (path: string, body: object, options?: CallOptions): Promise<Reply['body']> => {
    const reply = await boss.post(`/settings/${path}`, body, options);
    expect(reply.status, reply.text).to.equal(201);
    return reply.body;
  };
  const newAgent = async (
    more: object = {},
  ): Promise<{ agent: { id: string; role: { id: string } }; client: Client; there: Client }> => {
    const { agent, token, baseUrl } = await made('agents', { name: name(), role: 'viewer', ...more });
    expect(baseUrl).to.equal(world.config.publicUrl + new URL(world.base).pathname);
    return { agent, client: clientOf(world.base, token, agent.id), there: clientOf(second, token, agent.id) };
  };
  /** The status that `client` gets of `path` as soon as it isn't `from` any more, at most a second from now. */
  const soon = async (client: Client, path: string, from: number): Promise<number> => {
    const deadline = Date.now() + 1_000 * patience;
    let { status } = await client.get(path);
    while (status === from && Date.now() < deadline) ({ status } = await client.get(path));
    return status;
  };
  const signIn = (email: string, given: string): Promise<Reply> => {
    count += 1;
    return request('POST', `${world.base}/sign-in`, { email, password: given }, null, {
      headers: { 'x-forwarded-for': `192.0.2.${String(count % 250)}` },
    });
  };
  const events = (target: string): Promise<Record<string, unknown>[]> =>
    world.sql(
      'select v.verb, v.outcome, v.before, v.after, v.actor, e.name as env from events v join environments e on e.id = v.env where v.target = $1 order by v.id',
      [target],
    );

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
      expect((await remove(boss, `/settings/people/${person.id}`)).status).to.equal(204);
      expect((await here.get('/me')).status).to.equal(401);
      expect(await soon(there, '/me', 200)).to.equal(401);
      refused(await signIn('mia@example.com', 'first password'), 401, 'unauthorized');
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

  describe('idempotency keys', () => {
    it('make one credential, which is told the first time alone', async () => {
      const body = { name: 'Once', role: 'viewer' };
      const first = await boss.post('/settings/agents', body, keyed('once'));
      const again = await boss.post('/settings/agents', body, keyed('once'));
      expect([first.status, again.status, again.headers.get('idempotent-replayed')]).to.deep.equal([201, 201, 'true']);
      expect(again.body).to.deep.equal({ ...first.body, token: null });
      const rotate = (): Promise<Reply> =>
        boss.post(`/settings/agents/${first.body.agent.id as string}/rotate`, {}, keyed('rotate'));
      const [one, other] = [await rotate(), await rotate()];
      expect(other.body).to.deep.equal({ ...one.body, token: null });
      expect((await clientOf(world.base, one.body.token, '').get('/me')).status).to.equal(200);
    });

    it('make one role and one person of many calls at once', async () => {
      const bodies: readonly [string, object][] = [
        ['roles', { name: 'At once', grants: [] }],
        ['people', { email: 'once@example.com', name: 'Once', role: 'viewer', password: 'at once and only once' }],
      ];
      for (const [path, body] of bodies) {
        const replies = await Promise.all(
          Array.from({ length: 6 }, (_, i) =>
            request(
              'POST',
              `${i % 2 === 0 ? boss.base : second}/settings/${path}`,
              body,
              boss.token,
              keyed(`at-once-${path}`),
            ),
          ),
        );
        expect(
          replies.map(({ status }) => status),
          path,
        ).to.deep.equal([201, 201, 201, 201, 201, 201]);
        expect(new Set(replies.map(({ text }) => text)).size, path).to.equal(1);
      }
    });

    it('answer a repeated removal as the first one', async () => {
      const { agent } = await newAgent();
      const [first, again] = [
        await remove(boss, `/settings/agents/${agent.id}`, keyed('gone')),
        await remove(boss, `/settings/agents/${agent.id}`, keyed('gone')),
      ];
      expect([first.status, again.status, again.text, again.headers.get('idempotent-replayed')]).to.deep.equal([
        204,
        204,
        '',
        'true',
      ]);
    });
  });

  describe('the audit log', () => {
    it('has every change with before and after, in the environment that it acts on', async () => {
      const staging = world.elsewhere(boss, 'staging');
      const { agent } = (
        await staging.post('/settings/agents', { name: 'Audited', role: 'viewer', environments: ['staging'] })
      ).body;
      await patch(staging, `/settings/agents/${agent.id as string}`, { mode: 'supervised' });
      await staging.post(`/settings/agents/${agent.id as string}/rotate`, { grace: 5 });
      await remove(staging, `/settings/agents/${agent.id as string}`);
      const told = { name: 'Audited', role: 'viewer', mode: 'normal', environments: ['staging'], expiresAt: null };
      const common = { outcome: 'ok', actor: boss.id, env: 'staging' };
      expect(await events(agent.id)).to.deep.equal([
        { ...common, verb: 'agent.create', before: null, after: told },
        { ...common, verb: 'agent.update', before: told, after: { ...told, mode: 'supervised' } },
        { ...common, verb: 'agent.rotate', before: null, after: { grace: 5 } },
        { ...common, verb: 'agent.revoke', before: { ...told, mode: 'supervised' }, after: null },
      ]);
    });

    it('has what was refused', async () => {
      const { agent } = await newAgent();
      const agentAdmin = await world.agent('admin');
      refused(await remove(agentAdmin, `/settings/agents/${agent.id}`), 403, 'person_required');
      expect((await events(agent.id)).at(-1)).to.deep.include({
        verb: 'agent.revoke',
        outcome: 'denied',
        actor: agentAdmin.id,
        after: { code: 'person_required' },
      });
    });
  });

  it('keep no token and no password anywhere, saved answers and Redis included', async () => {
    const secret = 'a very secret password';
    const { token, agent } = await made('agents', { name: 'Secret', role: 'viewer' }, keyed('secret agent'));
    const rotated = (await made(`agents/${agent.id as string}/rotate`, {}, keyed('secret rotation'))).token as string;
    const key = (await made('app-keys', { name: 'Secret' }, keyed('secret key'))).token as string;
    const { person } = await made(
      'people',
      { email: 'secret@example.com', name: 'Secret', role: 'viewer', password: secret },
      keyed('secret person'),
    );
    await patch(boss, `/settings/people/${person.id as string}`, { password: `${secret} 2` }, keyed('secret change'));
    const session = (await signIn('secret@example.com', `${secret} 2`)).body.token as string;
    await signIn('secret@example.com', `${secret} 3`);
    await clientOf(world.base, rotated, '').get('/me');
    const tables = await world.sql<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    );
    const texts = (
      await Promise.all(
        tables.map(({ name: table }) => world.sql<{ text: string }>(`select t::text as text from ${table} t`)),
      )
    )
      .flat()
      .map(({ text }) => text);
    const { command, key: keyOf } = world.deps.redis;
    const keys = await command.keys(keyOf('*'));
    for (const one of keys) texts.push(one, Buffer.from((await command.dump(one)) ?? '').toString('latin1'));
    expect(texts.length).to.be.above(20);
    for (const hidden of [token, rotated, key, session, secret])
      expect(texts.filter((text) => text.includes(hidden))).to.deep.equal([]);
  });
});

describe('the last admin', () => {
  let world: World;
  let ana: Client;
  let bo: Client;

  beforeEach(async () => {
    world = await newWorld({ workers: false });
    ana = await world.person('admin', 'Ana', { fresh: true, password });
    bo = await world.person('admin', 'Bo', { fresh: true, password });
    // Can't sign in, and so doesn't count.
    await world.person('admin', 'Nobody');
  });
  afterEach(() => world.close());

  const left = async (): Promise<string[]> =>
    (
      await world.sql<{ name: string }>(
        `select p.name from people p join roles r on r.id = p.role where r.name in ('admin', 'keeper') and p.removed_at is null and p.password_hash is not null order by 1`,
      )
    ).map(({ name }) => name);

  it('stays when two demote or remove each other at once, on two processes', async () => {
    const second = await world.api();
    const far = clientOf(second.base(), bo.token, bo.id);
    for (let round = 0; round < 8; round++) {
      const away = (client: Client, other: Client): Promise<Reply> =>
        round % 2 === 0
          ? patch(client, `/settings/people/${other.id}`, { role: 'viewer' })
          : remove(client, `/settings/people/${other.id}`);
      const replies = await Promise.all([away(ana, bo), away(far, ana)]);
      const well = replies.filter(({ status }) => status < 300);
      expect(well, replies.map(({ text }) => text).join()).to.have.length(1);
      expect(replies.find(({ status }) => status >= 300)?.status).to.be.oneOf([401, 403, 409]);
      expect(await left()).to.have.length(1);
      await world.sql(
        `update people set removed_at = null, role = (select id from roles where name = 'admin'), password_hash = (select max(password_hash) from people) where id = any($1)`,
        [[ana.id, bo.id]],
      );
      for (const client of [ana, bo]) {
        await world.sql(
          `insert into tokens (hash, kind, principal, expires_at, fresh_until, created_at) values (sha256($1::bytea), 'person', $2, $3, $3, 0) on conflict do nothing`,
          [Buffer.from(client.token), client.id, Date.now() + 600_000],
        );
      }
      await world.sql('update revisions set n = n + 1');
      await world.deps.directory.refresh();
      await until('the other process knows', async () => (await far.get('/settings/roles')).status === 200, 2_000);
    }
  });

  it('can’t be removed, demoted or robbed of the right by a change of their role', async () => {
    expect((await remove(ana, `/settings/people/${bo.id}`)).status).to.equal(204);
    refused(await remove(ana, `/settings/people/${ana.id}`), 409, 'conflict');
    refused(await patch(ana, `/settings/people/${ana.id}`, { role: 'operator' }), 409, 'conflict');
    expect((await patch(ana, `/settings/people/${ana.id}`, { name: 'Ana Lind' })).status).to.equal(200);
    const { role } = (await ana.post('/settings/roles', { name: 'keeper', grants: [{ on: 'settings', can: ['*'] }] }))
      .body;
    expect((await patch(ana, `/settings/people/${ana.id}`, { role: 'keeper' })).status).to.equal(200);
    refused(await patch(ana, `/settings/roles/${role.id as string}`, { grants: [] }), 409, 'conflict');
    expect(
      (
        await patch(ana, `/settings/roles/${role.id as string}`, {
          grants: [
            { on: 'settings', can: ['manage'] },
            { on: 'audit', can: ['see'] },
          ],
        })
      ).status,
    ).to.equal(200);
    expect(await left()).to.deep.equal(['Ana Lind']);
  });
});
