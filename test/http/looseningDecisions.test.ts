/** Loosened declarations as people read and decide them: rights, audit, new names, and apps that are trusted. */
import { expect } from 'chai';
import { connectApp } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { amount, flag, manifestOf, refund, resources, useLoosenings } from './looseningsWorld.ts';

describe('declarations that loosen a rule', () => {
  const site = useLoosenings();
  const { register, action, loosenings, waiting, decide, acceptAll } = site;

  it('needs a person who may manage settings and has signed in freshly, and shows others nothing', async () => {
    await register(manifestOf(refund));
    await register(manifestOf({ ...refund, approval: false }));
    const [found] = await loosenings();
    const here = { environments: [`env${String(site.envs)}`] };
    const as = (client: Client): Client => site.world.elsewhere(client, `env${String(site.envs)}`);
    const worn = as(await site.world.person('admin', 'Worn', here));
    for (const verb of ['accept', 'refuse'] as const) {
      expect((await decide(found.id, verb, worn)).body.code).to.equal('fresh_sign_in_required');
      expect((await decide(found.id, verb, site.agent)).body.code).to.equal('person_required');
      expect(
        (await decide(found.id, verb, as(await site.world.person('operator', 'Op', { fresh: true, ...here })))).status,
      ).to.equal(403);
      expect((await decide('loo_01jd0000000000000000000000', verb)).status).to.equal(404);
    }
    expect((await site.agent.get('/settings/loosenings')).body.code).to.equal('person_required');
    expect((await worn.get('/settings/loosenings')).status).to.equal(200);
    expect((await action())?.['approval']).to.equal(true);
    const other = await site.world.person('admin', 'Else', { fresh: true, environments: ['demo'] });
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
    expect(await action('refund_order', site.agent), 'roles cover it').to.be.an('object');
  });

  it('lets agents wait for new names in a new environment, but not for those of its first manifest', async () => {
    const name = 'newborn';
    expect((await site.boss.post('/settings/environments', { name })).body.environment).to.include({ acceptNew: true });
    const [there, key] = [site.world.elsewhere(site.boss, name), await site.world.appKey(name)];
    const born = await site.world.agent('admin', { environments: [name] });
    const bot = site.world.elsewhere(born, name);
    const pay = { name: 'pay', label: 'Pay', input: { type: 'object' }, approval: true };
    const declare = async (actions: readonly object[]): Promise<void> => {
      const shop = await connectApp(key, { manifest: { actions }, handlers: { 'action.run': () => ({}) } });
      await shop.close();
    };
    await declare([pay]);
    expect((await bot.post('/actions', { action: 'pay' })).body.pending).to.equal(true);
    await declare([pay, { ...pay, name: 'pay2', approval: false }]);
    expect((await bot.post('/actions', { action: 'pay2' })).status).to.equal(404);
    const { loosenings: found } = (await there.get('/settings/loosenings?status=waiting')).body;
    expect(found.map(({ on }: { on: object }) => on)).to.deep.equal([{ type: 'action', name: 'pay2', member: 'new' }]);
    expect((await there.post(`/settings/loosenings/${String(found[0].id)}/accept`)).status).to.equal(200);
    expect((await bot.post('/actions', { action: 'pay2' })).status).to.be.lessThan(300);
  });

  it('lets agents wait for new names where the environment says so', async () => {
    const name = `env${String(site.envs)}`;
    await register(manifestOf(null));
    const patched = await site.boss.call('PATCH', `/settings/environments/${name}`, { acceptNew: true });
    expect(patched.body.environment, patched.text).to.include({ acceptNew: true, trustApp: false });
    const added = manifestOf({ name: 'ping', label: 'Ping' }, { flags: [flag, { ...flag, key: 'gamma' }] });
    expect((await register(added)).join()).to.include('agents may not use it');
    expect(await action('ping', site.agent)).to.equal(undefined);
    expect(await action('ping', site.boss)).to.be.an('object');
    const tried = await site.agent.post('/actions', { action: 'ping' });
    expect([tried.status, tried.body.code]).to.deep.equal([404, 'not_found']);
    expect((await site.agent.get('/flags/gamma')).status).to.equal(404);
    expect((await site.boss.get('/flags/gamma')).status).to.equal(200);
    expect(await waiting()).to.deep.equal(['action ping new', 'flag gamma new']);
    await register(manifestOf(null));
    await register(added);
    expect(await action('ping', site.agent), 'removing and declaring again changes nothing').to.equal(undefined);
    await acceptAll();
    expect(await action('ping', site.agent)).to.be.an('object');
    expect((await site.agent.get('/flags/gamma')).status).to.equal(200);
  });

  it('asks nothing where the app is trusted, accepts nothing that waits, and audits all the same', async () => {
    const name = `env${String(site.envs)}`;
    const trust = (client: Client, trustApp: boolean): Promise<Reply> =>
      client.call('PATCH', `/settings/environments/${name}`, { trustApp });
    await register(manifestOf(refund));
    await register(manifestOf({ ...refund, approval: false }));
    const worn = site.world.elsewhere(await site.world.person('admin', 'Worn', { environments: [name] }), name);
    expect((await trust(worn, true)).body.code).to.equal('fresh_sign_in_required');
    expect((await trust(site.boss, true)).body.environment.trustApp).to.equal(true);
    await register(manifestOf({ ...refund, approval: false, danger: 'low' }));
    expect(await action(), 'what waits goes on waiting').to.deep.include({ approval: true, danger: 'low' });
    expect(await waiting()).to.deep.equal(['action refund approval']);
    const [entry] = (await site.boss.get('/audit?verb=environment.define')).body.entries;
    expect(entry.before).to.deep.equal({ actions: { refund: { danger: 'high' } } });
    expect(entry.after).to.deep.equal({
      actions: { refund: { danger: 'low' } },
      held: { actions: { refund: ['approval'] } },
      loosened: { actions: { refund: ['danger'] } },
    });
    expect((await trust(site.boss, false)).body.environment.trustApp).to.equal(false);
    const verbs = (await site.boss.get('/audit?verb=environment.update')).body.entries.map(
      (one: Reply['body']) => one.outcome,
    );
    expect(verbs).to.deep.equal(['ok', 'ok', 'denied']);
  });

  it('audits what a declaration changes member by member, as far as the reader sees it', async () => {
    const name = `env${String(site.envs)}`;
    await register(manifestOf(refund, { inboxes: [{ name: 'desk', label: 'Desk' }] }));
    const [first] = (await site.boss.get('/audit?verb=environment.define')).body.entries;
    expect(first.after.actions.refund).to.include({ approval: true, danger: 'high' });
    await register(
      manifestOf(
        { ...refund, label: 'Pay back', input: amount({ minimum: 1, maximum: 200 }) },
        { inboxes: [{ name: 'desk', label: 'Front desk', states: [{ name: 'new', kind: 'open' }] }] },
      ),
    );
    const [entry] = (await site.boss.get('/audit?verb=environment.define')).body.entries;
    expect(entry.before).to.deep.equal({
      actions: { refund: { label: 'Refund', input: { properties: { amount: { maximum: 100 } } } } },
      inboxes: { desk: { label: 'Desk', states: null } },
    });
    expect(entry.after).to.deep.equal({
      actions: { refund: { label: 'Pay back', input: { properties: { amount: { maximum: 200 } } } } },
      inboxes: { desk: { label: 'Front desk', states: { new: { kind: 'open' } } } },
      held: { actions: { refund: ['input.properties.amount.maximum'] } },
    });
    await site.world.role(`auditor ${name}`, [
      { on: 'audit', can: ['see'] },
      { on: 'inbox:desk', can: ['see'] },
    ]);
    const auditor = site.world.elsewhere(await site.world.agent(`auditor ${name}`, { environments: [name] }), name);
    const [seen] = (await auditor.get('/audit?verb=environment.define')).body.entries;
    expect([seen.before, seen.after]).to.deep.equal([
      { inboxes: { desk: { label: 'Desk', states: null } } },
      { inboxes: { desk: { label: 'Front desk', states: { new: { kind: 'open' } } } } },
    ]);
    await acceptAll();
    const [accepted] = (await site.boss.get('/audit?verb=loosening.accept')).body.entries;
    expect(accepted).to.deep.include({ outcome: 'ok', before: { status: 'waiting' } });
    expect(accepted.after).to.deep.include({ status: 'accepted', from: 100, to: 200 });
  });

  it('pages through the list, newest first', async () => {
    await register({ actions: Array.from({ length: 5 }, (_, i) => ({ name: `a${String(i)}`, approval: true })) });
    const names: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await site.boss.get(`/settings/loosenings?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      names.push(...body.loosenings.map(({ on }: Reply['body']) => on.name));
      cursor = body.cursor;
    }
    expect(names.sort()).to.deep.equal(['a0', 'a1', 'a2', 'a3', 'a4']);
    expect((await site.boss.get('/settings/loosenings?status=open')).status).to.equal(400);
  });

  it('shows descriptions, and says why an action does not apply', async () => {
    const name = `env${String(site.envs)}`;
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
    const of = async (path: string): Promise<Reply['body']> => (await site.agent.get(path)).body[path.slice(1)][0];
    const order = (await site.agent.get('/resources')).body.resources.find(
      (one: { name: string }) => one.name === 'order',
    );
    expect(order).to.deep.include({ description: 'Orders of the shop.' });
    expect([order.fields[0].description, order.relations[0].description]).to.deep.equal(['open or paid', 'Who pays.']);
    const desk = await of('/inboxes');
    expect([desk.description, desk.states[0].description]).to.deep.equal(['All mail.', 'Unread.']);
    expect((await of('/views')).description).to.equal('Mine alone.');
    expect((await of('/actions')).description).to.equal('Gives money back.');
    const page = await of('/pages');
    expect([page.description, page.params[0].description]).to.deep.equal(['The day.', 'Which one.']);
    expect((await of('/flags')).description).to.equal('Beta.');
    await site.world.records('order', [{ id: 'o1', title: 'One', fields: { status: 'open' } }], name);
    const [ref] = (await site.agent.post('/available', { refs: [{ resource: 'order', id: 'o1' }] })).body.available;
    expect(ref.unavailable).to.deep.equal([{ action: 'refund', reason: 'Only paid orders can be refunded.' }]);
    const tried = await site.agent.post('/actions', {
      action: 'refund',
      record: 'o1',
      input: { amount: 5 },
      confirmed: true,
    });
    expect([tried.status, tried.body.error]).to.deep.equal([409, 'Only paid orders can be refunded.']);
    const list = await site.agent.post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
      { headers: { accept: 'application/json, text/event-stream' } },
    );
    expect(list.text).to.include('"description":"Gives money back. ');
  });
});
