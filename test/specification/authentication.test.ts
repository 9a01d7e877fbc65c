/** The specification of authentication: how agents are made, what they send, and what a token is good for. */
import { expect } from 'chai';
import { clientOf, request, type Client, type Reply } from '../support/http.ts';
import { openLive } from '../support/live.ts';
import { codeOf, idsOf, newShopWorld, ok, type ShopWorld } from './shopWorld.ts';

const endpoints: readonly (readonly [string, string])[] = [
  ['GET', '/items'],
  ['GET', '/items/{id}'],
  ['POST', '/items/{id}/state'],
  ['POST', '/items/{id}/assign'],
  ['POST', '/items/{id}/tags'],
  ['POST', '/items/{id}/snooze'],
  ['POST', '/items/{id}/notes'],
  ['POST', '/items/{id}/reply'],
  ['POST', '/items'],
  ['POST', '/bulk'],
  ['GET', '/resources/{resource}'],
  ['GET', '/resources/{resource}/list'],
  ['GET', '/resources/{resource}/{id}'],
  ['GET', '/resources/{resource}/{id}/related/{relation}'],
  ['POST', '/actions'],
  ['POST', '/available'],
  ['GET', '/pages/{page}'],
  ['GET', '/flags'],
  ['POST', '/flags/{flag}'],
  ['GET', '/approvals'],
  ['POST', '/approvals/{id}/approve'],
  ['POST', '/approvals/{id}/reject'],
  ['GET', '/live'],
];

