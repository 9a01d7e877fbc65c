/** Approvals: requested by those with the right, decided by persons, exactly once, with everything checked at that moment. */
import { expect } from 'chai';
import { connectApp, rpcError, type FakeApp } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  resources: [
    { name: 'order', source: 'stored', fields: [{ name: 'status', filter: true }] },
    { name: 'vault', source: 'stored' },
  ],
  inboxes: [{ name: 'mail', reply: { via: 'app' } }, { name: 'secret' }],
  actions: [
    {
      name: 'refund',
      label: 'Refund',
      resource: 'order',
      approval: true,
      danger: 'high',
      when: { field: 'record.fields.status', op: 'eq', value: 'paid' },
      input: {
        type: 'object',
        properties: { amount: { type: 'number', description: 'Absent: all of it.' }, why: { type: 'string' } },
      },
    },
    { name: 'ping', label: 'Ping' },
    { name: 'strict', label: 'Strict', approval: true, offline: 'refuse' },
  ],
  flags: ['beta', 'shown'].map((key) => ({ key, kind: 'boolean', default: false, resource: 'order', approval: true })),
} as const;

const clerk = [
  { on: 'inbox:mail', can: ['*'] },
  { on: 'resource:order', can: ['see'] },
  { on: 'action:refund', can: ['run'] },
  { on: 'action:ping', can: ['run'] },
  { on: 'action:strict', can: ['run'] },
  { on: 'flag:beta', can: ['change'] },
  { on: 'flag:shown', can: ['change'] },
];

