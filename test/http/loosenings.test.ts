/** Declarations that loosen a rule: the stricter rule stays in force until a person accepts, whatever order manifests come in. */
import { expect } from 'chai';
import { connectApp, type FakeApp } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

const password = 'correct horse battery';

const amount = (limits: object): object => ({
  type: 'object',
  properties: { amount: { type: 'integer', ...limits }, why: { type: 'string' } },
  additionalProperties: false,
});
const refund = {
  name: 'refund',
  label: 'Refund',
  resource: 'order',
  approval: true,
  danger: 'high',
  freshSignIn: true,
  when: { field: 'record.fields.status', op: 'eq', value: 'paid' },
  input: amount({ minimum: 1, maximum: 100 }),
};
const status = 'record.fields.status';
/** Holds whatever the record is, which no op says by itself. */
const always = {
  any: [
    { field: status, op: 'eq', value: 'open' },
    { field: status, op: 'ne', value: 'open' },
  ],
};
const flag = { key: 'beta', kind: 'boolean', default: false, approval: true, danger: 'low' };
const resources = [
  { name: 'order', source: 'stored' },
  { name: 'customer', source: 'stored' },
];
const manifestOf = (action: object | null, more: object = {}): object => ({
  resources,
  actions: action === null ? [] : [action],
  flags: [flag],
  ...more,
});