describe('specification: authentication', () => {
  let shop: ShopWorld;
  let boss: Client;
  before(async () => {
    shop = await newShopWorld();
    boss = await shop.world.person('admin', 'Boss', { fresh: true });
    await shop.app();
  });
  after(() => shop.close());

  let made = 0;
  const create = async (more: object = {}): Promise<Reply['body']> =>
    ok(await boss.post('/settings/agents', { name: `Bot ${String((made += 1))}`, role: 'clerk', ...more }), 201);
  const using = (token: string): Client => clientOf(shop.world.base, token, 'bot');

  it('each endpoint of the specification is there, and in the API’s own description', async () => {
    const { paths } = (await (await fetch(new URL('/openapi.json', shop.world.base))).json()) as {
      paths: Record<string, Record<string, unknown>>;
    };
    for (const [method, path] of endpoints) expect(paths[path], path).to.have.property(method.toLowerCase());
  });

  it('every call needs authentication: without a token each endpoint answers 401', async () => {
    for (const [method, path] of endpoints) {
      const reply = await request(
        method,
        shop.world.base + path.replaceAll(/[{}]/g, ''),
        method === 'POST' ? {} : undefined,
        null,
      );
      expect(codeOf(reply), `${method} ${path}`).to.equal('401 unauthorized');
    }
  });

  it('an admin creates an agent in the settings under Agents and picks its role', async () => {
    const { agent, token } = await create({ name: 'Picked', role: 'viewer' });
    expect(agent).to.include({ name: 'Picked' });
    expect(ok(await using(token).get('/me')).role.name).to.equal('viewer');
    expect(idsOf(ok(await boss.get('/settings/agents')).agents)).to.include(agent.id);
    expect(codeOf(await shop.ana.post('/settings/agents', { name: 'x', role: 'viewer' }))).to.equal('403 forbidden');
  });

  it('an agent’s token is shown once, when it is created', async () => {
    const { agent, token } = await create();
    expect(token).to.match(/^cagt_/);
    const { text } = await boss.get('/settings/agents?limit=200');
    expect(text).to.include(agent.id).and.not.to.include(token);
  });

  it('the settings that create an agent show the API address of the current environment', async () => {
    const { baseUrl } = await create();
    expect(new URL(baseUrl).pathname).to.equal('/api/env/demo');
    const { environments } = ok(await boss.get('/settings/environments'));
    expect(environments.find(({ name }: { name: string }) => name === 'demo').baseUrl).to.equal(baseUrl);
  });

  it('every request carries the header authorization: Bearer <token>', async () => {
    const { token } = await create();
    const call = (authorization: string | null, query = ''): Promise<Reply> =>
      request(
        'GET',
        `${shop.world.base}/items${query}`,
        undefined,
        null,
        authorization === null ? {} : { headers: { authorization } },
      );
    ok(await call(`Bearer ${String(token)}`));
    for (const wrong of [null, String(token), `Basic ${String(token)}`, 'Bearer ', `Bearer ${String(token)}x`])
      expect(codeOf(await call(wrong)), String(wrong)).to.equal('401 unauthorized');
    expect(codeOf(await call(null, `?token=${String(token)}`))).to.equal('401 unauthorized');
  });

  it('a token sees what its role sees and runs what its role allows', async () => {
    await shop.world.role('bug reader', [{ on: 'inbox:bugs', can: ['see'] }]);
    const bot = using((await create({ role: 'bug reader' })).token);
    const [bug, mail] = [await shop.item(), await shop.item({ inbox: 'mail' })];
    expect(idsOf(ok(await bot.get('/items')).items))
      .to.include(bug)
      .and.not.to.include(mail);
    expect(codeOf(await bot.get(`/items/${mail}`))).to.equal('404 not_found');
    expect(codeOf(await bot.post(`/items/${bug}/state`, { state: 'closed' }))).to.equal('403 forbidden');
    expect(codeOf(await bot.post('/actions', { action: 'ping' }))).to.equal('404 not_found');
  });

  it('the same permissions hold for the live stream', async () => {
    await shop.world.role('bug watcher', [{ on: 'inbox:bugs', can: ['see'] }]);
    const stream = await openLive(using((await create({ role: 'bug watcher' })).token));
    const [mail, bug] = [await shop.item({ inbox: 'mail' }), await shop.item()];
    await stream.next('the bug is told', ({ type, item }) => type === 'item' && item.id === bug);
    expect(JSON.stringify(stream.messages)).not.to.include(mail);
    await stream.close();
  });

  it('actions that need a fresh sign-in are run by persons who have one, not by agents', async () => {
    expect(codeOf(await shop.agent.post('/actions', { action: 'wipe' }))).to.equal('403 fresh_sign_in_required');
    ok(await boss.post('/actions', { action: 'wipe' }));
  });

  it('actions that need approval answer { pending: true } and are decided by a person', async () => {
    const { pending, approval, run } = ok(
      await shop.agent.post('/actions', { action: 'write_off', record: 'o1' }),
      202,
    );
    expect(pending).to.equal(true);
    ok(await shop.ana.post(`/approvals/${String(approval)}/approve`));
    expect(ok(await shop.agent.get(`/runs/${String(run)}`)).run.approvedBy).to.include({ id: shop.ana.id });
  });

  it('flag changes that need approval answer { pending: true } and are decided by a person', async () => {
    const { pending, approval } = ok(await shop.agent.post('/flags/guarded', { change: { value: true } }), 202);
    expect(pending).to.equal(true);
    expect(ok(await shop.agent.get('/flags/guarded')).flag.value).to.equal(false);
    expect(ok(await shop.ana.post(`/approvals/${String(approval)}/approve`)).flag.value).to.equal(true);
  });

  it('a token lasts until its agent expires, is rotated or is revoked', async () => {
    const { agent, token } = await create({ expiresAt: Date.now() + 3_600_000 });
    expect(agent.expiresAt).to.be.above(Date.now());
    const { token: next } = ok(await boss.post(`/settings/agents/${String(agent.id)}/rotate`, {}), 201);
    expect(codeOf(await using(token).get('/me'))).to.equal('401 unauthorized');
    ok(await using(next).get('/me'));
    expect((await boss.call('DELETE', `/settings/agents/${String(agent.id)}`)).status).to.equal(204);
    expect(codeOf(await using(next).get('/me'))).to.equal('401 unauthorized');
  });
});
