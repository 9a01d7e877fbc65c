/** Settings over HTTP: repeats, the audit log, and that no secret is kept. */
import { expect } from 'chai';
import { clientOf, request, type Reply } from '../../support/http.ts';
import { keyed, openSettingsWorld, patch, refused, remove, type SettingsWorld } from './settingsWorld.ts';

describe('settings over HTTP: repeats and records', () => {
  let world: SettingsWorld['world'];
  let boss: SettingsWorld['boss'];
  let second: SettingsWorld['second'];
  let made: SettingsWorld['made'];
  let newAgent: SettingsWorld['newAgent'];
  let signIn: SettingsWorld['signIn'];
  let events: SettingsWorld['events'];

  before(async () => {
    ({ world, boss, second, made, newAgent, signIn, events } = await openSettingsWorld());
  });
  after(() => world.close());

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