describe('http: approvals', () => {
  let world: World;
  let agent: Client;
  let person: Client;
  let key: Client;
  let app: FakeApp;
  interface RunParams {
    readonly run: string;
    readonly actor: { readonly id: string };
    readonly reason: string | null;
    readonly approvedBy: object | null;
  }
  const ran: RunParams[] = [];
  const refund = (params: RunParams): object => {
    ran.push(params);
    return { message: 'Refunded.' };
  };

  before(async () => {
    world = await newWorld({ manifest, env: { FLAG_APPROVAL_MS: '86400000' } });
    await world.role('clerk', clerk);
    [agent, person, key] = [await world.agent('clerk'), await world.person('operator'), await world.appKey()];
    app = await connectApp(key, { manifest, handlers: { 'action.run': refund } });
  });
  after(async () => {
    await app.close();
    await world.close();
  });

  let n = 0;
  const order = async (status = 'paid'): Promise<string> => {
    n += 1;
    await world.records('order', [{ id: `o${String(n)}`, title: `Order ${String(n)}`, fields: { status } }]);
    return `o${String(n)}`;
  };
  const ask = async (record: string, client = agent, more: object = {}): Promise<{ approval: string; run: string }> => {
    const reply = await client.post('/actions', { action: 'refund', record, confirmed: true, ...more });
    expect(reply.status, reply.text).to.equal(202);
    expect(reply.body.pending).to.equal(true);
    return reply.body;
  };
  const codeOf = (reply: Reply): string => `${String(reply.status)} ${String(reply.body?.code)}`;
  const approvalOf = async (id: string, client = person): Promise<Reply['body']> =>
    (await client.get(`/approvals/${id}`)).body.approval;
  const runOf = async (id: string): Promise<Reply['body']> => (await agent.get(`/runs/${id}`)).body.run;
  const calls = (run: string): number => ran.filter((call) => call.run === run).length;

  it('shows what is asked for, before and now, to who asked and to who may see approvals and the target', async () => {
    const record = await order();
    const { approval, run } = await ask(record, agent, { input: { amount: 5 } });
    const shown = await approvalOf(approval);
    expect(shown).to.deep.include({
      id: approval,
      kind: 'action',
      status: 'pending',
      action: 'refund',
      record,
      input: { amount: 5 },
      run,
      decidedBy: null,
      note: null,
      flag: null,
      bulk: null,
    });
    expect(shown.requestedBy).to.deep.include({ type: 'agent', id: agent.id });
    expect(shown.before.fields).to.deep.equal({ status: 'paid' });
    await world.sql(`update records set fields = '{"status":"paid","note":"x"}' where id = $1`, [record]);
    expect((await approvalOf(approval)).now.fields).to.deep.equal({ status: 'paid', note: 'x' });
    expect((await agent.get('/approvals')).body.approvals.map((entry: { id: string }) => entry.id)).to.include(
      approval,
    );
    expect(
      (await person.get('/approvals?status=pending')).body.approvals.map((entry: { id: string }) => entry.id),
    ).to.include(approval);
    expect((await (await world.agent('viewer')).get(`/approvals/${approval}`)).status).to.equal(404);
    expect((await (await world.agent('viewer')).get('/approvals')).body).to.deep.equal({ approvals: [], cursor: null });
    await agent.post(`/approvals/${approval}/cancel`);
  });

  it('says the declared members in its sentence, however many others are given', async () => {
    const flood = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`A${String(i + 10)}`, i]));
    const input = { ...flood, amount: 5_000 };
    const counted = /, with amount "5000", A10 "0", .*, A28 "18" and 1 more\.$/;
    const record = await order();
    const { approval } = await ask(record, agent, { input });
    const shown = await approvalOf(approval);
    expect(shown.sentence).to.match(counted);
    expect(shown).not.to.have.property('declared');
    const item = (
      await agent.post('/items', { inbox: 'mail', title: 'Help', record: { resource: 'order', id: record } })
    ).body.item.id;
    const operation = { type: 'action', action: 'refund', input, confirmed: true };
    const bulk = (await agent.post('/bulk', { ids: [item], operation })).body.approval as string;
    const { sentence } = await approvalOf(bulk);
    expect(sentence).to.match(counted);
    for (const id of [approval, bulk]) await agent.post(`/approvals/${id}/cancel`);
  });

  it('names the item and says what is left out, to who sees them, wherever requests are read', async () => {
    const item = (await agent.post('/items', { inbox: 'mail', title: 'Give 12.15 back' })).body.item.id;
    const { approval } = await ask(await order(), agent, { item, input: { why: 'Late' } });
    const told = { itemTitle: 'Give 12.15 back', leftOut: { amount: 'Absent: all of it.' } };
    expect(await approvalOf(approval)).to.deep.include(told);
    const { approvals } = (await person.get('/approvals')).body;
    expect(approvals.find(({ id }: { id: string }) => id === approval)).to.deep.include(told);
    await world.role('mover', clerk);
    const boss = await world.person('admin', 'Eva Roth', { fresh: true });
    const mover = await world.agent('mover');
    const own = await ask(await order(), mover, { item, input: { why: 'Late' } });
    expect(await approvalOf(own.approval, mover)).to.deep.include(told);
    const agents = `/settings/agents/${mover.id}`;
    await world.role('elsewhere', [{ on: 'inbox:refunds', can: ['see'] }]);
    const moved = await boss.call('PATCH', agents, { role: 'elsewhere' });
    expect(moved.status, moved.text).to.equal(200);
    await until('the role holds', async () => (await approvalOf(own.approval, mover)).item === null);
    expect(await approvalOf(own.approval, mover)).to.include({ itemTitle: null, leftOut: null });
    await agent.post(`/approvals/${approval}/cancel`);
    expect(await approvalOf(approval)).to.deep.include(told);
    const whole = await ask(await order(), agent, { input: { amount: 5, why: 'Late' } });
    expect(await approvalOf(whole.approval)).to.include({ itemTitle: null, leftOut: null });
    await agent.post(`/approvals/${whole.approval}/cancel`);
  });

  it('lists what one principal has asked for, to others as far as they see it, and by status', async () => {
    const other = await world.agent('clerk');
    const mine = (await ask(await order())).approval;
    const [first, second] = [(await ask(await order(), other)).approval, (await ask(await order(), other)).approval];
    expect((await person.post(`/approvals/${first}/reject`)).status).to.equal(200);
    const idsOf = async (client: Client, query: string): Promise<string[]> => {
      const { status, body, text } = await client.get(`/approvals?${query}`);
      expect(status, text).to.equal(200);
      return (body.approvals as { id: string }[]).map(({ id }) => id);
    };
    expect(await idsOf(person, `requestedBy=${other.id}`)).to.deep.equal([second]);
    expect(await idsOf(person, `requestedBy=${other.id}&status=rejected&fields=id`)).to.deep.equal([first]);
    expect(await idsOf(person, 'requestedBy=agt_01jd0000000000000000000000')).to.deep.equal([]);
    expect(await idsOf(agent, `requestedBy=${other.id}`), 'not theirs to see').to.deep.equal([]);
    expect(await idsOf(other, `requestedBy=${other.id}`)).to.deep.equal([second]);
    const { cursor } = (await person.get('/approvals?limit=1')).body;
    expect(codeOf(await person.get(`/approvals?requestedBy=${other.id}&cursor=${String(cursor)}`))).to.equal(
      '400 bad_cursor',
    );
    for (const [client, id] of [
      [agent, mine],
      [other, second],
    ] as const)
      await client.post(`/approvals/${id}/cancel`);
  });

  it('does what was asked for under the name of who asked, once a person approves, and says who decided', async () => {
    const item = (await agent.post('/items', { inbox: 'mail', title: 'Refund me' })).body.item.id;
    const { approval, run } = await ask(await order(), agent, { item, reason: 'Paid twice.' });
    const reply = await person.post(`/approvals/${approval}/approve`, { note: 'Fine.' });
    expect(reply.status, reply.text).to.equal(200);
    expect(reply.body).to.deep.include({ run, flag: null, bulk: null, item: null });
    expect(reply.body.approval).to.deep.include({ status: 'approved', note: 'Fine.' });
    expect(reply.body.approval.decidedBy).to.deep.include({ type: 'person', id: person.id });
    await until('it has run', async () => (await runOf(run)).status === 'succeeded');
    const told = ran.find((call) => call.run === run);
    expect([told?.actor.id, told?.reason]).to.deep.equal([agent.id, 'Paid twice.']);
    expect(told?.approvedBy).to.deep.include({ type: 'person', id: person.id });
    expect((await runOf(run)).approvedBy).to.deep.include({ id: person.id });
    const { timeline } = (await agent.get(`/items/${String(item)}`)).body;
    const { requestedAt, decidedAt } = await approvalOf(approval);
    expect(timeline.find((entry: { type: string }) => entry.type === 'approval').data).to.deep.include({
      approval,
      kind: 'action',
      action: 'refund',
      label: 'Refund',
      status: 'approved',
      decidedAt,
      note: 'Fine.',
    });
    const { data } = timeline.find((entry: { type: string }) => entry.type === 'action');
    expect(data).to.include({ run, status: 'succeeded', finishedAt: (await runOf(run)).finishedAt });
    expect(data.approvedAt).to.be.within(requestedAt, data.finishedAt);
    expect(data.approvedBy).to.deep.include({ type: 'person', id: person.id });
    expect(codeOf(await person.post(`/approvals/${approval}/approve`))).to.equal('409 already_decided');
    expect((await person.post(`/approvals/${approval}/reject`)).body.approval).to.include({
      id: approval,
      status: 'approved',
    });
    expect(calls(run)).to.equal(1);
  });

  it('are not ended by cancelling the run, but by who asked for it', async () => {
    const { approval, run } = await ask(await order());
    for (const other of [await world.agent('clerk'), await world.agent('admin'), person])
      expect(codeOf(await other.post(`/runs/${run}/cancel`))).to.equal('403 forbidden');
    expect(await approvalOf(approval)).to.include({ status: 'pending' });
    expect((await agent.post(`/runs/${run}/cancel`)).body.run.status).to.equal('cancelled');
    expect(await approvalOf(approval)).to.include({ status: 'cancelled' });
  });

  it('tell the requester why they were rejected, in a note or in a reason', async () => {
    for (const said of [{ note: 'Ask finance first.' }, { reason: 'Ask finance first.' }]) {
      const { approval, run } = await ask(await order());
      const rejected = await person.post(`/approvals/${approval}/reject`, said);
      expect(rejected.body.approval, JSON.stringify(said)).to.include({
        status: 'rejected',
        note: 'Ask finance first.',
      });
      expect((await agent.get(`/approvals/${approval}`)).body.approval.note).to.equal('Ask finance first.');
      const { name } = rejected.body.approval.decidedBy as { readonly name: string };
      expect((await agent.get(`/runs/${run}`)).body.run.error).to.equal(`Rejected by ${name}: Ask finance first.`);
    }
  });

  describe('of flags', () => {
    const change = async (wanted: object, flag = 'beta'): Promise<string> =>
      (await agent.post(`/flags/${flag}`, { change: wanted })).body.approval;

    it('show the flag before and now', async () => {
      const approval = await change({ value: true }, 'shown');
      expect((await approvalOf(approval)).before).to.include({ flag: 'shown', value: false });
      expect((await approvalOf(approval)).now).to.include({ flag: 'shown', value: false });
      const reply = await person.post(`/approvals/${approval}/approve`);
      expect(reply.body.flag, reply.text).to.include({ flag: 'shown', value: true });
      expect((await approvalOf(approval)).before).to.include({ value: false });
      expect((await approvalOf(approval)).now).to.include({ value: true });
      expect(
        (await person.get('/approvals?status=approved')).body.approvals.find(
          ({ id }: { id: string }) => id === approval,
        ).now,
      ).to.include({ value: true });
    });

    it('expire after the time that the operator has set, as do others after 72 hours', async () => {
      const openFor = async (approval: string): Promise<number> =>
        (({ requestedAt, expiresAt }: Record<string, number>) => Number(expiresAt) - Number(requestedAt))(
          await approvalOf(approval),
        );
      expect(await openFor(await change({ rollout: 5 }))).to.equal(86_400_000);
      expect(await openFor((await ask(await order())).approval)).to.equal(72 * 3_600_000);
    });

    it('show targets only to those who see their resource', async () => {
      await world.role('blind', [
        { on: 'flag:*', can: ['see'] },
        { on: 'approvals', can: ['decide'] },
      ]);
      const blind = await world.person('blind');
      await person.post(`/approvals/${await change({ targets: { o_known: true } })}/approve`);
      const approval = await change({ value: true, targets: { o_asked: true } });
      expect((await approvalOf(approval)).change.targets).to.deep.equal({ o_asked: true });
      const replies = [
        await blind.get(`/approvals/${approval}`),
        await blind.get('/approvals'),
        await blind.post(`/approvals/${approval}/approve`),
        await blind.post(`/approvals/${approval}/approve`),
      ];
      expect(replies.map(({ status }) => status)).to.deep.equal([200, 200, 200, 409]);
      for (const { text } of replies) expect(text).not.to.match(/o_known|o_asked/);
      expect(replies[0]?.body.approval.change).to.deep.equal({ value: true, targets: {} });
      expect((await person.get('/flags/beta')).body.flag.targets).to.deep.equal({ o_asked: true, o_known: true });
    });
  });

  it('answers the same request by the same principal while one is pending with that one, in whatever order its members come', async () => {
    const record = await order();
    const { approval } = await ask(record, agent, { input: { amount: 5, note: { a: 1, b: 2 } } });
    expect((await ask(record, agent, { input: { note: { b: 2, a: 1 }, amount: 5 } })).approval).to.equal(approval);
    expect((await ask(record, agent, { input: { amount: 5, note: { a: 2, b: 1 } } })).approval).not.to.equal(approval);
    expect((await ask(record, person, { input: { amount: 5, note: { a: 1, b: 2 } } })).approval).not.to.equal(approval);
  });

  it('lets only persons decide who may, and nobody their own request', async () => {
    const { approval } = await ask(await order());
    expect(codeOf(await agent.post(`/approvals/${approval}/approve`))).to.equal('403 person_required');
    expect(codeOf(await (await world.agent('admin')).post('/approvals/apr_none/approve'))).to.equal(
      '403 person_required',
    );
    expect(codeOf(await key.post(`/approvals/${approval}/approve`))).to.equal('403 forbidden');
    expect(codeOf(await (await world.person('viewer')).post(`/approvals/${approval}/approve`))).to.equal(
      '403 forbidden',
    );
    expect(codeOf(await person.post('/approvals/apr_none/approve'))).to.equal('404 not_found');
    expect(codeOf(await person.post(`/approvals/${approval}/approve`, { payload: {} }))).to.equal('400 invalid');
    const own = await ask(await order(), person);
    expect(codeOf(await person.post(`/approvals/${own.approval}/approve`))).to.equal('403 forbidden');
    expect(codeOf(await person.post(`/approvals/${own.approval}/reject`))).to.equal('403 forbidden');
    expect((await (await world.person('operator', 'Bo')).post(`/approvals/${own.approval}/approve`)).status).to.equal(
      200,
    );
  });

  it('lets exactly one of many decisions at once hold, with its effect once or not at all', async function () {
    // APPROVAL_ROUNDS and APPROVAL_DECISIONS make it a long one.
    const rounds = Number(process.env['APPROVAL_ROUNDS'] ?? 10);
    const each = Number(process.env['APPROVAL_DECISIONS'] ?? 200) / 8;
    this.timeout(180_000 + rounds * 5_000);
    const others = await Promise.all(
      Array.from({ length: 4 }, (_, i) => world.person('operator', `Decider ${String(i)}`)),
    );
    for (let round = 0; round < rounds; round++) {
      const { approval, run } = await ask(await order());
      const decisions = await Promise.all(
        Array.from({ length: each }, () => others)
          .flat()
          .flatMap((one) => ['approve', 'reject'].map((verb) => one.post(`/approvals/${approval}/${verb}`))),
      );
      expect(decisions.filter(({ status }) => status === 200)).to.have.length(1);
      expect(decisions.filter((reply) => codeOf(reply) === '409 already_decided')).to.have.length(decisions.length - 1);
      const { status } = await approvalOf(approval);
      await until(
        'the run has ended',
        async () => !['pending', 'queued', 'running'].includes((await runOf(run)).status),
      );
      expect((await runOf(run)).status).to.equal(status === 'approved' ? 'succeeded' : 'rejected');
      expect(calls(run)).to.equal(status === 'approved' ? 1 : 0);
    }
  });

  it('is stale when what was asked for does not fit any more, and does nothing then', async () => {
    const record = await order();
    const changed = await ask(record);
    await world.sql(`update records set fields = '{"status":"open"}' where id = $1`, [record]);
    const reply = await person.post(`/approvals/${changed.approval}/approve`);
    expect(codeOf(reply)).to.equal('409 stale');
    expect(reply.body.details).to.have.length.above(0);
    expect(await approvalOf(changed.approval)).to.include({ status: 'stale' });
    expect(await runOf(changed.run)).to.include({ status: 'failed' });
    expect(codeOf(await person.post(`/approvals/${changed.approval}/approve`))).to.equal('409 already_decided');

    const passing = await world.agent('clerk');
    const lost = await ask(await order(), passing);
    await world.sql('update agents set revoked_at = 1 where id = $1', [passing.id]);
    await world.sql('update revisions set n = n + 1');
    expect(codeOf(await person.post(`/approvals/${lost.approval}/approve`))).to.equal('409 stale');
    const gone = await ask(await order());
    await world.sql('delete from records where id = $1', [`o${String(n)}`]);
    expect(codeOf(await person.post(`/approvals/${gone.approval}/approve`))).to.equal('409 stale');
    expect([changed, lost, gone].map(({ run }) => calls(run))).to.deep.equal([0, 0, 0]);
  });

  it('is stale once: the loser of two decisions is told that it is decided, with the approval', async () => {
    const second = await world.person('operator', 'Bo');
    for (let round = 0; round < 50; round++) {
      const record = await order();
      const { approval, run } = await ask(record);
      await world.sql(`update records set fields = '{"status":"open"}' where id = $1`, [record]);
      const decisions = await Promise.all(
        [person, second].map((client) => client.post(`/approvals/${approval}/approve`)),
      );
      expect(decisions.map(codeOf).sort(), `round ${String(round)}`).to.deep.equal([
        '409 already_decided',
        '409 stale',
      ]);
      const lost = decisions.find((reply) => reply.body.code === 'already_decided');
      expect(lost?.body.approval).to.include({ id: approval, status: 'stale' });
      expect(await runOf(run)).to.include({ status: 'failed' });
    }
  });

  it('is cancelled by who asked alone, and expires; the run ends with it', async () => {
    const first = await ask(await order());
    expect(codeOf(await person.post(`/approvals/${first.approval}/cancel`))).to.equal('403 forbidden');
    expect((await agent.post(`/approvals/${first.approval}/cancel`)).body.approval).to.include({ status: 'cancelled' });
    expect(await runOf(first.run)).to.include({ status: 'cancelled' });
    const second = await ask(await order());
    await world.sql('update approvals set expires_at = 1 where id = $1', [second.approval]);
    const late = await person.post(`/approvals/${second.approval}/approve`);
    expect(codeOf(late)).to.equal('409 already_decided');
    expect(late.body.approval).to.include({ status: 'expired' });
    await until('the run has expired too', async () => (await runOf(second.run)).status === 'expired');
    const last = await ask(await order());
    await world.sql('update approvals set expires_at = 1 where id = $1', [last.approval]);
    expect(codeOf(await agent.post(`/approvals/${last.approval}/cancel`))).to.equal('409 already_decided');
    const third = await ask(await order());
    expect((await agent.post(`/runs/${third.run}/cancel`)).status).to.equal(200);
    expect(await approvalOf(third.approval)).to.include({ status: 'cancelled' });
  });

  it('is asked for again when a run is to be run again', async () => {
    const { approval, run } = await ask(await order());
    app.handle('action.run', () => {
      throw rpcError(-32001, 'Not now.');
    });
    await person.post(`/approvals/${approval}/approve`);
    await until('it has failed', async () => (await runOf(run)).status === 'failed');
    expect(codeOf(await agent.post(`/runs/${run}/retry`))).to.equal('409 confirmation_required');
    const again = await agent.post(`/runs/${run}/retry`, { confirmed: true });
    expect(again.body).to.deep.include({ pending: true, run });
    expect(again.body.approval).not.to.equal(approval);
    app.handle('action.run', refund);
    expect((await person.post(`/approvals/${String(again.body.approval)}/approve`)).status).to.equal(200);
    await until('it has run', async () => (await runOf(run)).status === 'succeeded');
    expect(await runOf(run)).to.include({ attempt: 2, attempts: 2 });
  });

  it('is stale once its action is declared no more', async () => {
    const strict = await agent.post('/actions', { action: 'strict' });
    const less = { ...manifest, actions: manifest.actions.filter(({ name }) => name !== 'strict') };
    const newer = await connectApp(key, { manifest: less, startedAt: Date.now() });
    await until('the approval is stale', async () => (await approvalOf(strict.body.approval)).status === 'stale');
    await until(
      'its run has failed',
      async () =>
        (await world.sql<{ status: string }>('select status from runs where id = $1', [strict.body.run]))[0]?.status ===
        'failed',
    );
    await newer.close();
    const back = await connectApp(key, { manifest, startedAt: Date.now() });
    await back.close();
  });

  it('keeps a decision under an idempotency key', async () => {
    const { approval, run } = await ask(await order());
    const headers = { 'idempotency-key': `decide-${approval}` };
    const first = await person.post(`/approvals/${approval}/approve`, {}, { headers });
    const again = await person.post(`/approvals/${approval}/approve`, {}, { headers });
    expect([first.status, again.status]).to.deep.equal([200, 200]);
    expect(again.text).to.equal(first.text);
    await until('it has run', async () => (await runOf(run)).status === 'succeeded');
    expect(calls(run)).to.equal(1);
  });

  describe('supervised agents', () => {
    let supervised: Client;
    before(async () => {
      supervised = await world.agent('clerk', { mode: 'supervised' });
    });

    it('change nothing by themselves: each change waits for a person and is then made in their name', async () => {
      const { item } = (await agent.post('/items', { inbox: 'mail', title: 'Look at me' })).body;
      const calm: readonly [string, object, (now: Reply['body']) => void][] = [
        ['tags', { add: ['seen'] }, (now) => expect(now.tags).to.deep.equal(['seen'])],
        ['notes', { text: 'A note.' }, () => undefined],
        ['state', { state: 'waiting' }, (now) => expect(now.state).to.equal('waiting')],
        ['snooze', { until: Date.now() + 3_600_000 }, (now) => expect(now.snoozedUntil).to.be.a('number')],
        ['reply', { subject: 'Hello', text: 'There.' }, () => undefined],
        ['triage', { answers: { spam: 'no' } }, () => undefined],
      ];
      for (const [verb, body, check] of calm) {
        const before = (await agent.get(`/items/${String(item.id)}`)).body.item;
        const reply = await supervised.post(`/items/${String(item.id)}/${verb}`, body);
        expect(reply.status, `${verb}: ${reply.text}`).to.equal(202);
        expect(reply.body).to.deep.equal({ pending: true, approval: reply.body.approval });
        expect((await agent.get(`/items/${String(item.id)}`)).body.item, verb).to.deep.equal(before);
        const decided = await person.post(`/approvals/${String(reply.body.approval)}/approve`);
        expect(decided.status, decided.text).to.equal(200);
        check(decided.body.item);
      }
      const { timeline } = (await agent.get(`/items/${String(item.id)}`)).body;
      const note = timeline.find((entry: { type: string }) => entry.type === 'note');
      expect(note.actor).to.deep.include({ id: supervised.id });
      const created = await supervised.post('/items', { inbox: 'mail', title: 'New' });
      expect(created.status).to.equal(202);
      const made = (await person.post(`/approvals/${String(created.body.approval)}/approve`)).body;
      expect(made.item).to.include({ title: 'New', inbox: 'mail' });
      expect(made.approval.item).to.equal(made.item.id);
      expect(await approvalOf(created.body.approval, supervised)).to.include({ item: made.item.id });
    });

    it('have the decider named beside them in the audit log and on the timeline', async () => {
      const auditor = await world.agent('admin');
      const { item } = (await agent.post('/items', { inbox: 'mail', title: 'Look at me' })).body;
      const asked = [
        await supervised.post(`/items/${String(item.id)}/notes`, { text: 'Why?' }),
        await supervised.post('/items', { inbox: 'mail', title: 'Asked for' }),
      ];
      const made: Reply['body'][] = [];
      for (const { body } of asked)
        made.push((await person.post(`/approvals/${String(body.approval)}/approve`)).body.item);
      for (const { id } of made) {
        const [entry] = (await auditor.get(`/audit?target=${String(id)}&actor=${supervised.id}`)).body.entries;
        expect(entry.after.approvedBy).to.deep.include({ type: 'person', id: person.id });
        const { timeline } = (await auditor.get(`/items/${String(id)}`)).body;
        const [newest] = timeline.filter(({ type }: { type: string }) => type === 'note' || type === 'created');
        expect(newest.data.approvedBy).to.deep.equal(entry.after.approvedBy);
      }
    });

    it('hear at once what could not be done anyway, and that there is nothing to do', async () => {
      const { item } = (await agent.post('/items', { inbox: 'mail', title: 'Look at me' })).body;
      expect(codeOf(await supervised.post(`/items/${String(item.id)}/state`, { state: 'nosuch' }))).to.equal(
        '400 invalid',
      );
      expect(codeOf(await supervised.post('/items/itm_none/state', { state: 'open' }))).to.equal('404 not_found');
      expect((await supervised.post(`/items/${String(item.id)}/state`, { state: 'open' })).body.changed).to.equal(
        false,
      );
      expect(codeOf(await supervised.post('/items', { inbox: 'secret', title: 'New' }))).to.equal('404 not_found');
    });

    it('find their request stale when somebody was quicker', async () => {
      const { item } = (await agent.post('/items', { inbox: 'mail', title: 'Look at me' })).body;
      const { approval } = (await supervised.post(`/items/${String(item.id)}/state`, { state: 'closed' })).body;
      await agent.post(`/items/${String(item.id)}/state`, { state: 'waiting' });
      expect(codeOf(await person.post(`/approvals/${String(approval)}/approve`))).to.equal('409 stale');
      expect((await agent.get(`/items/${String(item.id)}`)).body.item.state).to.equal('waiting');
    });

    it('find their triage stale only when what it sets was changed', async () => {
      const people = [person, await world.person('operator', 'Bo')].map(({ id }) => id);
      const decide = async (triage: object, verb: string, body: object): Promise<string> => {
        const { item } = (await agent.post('/items', { inbox: 'mail', title: 'Look at me' })).body;
        const { approval } = (
          await supervised.post(`/items/${String(item.id)}/triage`, { answers: { spam: 'no' }, ...triage })
        ).body;
        expect((await agent.post(`/items/${String(item.id)}/${verb}`, body)).body.changed).to.equal(true);
        return codeOf(await person.post(`/approvals/${String(approval)}/approve`));
      };
      expect(await decide({ assignee: people[0] }, 'assign', { assignee: people[1] })).to.equal('409 stale');
      expect(await decide({ tags: ['a'] }, 'tags', { add: ['b'] })).to.equal('409 stale');
      expect(await decide({ close: true }, 'state', { state: 'waiting' })).to.equal('409 stale');
      expect(await decide({}, 'triage', { answers: { spam: 'yes' } })).to.equal('409 stale');
      expect(await decide({}, 'state', { state: 'waiting' })).to.equal('200 undefined');
    });

    it('ask for any action and any bulk, which run once approved', async () => {
      const action = await supervised.post('/actions', { action: 'ping' });
      expect(action.body).to.deep.include({ pending: true });
      await person.post(`/approvals/${String(action.body.approval)}/approve`);
      await until(
        'it has run',
        async () => (await supervised.get(`/runs/${String(action.body.run)}`)).body.run.status === 'succeeded',
      );
      const ids = (
        await Promise.all([1, 2, 3].map(() => agent.post('/items', { inbox: 'mail', title: 'Bulk me' })))
      ).map((reply) => reply.body.item.id);
      const bulk = await supervised.post('/bulk', { ids, operation: { type: 'tags', add: ['bulk'], remove: [] } });
      expect(bulk.body).to.deep.include({ pending: true });
      const decided = await person.post(`/approvals/${String(bulk.body.approval)}/approve`);
      expect(decided.body.bulk, decided.text).to.include({ id: bulk.body.bulk.id, status: 'queued' });
      await until(
        'the bulk is done',
        async () => (await supervised.get(`/bulk/${String(bulk.body.bulk.id)}`)).body.bulk.status === 'done',
      );
      expect((await supervised.get(`/bulk/${String(bulk.body.bulk.id)}`)).body.bulk).to.include({
        changed: 3,
        failed: 0,
      });
      const undo = await supervised.post(`/bulk/${String(bulk.body.bulk.id)}/undo`);
      expect(undo.body, undo.text).to.deep.include({ pending: true });
      expect((await supervised.post(`/bulk/${String(bulk.body.bulk.id)}/undo`)).body.approval).to.equal(
        undo.body.approval,
      );
      expect((await person.post(`/approvals/${String(undo.body.approval)}/approve`)).body.bulk).to.include({
        id: undo.body.bulk.id,
        status: 'queued',
      });
      await until(
        'it is undone',
        async () => (await supervised.get(`/bulk/${String(undo.body.bulk.id)}`)).body.bulk.status === 'done',
      );
      expect((await agent.get(`/items/${String(ids[0])}`)).body.item.tags).to.deep.equal([]);
      const rejected = await supervised.post('/bulk', { ids, operation: { type: 'tags', add: ['never'], remove: [] } });
      expect((await person.post(`/approvals/${String(rejected.body.approval)}/reject`)).status).to.equal(200);
      expect((await supervised.get(`/bulk/${String(rejected.body.bulk.id)}`)).body.bulk).to.include({
        status: 'cancelled',
        failed: 3,
      });
    });
  });

  it('queues what is approved while the app is offline, and leaves pending what is not to be queued', async () => {
    const strict = await agent.post('/actions', { action: 'strict' });
    await app.close();
    await until('the app is offline', async () => (await world.sql('select 1 from app_connections')).length === 0);
    const { approval, run } = await ask(await order());
    expect((await person.post(`/approvals/${approval}/approve`)).status).to.equal(200);
    expect(await runOf(run)).to.include({ status: 'queued' });
    expect(codeOf(await person.post(`/approvals/${String(strict.body.approval)}/approve`))).to.equal('503 app_offline');
    expect(await approvalOf(strict.body.approval)).to.include({ status: 'pending' });
    app = await connectApp(key, { manifest, handlers: { 'action.run': refund } });
    await until('it has run', async () => (await runOf(run)).status === 'succeeded');
    expect(calls(run)).to.equal(1);
  });

  it('carries the stream’s offset, as it shows items and flags as they are', async () => {
    const { approval } = (await agent.post('/flags/beta', { change: { rollout: 7 } })).body;
    const other = (await agent.post('/flags/beta', { change: { rollout: 8 } })).body.approval;
    for (const reply of [
      await person.get('/approvals'),
      await person.get(`/approvals/${String(approval)}`),
      await agent.post(`/approvals/${String(other)}/cancel`),
      await person.post(`/approvals/${String(approval)}/approve`),
    ]) {
      expect(reply.status, reply.text).to.equal(200);
      expect(reply.headers.get('x-live-offset')).to.match(/^\S{20,}$/);
    }
  });
});
