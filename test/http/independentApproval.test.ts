/** Independent approval: who has an agent in their hands doesn't decide what it requests, nor does anybody whom they have in theirs. */
import { expect } from 'chai';
import { connectApp } from '../support/app.ts';
import { clientOf, request, type Client, type Reply } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { newWorld, type World } from '../support/world.ts';

const day = 86_400_000;
const password = 'correct horse battery';
const patch = (client: Client, path: string, body: object): Promise<Reply> => client.call('PATCH', path, body);
const refused = (reply: Reply, status: number, code: string): void => {
  expect([reply.status, reply.body?.code], reply.text).to.deep.equal([status, code]);
};

describe('independent approval', () => {
  let world: World;
  let maker: Client;
  let other: Client;
  let item: string;
  let count = 0;

  before(async () => {
    const flags = [{ key: 'asks', kind: 'boolean', default: false, approval: true }];
    world = await newWorld({ manifest: { ...testManifest, flags }, env: { APPROVAL_MS: String(300 * day) } });
    await world.environment('staging');
    maker = await world.person('admin', 'Maker', { fresh: true });
    other = await world.person('admin', 'Other', { fresh: true });
    item = (await other.post('/items', { inbox: 'mail', title: 'Mail' })).body.item.id as string;
  });
  after(() => world.close());

  const setRule = async (independentApproval: boolean, who = other): Promise<void> => {
    const reply = await patch(who, '/settings/environments/demo', { independentApproval });
    expect(reply.status, reply.text).to.equal(200);
    expect(reply.body.environment).to.include({ name: 'demo', independentApproval });
  };
  const agentOf = async (by: Client, role = 'operator'): Promise<Client> => {
    const reply = await by.post('/settings/agents', { name: 'Bot', role, mode: 'supervised' });
    expect(reply.status, reply.text).to.equal(201);
    return clientOf(world.base, reply.body.token, reply.body.agent.id);
  };
  /** The approval of a change that the agent requests, another one each time. */
  const requestOf = async (agent: Client): Promise<string> => {
    count += 1;
    const reply = await agent.post(`/items/${item}/notes`, { text: `Note ${String(count)}` });
    expect(reply.status, reply.text).to.equal(202);
    return reply.body.approval as string;
  };
  const approve = (who: Client, id: string): Promise<Reply> => who.post(`/approvals/${id}/approve`);
  const reject = (who: Client, id: string): Promise<Reply> => who.post(`/approvals/${id}/reject`);
  /** Moves what was done to agents, roles and people into the past. */
  const age = (ms: number): Promise<unknown> => world.sql('update rights_changes set at = at - $1', [ms]);

  it('is off until a person turns it on with a fresh sign-in, where they may manage settings', async () => {
    const listed = (await other.get('/settings/environments')).body.environments as object[];
    for (const environment of listed) expect(environment).to.include({ independentApproval: false });
    const worn = await world.person('admin', 'Worn');
    const body = { independentApproval: true };
    refused(await patch(worn, '/settings/environments/demo', body), 403, 'fresh_sign_in_required');
    const local = await world.person('admin', 'Local', { fresh: true, environments: ['demo'] });
    refused(await patch(local, '/settings/environments/staging', body), 404, 'not_found');
    refused(await patch(local, '/settings/environments/nosuch', body), 404, 'not_found');
    refused(await patch(other, '/settings/environments/demo', {}), 400, 'invalid');
    await setRule(true);
    await setRule(true);
    const audited = await world.sql(
      `select before, after, outcome from events where verb = 'environment.update' and target = 'demo' order by id`,
    );
    const others = { acceptNew: false, trustApp: false };
    expect(audited.slice(-1)).to.deep.equal([
      {
        before: { ...others, independentApproval: false },
        after: { ...others, independentApproval: true },
        outcome: 'ok',
      },
    ]);
  });

  it('keeps the maker of an agent from deciding, also in the other direction, and nobody else', async () => {
    await setRule(true);
    const agent = await agentOf(maker);
    const id = await requestOf(agent);
    for (const reply of [await approve(maker, id), await reject(maker, id)]) {
      refused(reply, 403, 'forbidden');
      expect(reply.body.error).to.match(/30 days/);
    }
    expect((await approve(other, id)).status).to.equal(200);
    const person = await requestOf(agent);
    await age(31 * day);
    expect((await approve(maker, person)).status, 'made more than 30 days ago').to.equal(200);
  });

  it('keeps those who rotated it, changed it, its mode or its role from deciding', async () => {
    await setRule(true);
    const changes: readonly ((agent: Client, role: { id: string; name: string }) => Promise<Reply>)[] = [
      (agent) => maker.post(`/settings/agents/${agent.id}/rotate`, { grace: day }),
      (agent) => patch(maker, `/settings/agents/${agent.id}`, { name: 'Bot of the maker' }),
      (agent) => patch(maker, `/settings/agents/${agent.id}`, { expiresAt: Date.now() + day }),
      (_, role) => patch(maker, `/settings/roles/${role.id}`, { grants: [{ on: 'inbox:mail', can: ['see', 'note'] }] }),
    ];
    for (const change of changes) {
      const { role } = (
        await other.post('/settings/roles', {
          name: `role ${String((count += 1))}`,
          grants: [{ on: 'inbox:mail', can: ['*'] }],
        })
      ).body;
      const agent = await agentOf(other, role.name);
      await age(31 * day);
      const before = await requestOf(agent);
      expect((await approve(maker, before)).status).to.equal(200);
      const { status, text } = await change(agent, role);
      expect(status, text).to.be.within(200, 201);
      refused(await approve(maker, await requestOf(agent)), 403, 'forbidden');
    }
  });

  it('keeps people whose address the maker changed from deciding, as the maker may be who has it', async () => {
    await setRule(true);
    await age(31 * day);
    const agent = await agentOf(maker);
    const friend = await world.person('admin', 'Friend', { email: 'friend@example.com', password });
    expect((await approve(friend, await requestOf(agent))).status).to.equal(200);
    const moved = await patch(maker, `/settings/people/${friend.id}`, { email: 'maker.too@example.com' });
    expect(moved.status, moved.text).to.equal(200);
    refused(await approve(friend, await requestOf(agent)), 403, 'forbidden');
    expect((await approve(other, await requestOf(agent))).status).to.equal(200);
  });

  it('keeps people whom the maker let in, or whose password the maker set, from deciding, and those whom these let in', async () => {
    await setRule(true);
    await age(31 * day);
    const agent = await agentOf(maker);
    const letIn = async (by: Client): Promise<Client> => {
      const email = `p${String((count += 1))}@example.com`;
      const made = await by.post('/settings/people', {
        email,
        name: 'P',
        role: 'admin',
        password,
        environments: ['*'],
      });
      expect(made.status, made.text).to.equal(201);
      const { token } = (await request('POST', `${world.base}/sign-in`, { email, password }, null)).body;
      return clientOf(world.base, token, made.body.person.id);
    };
    const puppet = await letIn(maker);
    refused(await approve(puppet, await requestOf(agent)), 403, 'forbidden');
    refused(await approve(await letIn(puppet), await requestOf(agent)), 403, 'forbidden');
    const taken = await world.person('admin', 'Taken over', { fresh: true });
    expect((await approve(taken, await requestOf(agent))).status).to.equal(200);
    await patch(maker, `/settings/people/${taken.id}`, { password: 'set by the maker' });
    const session = await world.sql<{ email: string }>('select email from people where id = $1', [taken.id]);
    const { token } = (
      await request('POST', `${world.base}/sign-in`, { email: session[0]?.email, password: 'set by the maker' }, null)
    ).body;
    refused(await approve(clientOf(world.base, token, taken.id), await requestOf(agent)), 403, 'forbidden');
    expect((await approve(await letIn(other), await requestOf(agent))).status, 'let in by another').to.equal(200);
  });

  it('holds for the requests that were made under it, whatever is set later', async () => {
    await setRule(false);
    const agent = await agentOf(maker);
    const free = await requestOf(agent);
    await setRule(true);
    const bound = await requestOf(agent);
    await setRule(false, maker);
    refused(await approve(maker, bound), 403, 'forbidden');
    expect((await approve(maker, free)).status).to.equal(200);
    expect((await approve(maker, await requestOf(agent))).status).to.equal(200);
  });

  it('knows what was done before it was turned on, also by a release that kept no table of it', async () => {
    await setRule(false);
    const agent = await agentOf(maker);
    await world.sql('delete from rights_changes');
    await setRule(true);
    refused(await approve(maker, await requestOf(agent)), 403, 'forbidden');
  });

  it('keeps people from deciding what those request whom they let in, who let them in, or who were let in by the same person', async () => {
    await setRule(true);
    const ask = async (who: Client): Promise<string> => {
      count += 1;
      const { status, body, text } = await who.post('/flags/asks', { change: { rollout: count % 90 }, reason: 'x' });
      expect(status, text).to.equal(202);
      return body.approval as string;
    };
    const signedIn = async (email: string): Promise<Client> => {
      const reply = await request('POST', `${world.base}/sign-in`, { email, password }, null);
      expect(reply.status, reply.text).to.equal(200);
      return clientOf(world.base, reply.body.token, '');
    };
    const made = await maker.post('/settings/people', {
      email: 'zed@example.com',
      name: 'Zed',
      role: 'admin',
      password,
    });
    expect(made.status, made.text).to.equal(201);
    const zed = await signedIn('zed@example.com');
    const own = await ask(maker);
    const { approval } = (await zed.get(`/approvals/${own}`)).body;
    expect(approval.canDecide).to.deep.include({ approve: false });
    refused(await approve(zed, own), 403, 'forbidden');
    expect((await reject(other, own)).status).to.equal(200);
    expect((await approve(zed, await ask(other))).status, 'of another person').to.equal(200);
    const back = await ask(zed);
    refused(await approve(maker, back), 403, 'forbidden');
    expect((await maker.get(`/approvals/${back}`)).body.approval.canDecide).to.deep.include({ approve: false });
    expect((await reject(other, back)).status, 'somebody else').to.equal(200);
    await maker.post('/settings/people', { email: 'yan@example.com', name: 'Yan', role: 'admin', password });
    const yan = await signedIn('yan@example.com');
    const sibling = await ask(zed);
    refused(await approve(yan, sibling), 403, 'forbidden');
    expect((await yan.get(`/approvals/${sibling}`)).body.approval.canDecide).to.deep.include({ approve: false });
    expect((await reject(other, sibling)).status).to.equal(200);
    expect((await zed.post('/sign-in/fresh', { password })).status).to.equal(200);
    refused(await approve(maker, await requestOf(await agentOf(zed))), 403, 'forbidden');
    await age(31 * day);
    const later = await ask(maker);
    expect((await approve(zed, later)).status, 'after 30 days').to.equal(200);
  });

  it('is of one environment', async () => {
    await setRule(true);
    const agent = await agentOf(maker);
    await patch(maker, `/settings/agents/${agent.id}`, { environments: ['demo', 'staging'] });
    const there = world.elsewhere(agent, 'staging');
    const made = (await world.elsewhere(other, 'staging').post('/items', { inbox: 'mail', title: 'x' })).body.item.id;
    const { approval } = (await there.post(`/items/${made as string}/notes`, { text: 'x' })).body;
    expect((await approve(world.elsewhere(maker, 'staging'), approval)).status).to.equal(200);
  });

  it('begins by itself in a new environment once a second person can sign in and decide, and not before', async () => {
    await world.sql('update people set password_hash = null');
    const founder = await world.person('admin', 'Founder', { fresh: true, password });
    const made = await founder.post('/settings/environments', { name: 'fresh' });
    expect(made.status, made.text).to.equal(201);
    const switches = async (): Promise<object> => {
      const { environments } = (await founder.get('/settings/environments')).body;
      return environments.find(({ name }: { name: string }) => name === 'fresh');
    };
    expect(await switches()).to.include({ independentApproval: false, awaitsDecider: true, acceptNew: true });
    const manifest = { ...testManifest, flags: [] };
    const there = world.elsewhere(founder, 'fresh');
    const bot = await there.post('/settings/agents', {
      name: 'Bot',
      role: 'admin',
      mode: 'supervised',
      environments: ['fresh'],
    });
    expect(bot.status, bot.text).to.equal(201);
    const key = await there.post('/settings/app-keys', { name: 'App' });
    const app = await connectApp(world.elsewhere(clientOf(world.base, key.body.token, key.body.appKey.id), 'fresh'), {
      manifest,
    });
    const agent = world.elsewhere(clientOf(world.base, bot.body.token, bot.body.agent.id), 'fresh');
    const ask = async (title: string): Promise<string> =>
      (await agent.post('/items', { inbox: 'mail', title })).body.approval;
    expect((await there.post(`/approvals/${await ask('One alone decides')}/approve`)).status).to.equal(200);
    const before = await ask('Asked before there was a second');
    const invited = await there.post('/settings/people', {
      email: 'second@example.com',
      name: 'Second',
      role: 'viewer',
      password,
      environments: ['fresh'],
    });
    expect(invited.status, invited.text).to.equal(201);
    expect(await switches(), 'who may not decide is no second').to.include({ awaitsDecider: true });
    const promoted = await patch(there, `/settings/people/${String(invited.body.person.id)}`, { role: 'operator' });
    expect(promoted.status, promoted.text).to.equal(200);
    expect(await switches()).to.include({ independentApproval: true, awaitsDecider: false });
    refused(await there.post(`/approvals/${await ask('Now it takes another')}/approve`), 403, 'forbidden');
    expect((await there.post(`/approvals/${before}/approve`)).status, 'under the rule of its making').to.equal(200);
    const off = await patch(there, '/settings/environments/fresh', { independentApproval: false });
    expect(off.body.environment).to.include({ independentApproval: false, awaitsDecider: false });
    expect((await there.post(`/approvals/${await ask('As a person chose')}/approve`)).status).to.equal(200);
    await app.close();
  });
});
