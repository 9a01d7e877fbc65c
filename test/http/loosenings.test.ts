/** Declarations that loosen a rule: the stricter rule stays in force until a person accepts, whatever order manifests come in. */
import { expect } from 'chai';
import type { Reply } from '../support/http.ts';
import { always, amount, flag, manifestOf, refund, resources, useLoosenings } from './looseningsWorld.ts';

describe('declarations that loosen a rule', () => {
  const site = useLoosenings();
  const { register, action, inForce, loosenings, waiting, decide, acceptAll } = site;

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
      for (const { name } of resources)
        await site.world.records(name, [{ id: 'r1', title: 'One' }], `env${String(site.envs)}`);
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
        decidedBy: { type: 'person', id: site.boss.id, name: 'Boss' },
      });
      expect(await inForce(), 'accepted').not.to.deep.equal(strict);
      expect(await register(looser), 'nothing waits any more').to.deep.equal([]);
    });
  }

  it('keeps approval and danger of a flag', async () => {
    await register(manifestOf(null));
    await register({ resources, flags: [{ ...flag, approval: false, danger: null }] });
    expect(await waiting()).to.deep.equal(['flag beta approval', 'flag beta danger']);
    expect((await site.boss.get('/flags/beta')).body.flag).to.deep.include({ approval: true, danger: 'low' });
    expect((await site.agent.post('/flags/beta', { change: { value: true }, confirmed: true })).status).to.equal(202);
    await acceptAll();
    expect((await site.boss.get('/flags/beta')).body.flag).to.deep.include({ approval: false, danger: null });
    expect((await site.agent.post('/flags/beta', { change: { value: true } })).status).to.equal(200);
  });

  it('keeps the reasons that a flag and an inbox require, also of an inbox that was left out meanwhile', async () => {
    const strict = (reasonRequired: boolean): object => ({
      resources,
      flags: [{ ...flag, reasonRequired }],
      inboxes: [{ name: 'desk', reasonRequired }, { name: 'lab' }],
    });
    const required = async (): Promise<unknown> => [
      (await site.boss.get('/flags/beta')).body.flag.reasonRequired,
      (await site.boss.get('/inboxes')).body.inboxes.map((one: Reply['body']) => one.reasonRequired),
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
    const [entry] = (await site.boss.get('/audit?verb=loosening.accept&limit=200')).body.entries.filter(
      (one: Reply['body']) => one.after.on.type === 'inbox',
    );
    expect(entry.after.on).to.deep.equal({ type: 'inbox', name: 'desk', member: 'reasonRequired' });
  });

  it('shows whether an action can be undone, and needs a reason', async () => {
    await register({
      resources,
      actions: [{ name: 'a', reversible: false, reasonRequired: true }, { name: 'b', reversible: true }, { name: 'c' }],
    });
    const { actions } = (await site.agent.get('/actions')).body;
    expect(actions.map((one: Reply['body']) => [one.reversible, one.reasonRequired])).to.deep.equal([
      [false, true],
      [true, false],
      [null, false],
    ]);
  });

  it('goes by the stricter rule in discovery, tools and checks alike', async () => {
    await site.world.records(
      'order',
      [{ id: 'o1', title: 'One', fields: { status: 'paid' } }],
      `env${String(site.envs)}`,
    );
    const loose = { ...refund, freshSignIn: false };
    await register(manifestOf(loose));
    await register(
      manifestOf({ name: 'refund', label: 'Refund', resource: 'order', input: amount({ maximum: 5000 }) }),
    );
    const run = (input: object, more: object = {}): Promise<Reply> =>
      site.agent.post('/actions', { action: 'refund', record: 'o1', input, ...more });
    expect((await run({ amount: 500 }, { confirmed: true })).body.details[0].path).to.equal('input.amount');
    expect((await run({ amount: 50 })).body.code).to.equal('confirmation_required');
    expect((await run({ amount: 50 }, { confirmed: true })).body).to.include({ pending: true });
    const [ref] = (await site.agent.post('/available', { refs: [{ resource: 'order', id: 'o1' }] })).body.available;
    expect(ref.actions[0]).to.deep.include({ action: 'refund', danger: 'high', approval: true });
    expect(ref.actions[0].input.properties.amount).to.deep.include({ minimum: 1, maximum: 100 });
    const tools = await site.agent.post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
      { headers: { accept: 'application/json, text/event-stream' } },
    );
    expect(tools.text)
      .to.include('action_refund')
      .and.match(/"maximum":100[,}]/)
      .and.not.include('5000');
    await site.world.sql(`update records set fields = '{"status":"open"}' where id = 'o1'`);
    expect((await run({ amount: 50 }, { confirmed: true })).body.code).to.equal('conflict');
  });

  it('remembers rules over removing, declaring again, other instances and older starts', async () => {
    await register(manifestOf(refund));
    const strict = await action();
    const loose = manifestOf({ name: 'refund', resource: 'order', input: amount({}) });
    const old = site.started - 500;
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
});
