/** People manage themselves: their sessions, their password, name and preferences; sessions that nobody uses end. */
import { expect } from 'chai';
import { clientOf, request, type Client, type Reply } from '../support/http.ts';
import { openLive } from '../support/live.ts';
import { newWorld, type World } from '../support/world.ts';

const password = 'correct horse battery';
const minute = 60_000;

const refused = (reply: Reply, status: number, code: string, path?: string): void => {
  expect([reply.status, reply.body?.code], reply.text).to.deep.equal([status, code]);
  if (path !== undefined) expect(reply.body.details.map((place: { path: string }) => place.path)).to.include(path);
};
const patch = (client: Client, body: object): Promise<Reply> => client.call('PATCH', '/me', body);

interface Session {
  readonly id: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly address: string | null;
  readonly current: boolean;
}

describe('one’s own account', () => {
  let world: World;
  let count = 0;

  before(async () => {
    world = await newWorld({ workers: false, env: { TRUST_PROXY: '1', SESSION_IDLE: String(30 * minute) } });
    await world.environment('staging');
  });
  after(() => world.close());

  const signIn = async (email: string, given = password): Promise<Client> => {
    const reply = await request('POST', `${world.base}/sign-in`, { email, password: given }, null, {
      headers: { 'x-forwarded-for': `192.0.2.${String(count)}` },
    });
    return clientOf(world.base, String(reply.body.token), String(reply.body.person?.id));
  };
  const person = async (environments = ['*']): Promise<{ email: string; client: Client }> => {
    const email = `own${String((count += 1))}@example.com`;
    await world.person('operator', 'Ana Lind', { email, password, environments });
    await world.sql('delete from tokens where principal = (select id from people where email = $1)', [email]);
    return { email, client: await signIn(email) };
  };
  const sessions = async (client: Client): Promise<Session[]> => (await client.get('/me/sessions')).body.sessions;
  const status = async (client: Client): Promise<number> => (await client.get('/me')).status;

  describe('GET /me', () => {
    it('has the environments with their addresses, the service’s time and the preferences', async () => {
      const before = world.clock.now();
      const { client } = await person();
      const { body } = await client.get('/me');
      expect(body.environments).to.deep.equal(
        ['demo', 'staging'].map((name) => ({ name, baseUrl: `${world.config.publicUrl}/api/env/${name}` })),
      );
      expect(body.now).to.be.within(before, world.clock.now());
      expect(body.preferences).to.deep.equal({});
      const agent = await world.agent('viewer', { environments: ['demo'] });
      const own = (await agent.get('/me')).body;
      expect(own.environments.map(({ name }: { name: string }) => name)).to.deep.equal(['demo']);
      expect(own.preferences).to.deep.equal({});
    });
  });

  describe('sessions', () => {
    it('are listed with where and when they began, and which is this one', async () => {
      const before = world.clock.now();
      const { email, client } = await person();
      const other = await signIn(email);
      const list = await sessions(other);
      expect(list.map(({ current }) => current)).to.deep.equal([true, false]);
      for (const session of list) {
        expect(session.id).to.match(/^ses_[0-9a-z]{26}$/);
        expect(session.address).to.equal(`192.0.2.${String(count)}`);
        for (const at of [session.createdAt, session.lastUsedAt]) expect(at).to.be.within(before, world.clock.now());
      }
      expect((await sessions(client)).map(({ id }) => id).sort()).to.deep.equal(list.map(({ id }) => id).sort());
      expect(JSON.stringify(list)).not.to.include(client.token);
    });

    it('end one by one, at once, one’s own alone', async () => {
      const { email, client } = await person();
      const other = await signIn(email);
      const live = await openLive(client);
      const stranger = await person();
      const [id] = (await sessions(other)).filter(({ current }) => !current).map((session) => session.id);
      const path = `/me/sessions/${id ?? ''}`;
      refused(await stranger.client.call('DELETE', path), 404, 'not_found');
      expect((await other.call('DELETE', path)).status).to.equal(204);
      expect([await status(client), await status(other)]).to.deep.equal([401, 200]);
      expect(await live.closed).to.equal(4401);
      refused(await other.call('DELETE', path), 404, 'not_found');
      refused(await other.call('DELETE', '/me/sessions/x'), 404, 'not_found');
      const audited = await world.sql(
        `select outcome from events where verb = 'person.endSession' and target = $1 order by id`,
        [id],
      );
      expect(audited.map(({ outcome }) => outcome)).to.deep.equal(['denied', 'ok', 'denied']);
      const [own] = await sessions(other);
      expect((await other.call('DELETE', `/me/sessions/${own?.id ?? ''}`)).status).to.equal(204);
      expect(await status(other)).to.equal(401);
    });

    it('end after SESSION_IDLE without a request; an open stream is none', async () => {
      const { email, client } = await person();
      const used = await signIn(email);
      const live = await openLive(client);
      world.clock.advance(20 * minute);
      expect(await status(used)).to.equal(200);
      world.clock.advance(20 * minute);
      expect([await status(client), await status(used)]).to.deep.equal([401, 200]);
      expect(await live.closed).to.equal(4401);
      expect(await sessions(used)).to.have.length(1);
      const further = await world.api();
      const there = clientOf(further.base(), used.token, used.id);
      world.clock.advance(20 * minute);
      expect(await status(there)).to.equal(200);
      world.clock.advance(20 * minute);
      expect(await status(used), 'another process served a request').to.equal(200);
    });
  });

  describe('PATCH /me', () => {
    it('changes the password with the current one, and ends all other sessions', async () => {
      const { email, client } = await person();
      const other = await signIn(email);
      const change = (current: string, next: string): Promise<Reply> => patch(client, { password: { current, next } });
      refused(await change('not that one', 'a new password'), 403, 'forbidden');
      refused(await change(password, password), 400, 'invalid', 'password.next');
      refused(await change(password, 'seven77'), 400, 'invalid', 'password.next');
      refused(await change(password, 'x'.repeat(1025)), 400, 'invalid', 'password.next');
      const reply = await change(password, 'a new password');
      expect(reply.status, reply.text).to.equal(200);
      expect(reply.body.principal.id).to.equal(client.id);
      expect([await status(client), await status(other)]).to.deep.equal([200, 401]);
      expect(await status(await signIn(email))).to.equal(401);
      expect(await status(await signIn(email, 'a new password'))).to.equal(200);
      const text = JSON.stringify(await world.sql(`select * from events where target = $1`, [client.id]));
      expect(text).not.to.include('a new password').and.not.include(password);
      const audited = await world.sql<{ name: string }>(
        `select e.name from events v join environments e on e.id = v.env where verb = 'person.password' and target = $1 and outcome = 'ok' order by 1`,
        [client.id],
      );
      expect(audited.map(({ name }) => name)).to.deep.equal(['demo', 'staging']);
    });

    it('slows guesses at the current password, without keeping the owner from it', async () => {
      const { email, client } = await person();
      for (let i = 0; i < 6; i++) await signIn(email, 'a guess');
      const next = 'a new password';
      expect((await patch(client, { password: { current: password, next } })).status).to.equal(200);
      await world.sql(`update sign_in_tries set failures = 100, last_at = $1, free_at = $1::bigint + 600000`, [
        world.clock.now(),
      ]);
      const body = { password: { current: 'a guess', next: 'another one' } };
      const headers = { 'x-forwarded-for': `192.0.2.${String(count)}` };
      const guess = (): Promise<Reply> => client.call('PATCH', '/me', body, { headers });
      refused(await guess(), 403, 'forbidden');
      await world.sql(`update sign_in_tries set failures = 10 where subject like 'known:%'`);
      refused(await guess(), 429, 'rate_limited');
    });

    it('changes the name, everywhere at once', async () => {
      const { client } = await person();
      expect((await patch(client, { name: 'Ana Berg' })).body.principal.name).to.equal('Ana Berg');
      expect((await client.get('/me')).body.principal.name).to.equal('Ana Berg');
      refused(await patch(client, { name: '' }), 400, 'invalid', 'name');
    });

    it('sets preferences one by one: absent leaves, null clears', async () => {
      const { client } = await person();
      const set = async (preferences: unknown): Promise<unknown> =>
        (await patch(client, { preferences } as object)).body.preferences;
      expect(await set({ theme: 'dark', columns: ['a', 'b'] })).to.deep.equal({ theme: 'dark', columns: ['a', 'b'] });
      expect(await set({ theme: null, density: { rows: 2 } })).to.deep.equal({
        columns: ['a', 'b'],
        density: { rows: 2 },
      });
      expect((await client.get('/me')).body.preferences).to.deep.equal({ columns: ['a', 'b'], density: { rows: 2 } });
      refused(await patch(client, { preferences: { big: 'x'.repeat(17_000) } }), 400, 'invalid', 'preferences');
      refused(await patch(client, { preferences: [] }), 400, 'invalid', 'preferences');
      refused(await patch(client, {}), 400, 'invalid');
      refused(await patch(client, { email: 'x@example.com' }), 400, 'invalid', 'email');
    });

    it('is for people alone', async () => {
      const agent = await world.agent('admin');
      for (const call of [
        patch(agent, { name: 'x' }),
        agent.get('/me/sessions'),
        agent.call('DELETE', '/me/sessions/ses_01jd0000000000000000000000'),
      ])
        refused(await call, 403, 'person_required');
      refused(await patch(await world.appKey(), { name: 'x' }), 403, 'forbidden');
    });
  });
});