describe('declarations that loosen a rule', () => {
  let world: World;
  let boss: Client;
  let agent: Client;
  let started = 0;
  let envs = 0;
  let app: Client;
  const apps: FakeApp[] = [];

  before(async () => {
    world = await newWorld({ manifest: {} });
  });
  /** Each test has an environment of its own. */
  beforeEach(async () => {
    envs += 1;
    const name = `env${String(envs)}`;
    await world.environment(name, {});
    await world.sql('delete from definitions where env = (select id from environments where name = $1)', [name]);
    const here = { environments: [name] };
    boss = world.elsewhere(await world.person('admin', 'Boss', { fresh: true, password, ...here }), name);
    agent = world.elsewhere(await world.agent('operator', here), name);
    app = await world.appKey(name);
    started = Date.now() - 1_000_000;
  });
  afterEach(() => Promise.all(apps.splice(0).map((one) => one.close())));
  after(() => world.close());

  /** Registers a manifest, as a process that was started after all others unless a time is given; returns the warnings. */
  const register = async (manifest: object, startedAt = (started += 1)): Promise<readonly string[]> => {
    const connected = await connectApp(app, { manifest, startedAt });
    apps.push(connected);
    return connected.registered.warnings;
  };
  const action = async (name = 'refund', client = boss): Promise<Record<string, unknown> | undefined> =>
    (await client.get('/actions?limit=200')).body.actions.find((one: { name: string }) => one.name === name);
  /** The action as it is listed, and the record of each resource that it applies to. */
  const inForce = async (): Promise<unknown> => {
    const refs = resources.map(({ name: resource }) => ({ resource, id: 'r1' }));
    const { available } = (await boss.post('/available', { refs })).body;
    return [
      await action(),
      available.map((one: Reply['body']) => one.actions.map((each: Reply['body']) => each.action)),
    ];
  };
  const loosenings = async (query = ''): Promise<Reply['body'][]> =>
    (await boss.get(`/settings/loosenings${query}`)).body.loosenings;
  const waiting = async (): Promise<string[]> =>
    (await loosenings('?status=waiting')).map(({ on }) => `${on.type} ${on.name} ${on.member}`).sort();
  const decide = (id: string, verb: 'accept' | 'refuse', client = boss): Promise<Reply> =>
    client.post(`/settings/loosenings/${id}/${verb}`);
  const acceptAll = async (): Promise<void> => {
    for (const { id } of await loosenings('?status=waiting')) expect((await decide(id, 'accept')).status).to.equal(200);
  };

  const changes: readonly [string, object, object, unknown, unknown][] = [
    ['approval', refund, { approval: false }, true, false],
    ['danger', refund, { danger: 'low' }, 'high', 'low'],
    ['danger', refund, { danger: null }, 'high', null],
    ['freshSignIn', refund, { freshSignIn: false }, true, false],
    ['when', refund, { when: undefined }, refund.when, null],
    ['when', refund, { when: { any: [{ all: [] }, refund.when] } }, refund.when, null],
    ['when', refund, { when: always }, refund.when, null],
    ['resource', refund, { resource: 'customer' }, 'order', 'customer'],
    ['resource', { ...refund, when: undefined }, { resource: null }, 'order', null],
    ['reasonRequired', { ...refund, reasonRequired: true }, { reasonRequired: false }, true, false],
    ['reasonRequired', { ...refund, reasonRequired: true }, { reasonRequired: undefined }, true, false],
    ['repeatable', refund, { repeatable: true }, false, true],
    ['input.properties.amount.maximum', refund, { input: amount({ minimum: 1, maximum: 1000 }) }, 100, 1000],
    ['input.properties.amount.maximum', refund, { input: amount({ minimum: 1 }) }, 100, null],
    ['input.properties.amount.minimum', refund, { input: amount({ minimum: -5, maximum: 100 }) }, 1, -5],
  ];
  for (const [member, before, patch, from, to] of changes) {
    it(`keeps ${member} at ${JSON.stringify(from)} when ${JSON.stringify(to)} is declared, until a person accepts`, async () => {
      expect(await register(manifestOf(before))).to.deep.equal([]);
      for (const { name } of resources) await world.records(name, [{ id: 'r1', title: 'One' }], `env${String(envs)}`);
      const strict = await inForce();
      const looser = manifestOf({ ...before, ...patch });
      const warnings = await register(looser);
      expect(await inForce(), 'the stricter rule stays in force').to.deep.equal(strict);
      expect(warnings.join('\n')).to.include(`refund declares ${member}`).and.include('stays in force');
      const [found, ...others] = await loosenings('?status=waiting');
      expect(others).to.deep.equal([]);
      expect(found.id).to.match(/^loo_/);
      expect(found).to.deep.include({ on: { type: 'action', name: 'refund', member }, from, to, decidedBy: null });
      const reply = await decide(found.id, 'accept');
      expect(reply.status, reply.text).to.equal(200);
      expect(reply.body.loosening).to.deep.equal({
        ...found,
        status: 'accepted',
        decidedBy: { type: 'person', id: boss.id, name: 'Boss' },
      });
      expect(await inForce(), 'accepted').not.to.deep.equal(strict);
      expect(await register(looser), 'nothing waits any more').to.deep.equal([]);
    });
  }

  it('keeps approval and danger of a flag', async () => {
    await register(manifestOf(null));
    await register({ resources, flags: [{ ...flag, approval: false, danger: null }] });
    expect(await waiting()).to.deep.equal(['flag beta approval', 'flag beta danger']);
    expect((await boss.get('/flags/beta')).body.flag).to.deep.include({ approval: true, danger: 'low' });
    expect((await agent.post('/flags/beta', { change: { value: true }, confirmed: true })).status).to.equal(202);
    await acceptAll();
    expect((await boss.get('/flags/beta')).body.flag).to.deep.include({ approval: false, danger: null });
    expect((await agent.post('/flags/beta', { change: { value: true } })).status).to.equal(200);
  });

  it('keeps the reasons that a flag and an inbox require, also of an inbox that was left out meanwhile', async () => {
    const strict = (reasonRequired: boolean): object => ({
      resources,
      flags: [{ ...flag, reasonRequired }],
      inboxes: [{ name: 'desk', reasonRequired }, { name: 'lab' }],
    });
    const required = async (): Promise<unknown> => [
      (await boss.get('/flags/beta')).body.flag.reasonRequired,
      (await boss.get('/inboxes')).body.inboxes.map((one: Reply['body']) => one.reasonRequired),
    ];
    expect(await register(strict(true))).to.deep.equal([]);
    expect(await required()).to.deep.equal([true, [true, false]]);
    expect((await loosenings('?status=noted')).map(({ on }) => on.type)).to.not.include('inbox');
    expect((await register(strict(false))).join('\n')).to.include('The inbox desk declares reasonRequired as false');
    expect(await required()).to.deep.equal([true, [true, false]]);
    await register({ resources, flags: [flag], inboxes: [{ name: 'lab' }] });
    await register(strict(false));
    expect(await required()).to.deep.equal([true, [true, false]]);
    expect(await waiting()).to.deep.equal(['flag beta reasonRequired', 'inbox desk reasonRequired']);
    await acceptAll();
    expect(await required()).to.deep.equal([false, [false, false]]);
    const [entry] = (await boss.get('/audit?verb=loosening.accept&limit=200')).body.entries.filter(
      (one: Reply['body']) => one.after.on.type === 'inbox',
    );
    expect(entry.after.on).to.deep.equal({ type: 'inbox', name: 'desk', member: 'reasonRequired' });
  });

  it('shows whether an action can be undone, and needs a reason', async () => {
    await register({
      resources,
      actions: [{ name: 'a', reversible: false, reasonRequired: true }, { name: 'b', reversible: true }, { name: 'c' }],
    });
    const { actions } = (await agent.get('/actions')).body;
    expect(actions.map((one: Reply['body']) => [one.reversible, one.reasonRequired])).to.deep.equal([
      [false, true],
      [true, false],
      [null, false],
    ]);
  });

  it('goes by the stricter rule in discovery, tools and checks alike', async () => {
    await world.records('order', [{ id: 'o1', title: 'One', fields: { status: 'paid' } }], `env${String(envs)}`);
    const loose = { ...refund, freshSignIn: false };
    await register(manifestOf(loose));
    await register(
      manifestOf({ name: 'refund', label: 'Refund', resource: 'order', input: amount({ maximum: 5000 }) }),
    );
    const run = (input: object, more: object = {}): Promise<Reply> =>
      agent.post('/actions', { action: 'refund', record: 'o1', input, ...more });
    expect((await run({ amount: 500 }, { confirmed: true })).body.details[0].path).to.equal('input.amount');
    expect((await run({ amount: 50 })).body.code).to.equal('confirmation_required');
    expect((await run({ amount: 50 }, { confirmed: true })).body).to.include({ pending: true });
    const [ref] = (await agent.post('/available', { refs: [{ resource: 'order', id: 'o1' }] })).body.available;
    expect(ref.actions[0]).to.deep.include({ action: 'refund', danger: 'high', approval: true });
    expect(ref.actions[0].input.properties.amount).to.deep.include({ minimum: 1, maximum: 100 });
    const tools = await agent.post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
      { headers: { accept: 'application/json, text/event-stream' } },
    );
    expect(tools.text)
      .to.include('action_refund')
      .and.match(/"maximum":100[,}]/)
      .and.not.include('5000');
    await world.sql(`update records set fields = '{"status":"open"}' where id = 'o1'`);
    expect((await run({ amount: 50 }, { confirmed: true })).body.code).to.equal('conflict');
  });

  it('remembers rules over removing, declaring again, other instances and older starts', async () => {
    await register(manifestOf(refund));
    const strict = await action();
    const loose = manifestOf({ name: 'refund', resource: 'order', input: amount({}) });
    const old = started - 500;
    for (const step of [
      () => register(manifestOf(null)),
      () => register(loose),
      () => register(loose, old),
      () => register({}),
      () => register(manifestOf(refund), old),
      () => register(loose),
    ])
      await step();
    const { label: _, ...rest } = (await action()) ?? {};
    const { label: __, input, ...wanted } = strict ?? {};
    expect(rest).to.deep.include(wanted);
    expect((rest['input'] as typeof refund.input & { properties: object }).properties).to.deep.equal(
      (input as { properties: object }).properties,
    );
    expect((await waiting()).length).to.equal(6);
  });

  it('refuses for as long as the same is declared', async () => {
    await register(manifestOf(refund));
    const low = manifestOf({ ...refund, danger: 'low' });
    await register(low);
    const [first] = await loosenings('?status=waiting');
    expect((await decide(first.id, 'refuse')).body.loosening.status).to.equal('refused');
    expect((await decide(first.id, 'accept')).body).to.include({ code: 'conflict' });
    expect((await decide(first.id, 'refuse')).status).to.equal(409);
    expect((await register(low)).join()).to.include('refused');
    await register(manifestOf(null));
    await register(low);
    expect(await waiting()).to.deep.equal([]);
    expect((await action())?.['danger']).to.equal('high');
    await register(manifestOf({ ...refund, danger: null }));
    expect((await loosenings('?status=waiting')).map(({ to }) => to)).to.deep.equal([null]);
    await register(manifestOf(refund));
    expect(await waiting(), 'the question no longer stands').to.deep.equal([]);
    await register(low);
    expect(await waiting()).to.deep.equal(['action refund danger']);
    expect((await loosenings()).filter(({ status }) => status === 'refused').map(({ id }) => id)).to.deep.equal([
      first.id,
    ]);
  });

  it('ends an acceptance when the rule is tightened again', async () => {
    await register(manifestOf(refund));
    const loose = manifestOf({ ...refund, approval: false });
    await register(loose);
    await acceptAll();
    await register(manifestOf(null));
    await register(loose);
    expect((await action())?.['approval'], 'accepted').to.equal(false);
    await register(manifestOf(refund));
    await register(loose);
    expect((await action())?.['approval']).to.equal(true);
    expect(await waiting()).to.deep.equal(['action refund approval']);
  });

  it('needs a person who may manage settings and has signed in freshly, and shows others nothing', async () => {
    await register(manifestOf(refund));
    await register(manifestOf({ ...refund, approval: false }));
    const [found] = await loosenings();
    const here = { environments: [`env${String(envs)}`] };
    const as = (client: Client): Client => world.elsewhere(client, `env${String(envs)}`);
    const worn = as(await world.person('admin', 'Worn', here));
    for (const verb of ['accept', 'refuse'] as const) {
      expect((await decide(found.id, verb, worn)).body.code).to.equal('fresh_sign_in_required');
      expect((await decide(found.id, verb, agent)).body.code).to.equal('person_required');
      expect(
        (await decide(found.id, verb, as(await world.person('operator', 'Op', { fresh: true, ...here })))).status,
      ).to.equal(403);
      expect((await decide('loo_01jd0000000000000000000000', verb)).status).to.equal(404);
    }
    expect((await agent.get('/settings/loosenings')).body.code).to.equal('person_required');
    expect((await worn.get('/settings/loosenings')).status).to.equal(200);
    expect((await action())?.['approval']).to.equal(true);
    const other = await world.person('admin', 'Else', { fresh: true, environments: ['demo'] });
    expect((await decide(found.id, 'accept', other)).status, 'of another environment').to.equal(404);
  });

  it('notes new names with the removed one that each resembles', async () => {
    await register(manifestOf(refund));
    expect(await loosenings('?status=noted')).to.have.length(2);
    const warnings = await register(manifestOf({ name: 'refund_order', resource: 'order' }, { flags: [] }));
    expect(warnings).to.include(
      'The action refund_order is new and resembles refund, which is not declared any more: the rules of that name do not hold for it.',
    );
    const [note] = await loosenings('?status=noted');
    expect(note).to.deep.include({
      on: { type: 'action', name: 'refund_order', member: 'new' },
      from: 'refund',
      to: 'refund_order',
    });
    expect((await decide(note.id, 'accept')).status).to.equal(409);
    expect(await action('refund_order', agent), 'roles cover it').to.be.an('object');
  });

  it('lets agents wait for new names where the environment says so', async () => {
    const name = `env${String(envs)}`;
    await register(manifestOf(null));
    const patched = await boss.call('PATCH', `/settings/environments/${name}`, { acceptNew: true });
    expect(patched.body.environment, patched.text).to.include({ acceptNew: true, trustApp: false });
    const added = manifestOf({ name: 'ping', label: 'Ping' }, { flags: [flag, { ...flag, key: 'gamma' }] });
    expect((await register(added)).join()).to.include('agents may not use it');
    expect(await action('ping', agent)).to.equal(undefined);
    expect(await action('ping', boss)).to.be.an('object');
    const tried = await agent.post('/actions', { action: 'ping' });
    expect([tried.status, tried.body.code]).to.deep.equal([404, 'not_found']);
    expect((await agent.get('/flags/gamma')).status).to.equal(404);
    expect((await boss.get('/flags/gamma')).status).to.equal(200);
    expect(await waiting()).to.deep.equal(['action ping new', 'flag gamma new']);
    await register(manifestOf(null));
    await register(added);
    expect(await action('ping', agent), 'removing and declaring again changes nothing').to.equal(undefined);
    await acceptAll();
    expect(await action('ping', agent)).to.be.an('object');
    expect((await agent.get('/flags/gamma')).status).to.equal(200);
  });

  it('asks nothing where the app is trusted, accepts nothing that waits, and audits all the same', async () => {
    const name = `env${String(envs)}`;
    const trust = (client: Client, trustApp: boolean): Promise<Reply> =>
      client.call('PATCH', `/settings/environments/${name}`, { trustApp });
    await register(manifestOf(refund));
    await register(manifestOf({ ...refund, approval: false }));
    const worn = world.elsewhere(await world.person('admin', 'Worn', { environments: [name] }), name);
    expect((await trust(worn, true)).body.code).to.equal('fresh_sign_in_required');
    expect((await trust(boss, true)).body.environment.trustApp).to.equal(true);
    await register(manifestOf({ ...refund, approval: false, danger: 'low' }));
    expect(await action(), 'what waits goes on waiting').to.deep.include({ approval: true, danger: 'low' });
    expect(await waiting()).to.deep.equal(['action refund approval']);
    const [entry] = (await boss.get('/audit?verb=environment.define')).body.entries;
    expect(entry.before).to.deep.equal({ actions: { refund: { danger: 'high' } } });
    expect(entry.after).to.deep.equal({
      actions: { refund: { danger: 'low' } },
      held: { actions: { refund: ['approval'] } },
      loosened: { actions: { refund: ['danger'] } },
    });
    expect((await trust(boss, false)).body.environment.trustApp).to.equal(false);
    const verbs = (await boss.get('/audit?verb=environment.update')).body.entries.map(
      (one: Reply['body']) => one.outcome,
    );
    expect(verbs).to.deep.equal(['ok', 'ok', 'denied']);
  });

  it('audits what a declaration changes member by member, as far as the reader sees it', async () => {
    const name = `env${String(envs)}`;
    await register(manifestOf(refund, { inboxes: [{ name: 'desk', label: 'Desk' }] }));
    const [first] = (await boss.get('/audit?verb=environment.define')).body.entries;
    expect(first.after.actions.refund).to.include({ approval: true, danger: 'high' });
    await register(
      manifestOf(
        { ...refund, label: 'Pay back', input: amount({ minimum: 1, maximum: 200 }) },
        { inboxes: [{ name: 'desk', label: 'Front desk', states: [{ name: 'new', kind: 'open' }] }] },
      ),
    );
    const [entry] = (await boss.get('/audit?verb=environment.define')).body.entries;
    expect(entry.before).to.deep.equal({
      actions: { refund: { label: 'Refund', input: { properties: { amount: { maximum: 100 } } } } },
      inboxes: { desk: { label: 'Desk', states: null } },
    });
    expect(entry.after).to.deep.equal({
      actions: { refund: { label: 'Pay back', input: { properties: { amount: { maximum: 200 } } } } },
      inboxes: { desk: { label: 'Front desk', states: { new: { kind: 'open' } } } },
      held: { actions: { refund: ['input.properties.amount.maximum'] } },
    });
    await world.role(`auditor ${name}`, [
      { on: 'audit', can: ['see'] },
      { on: 'inbox:desk', can: ['see'] },
    ]);
    const auditor = world.elsewhere(await world.agent(`auditor ${name}`, { environments: [name] }), name);
    const [seen] = (await auditor.get('/audit?verb=environment.define')).body.entries;
    expect([seen.before, seen.after]).to.deep.equal([
      { inboxes: { desk: { label: 'Desk', states: null } } },
      { inboxes: { desk: { label: 'Front desk', states: { new: { kind: 'open' } } } } },
    ]);
    await acceptAll();
    const [accepted] = (await boss.get('/audit?verb=loosening.accept')).body.entries;
    expect(accepted).to.deep.include({ outcome: 'ok', before: { status: 'waiting' } });
    expect(accepted.after).to.deep.include({ status: 'accepted', from: 100, to: 200 });
  });

  it('pages through the list, newest first', async () => {
    await register({ actions: Array.from({ length: 5 }, (_, i) => ({ name: `a${String(i)}`, approval: true })) });
    const names: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await boss.get(`/settings/loosenings?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      names.push(...body.loosenings.map(({ on }: Reply['body']) => on.name));
      cursor = body.cursor;
    }
    expect(names.sort()).to.deep.equal(['a0', 'a1', 'a2', 'a3', 'a4']);
    expect((await boss.get('/settings/loosenings?status=open')).status).to.equal(400);
  });

  it('shows descriptions, and says why an action does not apply', async () => {
    const name = `env${String(envs)}`;
    await register({
      resources: [
        {
          name: 'order',
          description: 'Orders of the shop.',
          source: 'stored',
          fields: [{ name: 'status', description: 'open or paid' }],
          relations: [{ name: 'buyer', description: 'Who pays.', resource: 'customer', key: 'customer' }],
        },
        resources[1],
      ],
      inboxes: [
        { name: 'desk', description: 'All mail.', states: [{ name: 'new', kind: 'open', description: 'Unread.' }] },
      ],
      views: [{ name: 'mine', description: 'Mine alone.', assignee: 'me' }],
      actions: [
        {
          ...refund,
          freshSignIn: false,
          description: 'Gives money back.',
          when: { if: refund.when, otherwise: 'Only paid orders can be refunded.' },
        },
      ],
      pages: [
        { name: 'day', description: 'The day.', params: [{ name: 'at', description: 'Which one.' }], blocks: [] },
      ],
      flags: [{ ...flag, description: 'Beta.' }],
    });
    const of = async (path: string): Promise<Reply['body']> => (await agent.get(path)).body[path.slice(1)][0];
    const order = (await agent.get('/resources')).body.resources.find((one: { name: string }) => one.name === 'order');
    expect(order).to.deep.include({ description: 'Orders of the shop.' });
    expect([order.fields[0].description, order.relations[0].description]).to.deep.equal(['open or paid', 'Who pays.']);
    const desk = await of('/inboxes');
    expect([desk.description, desk.states[0].description]).to.deep.equal(['All mail.', 'Unread.']);
    expect((await of('/views')).description).to.equal('Mine alone.');
    expect((await of('/actions')).description).to.equal('Gives money back.');
    const page = await of('/pages');
    expect([page.description, page.params[0].description]).to.deep.equal(['The day.', 'Which one.']);
    expect((await of('/flags')).description).to.equal('Beta.');
    await world.records('order', [{ id: 'o1', title: 'One', fields: { status: 'open' } }], name);
    const [ref] = (await agent.post('/available', { refs: [{ resource: 'order', id: 'o1' }] })).body.available;
    expect(ref.unavailable).to.deep.equal([{ action: 'refund', reason: 'Only paid orders can be refunded.' }]);
    const tried = await agent.post('/actions', {
      action: 'refund',
      record: 'o1',
      input: { amount: 5 },
      confirmed: true,
    });
    expect([tried.status, tried.body.error]).to.deep.equal([409, 'Only paid orders can be refunded.']);
    const list = await agent.post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
      { headers: { accept: 'application/json, text/event-stream' } },
    );
    expect(list.text).to.include('"description":"Gives money back. ');
  });
});
