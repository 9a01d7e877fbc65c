/** Decisions on approvals: by persons, exactly once, with everything checked at that moment. */
import { expect } from 'chai';
import { connectApp, rpcError } from '../support/app.ts';
import { until } from '../support/until.ts';
import { manifest, useApprovals } from './approvalsWorld.ts';

describe('http: approvals', () => {
  const here = useApprovals();
  const { ran, refund, connect, order, ask, codeOf, approvalOf, runOf, calls } = here;

  it('does what was asked for under the name of who asked, once a person approves, and says who decided', async () => {
    const item = (await here.agent.post('/items', { inbox: 'mail', title: 'Refund me' })).body.item.id;
    const { approval, run } = await ask(await order(), here.agent, { item, reason: 'Paid twice.' });
    const reply = await here.person.post(`/approvals/${approval}/approve`, { note: 'Fine.' });
    expect(reply.status, reply.text).to.equal(200);
    expect(reply.body).to.deep.include({ run, flag: null, bulk: null, item: null });
    expect(reply.body.approval).to.deep.include({ status: 'approved', note: 'Fine.' });
    expect(reply.body.approval.decidedBy).to.deep.include({ type: 'person', id: here.person.id });
    await until('it has run', async () => (await runOf(run)).status === 'succeeded');
    const told = ran.find((call) => call.run === run);
    expect([told?.actor.id, told?.reason]).to.deep.equal([here.agent.id, 'Paid twice.']);
    expect(told?.approvedBy).to.deep.include({ type: 'person', id: here.person.id });
    expect((await runOf(run)).approvedBy).to.deep.include({ id: here.person.id });
    const { timeline } = (await here.agent.get(`/items/${String(item)}`)).body;
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
    expect(data.approvedBy).to.deep.include({ type: 'person', id: here.person.id });
    expect(codeOf(await here.person.post(`/approvals/${approval}/approve`))).to.equal('409 already_decided');
    expect((await here.person.post(`/approvals/${approval}/reject`)).body.approval).to.include({
      id: approval,
      status: 'approved',
    });
    expect(calls(run)).to.equal(1);
  });

  it('tell the requester why they were rejected, in a note or in a reason', async () => {
    for (const said of [{ note: 'Ask finance first.' }, { reason: 'Ask finance first.' }]) {
      const { approval, run } = await ask(await order());
      const rejected = await here.person.post(`/approvals/${approval}/reject`, said);
      expect(rejected.body.approval, JSON.stringify(said)).to.include({
        status: 'rejected',
        note: 'Ask finance first.',
      });
      expect((await here.agent.get(`/approvals/${approval}`)).body.approval.note).to.equal('Ask finance first.');
      const { name } = rejected.body.approval.decidedBy as { readonly name: string };
      expect((await here.agent.get(`/runs/${run}`)).body.run.error).to.equal(`Rejected by ${name}: Ask finance first.`);
    }
  });

  it('lets only persons decide who may, and nobody their own request', async () => {
    const { approval } = await ask(await order());
    expect(codeOf(await here.agent.post(`/approvals/${approval}/approve`))).to.equal('403 person_required');
    expect(codeOf(await (await here.world.agent('admin')).post('/approvals/apr_none/approve'))).to.equal(
      '403 person_required',
    );
    expect(codeOf(await here.key.post(`/approvals/${approval}/approve`))).to.equal('403 forbidden');
    expect(codeOf(await (await here.world.person('viewer')).post(`/approvals/${approval}/approve`))).to.equal(
      '403 forbidden',
    );
    expect(codeOf(await here.person.post('/approvals/apr_none/approve'))).to.equal('404 not_found');
    expect(codeOf(await here.person.post(`/approvals/${approval}/approve`, { payload: {} }))).to.equal('400 invalid');
    const own = await ask(await order(), here.person);
    expect(codeOf(await here.person.post(`/approvals/${own.approval}/approve`))).to.equal('403 forbidden');
    expect(codeOf(await here.person.post(`/approvals/${own.approval}/reject`))).to.equal('403 forbidden');
    expect(
      (await (await here.world.person('operator', 'Bo')).post(`/approvals/${own.approval}/approve`)).status,
    ).to.equal(200);
  });

  it('lets exactly one of many decisions at once hold, with its effect once or not at all', async function () {
    // APPROVAL_ROUNDS and APPROVAL_DECISIONS make it a long one.
    const rounds = Number(process.env['APPROVAL_ROUNDS'] ?? 10);
    const each = Number(process.env['APPROVAL_DECISIONS'] ?? 200) / 8;
    this.timeout(180_000 + rounds * 5_000);
    const others = await Promise.all(
      Array.from({ length: 4 }, (_, i) => here.world.person('operator', `Decider ${String(i)}`)),
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
    await here.world.sql(`update records set fields = '{"status":"open"}' where id = $1`, [record]);
    const reply = await here.person.post(`/approvals/${changed.approval}/approve`);
    expect(codeOf(reply)).to.equal('409 stale');
    expect(reply.body.details).to.have.length.above(0);
    expect(await approvalOf(changed.approval)).to.include({ status: 'stale' });
    expect(await runOf(changed.run)).to.include({ status: 'failed' });
    expect(codeOf(await here.person.post(`/approvals/${changed.approval}/approve`))).to.equal('409 already_decided');

    const passing = await here.world.agent('clerk');
    const lost = await ask(await order(), passing);
    await here.world.sql('update agents set revoked_at = 1 where id = $1', [passing.id]);
    await here.world.sql('update revisions set n = n + 1');
    expect(codeOf(await here.person.post(`/approvals/${lost.approval}/approve`))).to.equal('409 stale');
    const goes = await order();
    const gone = await ask(goes);
    await here.world.sql('delete from records where id = $1', [goes]);
    expect(codeOf(await here.person.post(`/approvals/${gone.approval}/approve`))).to.equal('409 stale');
    expect([changed, lost, gone].map(({ run }) => calls(run))).to.deep.equal([0, 0, 0]);
  });

  it('is stale once: the loser of two decisions is told that it is decided, with the approval', async () => {
    const second = await here.world.person('operator', 'Bo');
    for (let round = 0; round < 50; round++) {
      const record = await order();
      const { approval, run } = await ask(record);
      await here.world.sql(`update records set fields = '{"status":"open"}' where id = $1`, [record]);
      const decisions = await Promise.all(
        [here.person, second].map((client) => client.post(`/approvals/${approval}/approve`)),
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
    expect(codeOf(await here.person.post(`/approvals/${first.approval}/cancel`))).to.equal('403 forbidden');
    expect((await here.agent.post(`/approvals/${first.approval}/cancel`)).body.approval).to.include({
      status: 'cancelled',
    });
    expect(await runOf(first.run)).to.include({ status: 'cancelled' });
    const second = await ask(await order());
    await here.world.sql('update approvals set expires_at = 1 where id = $1', [second.approval]);
    const late = await here.person.post(`/approvals/${second.approval}/approve`);
    expect(codeOf(late)).to.equal('409 already_decided');
    expect(late.body.approval).to.include({ status: 'expired' });
    await until('the run has expired too', async () => (await runOf(second.run)).status === 'expired');
    const last = await ask(await order());
    await here.world.sql('update approvals set expires_at = 1 where id = $1', [last.approval]);
    expect(codeOf(await here.agent.post(`/approvals/${last.approval}/cancel`))).to.equal('409 already_decided');
    const third = await ask(await order());
    expect((await here.agent.post(`/runs/${third.run}/cancel`)).status).to.equal(200);
    expect(await approvalOf(third.approval)).to.include({ status: 'cancelled' });
  });

  it('is asked for again when a run is to be run again', async () => {
    const { approval, run } = await ask(await order());
    here.app.handle('action.run', () => {
      throw rpcError(-32001, 'Not now.');
    });
    await here.person.post(`/approvals/${approval}/approve`);
    await until('it has failed', async () => (await runOf(run)).status === 'failed');
    expect(codeOf(await here.agent.post(`/runs/${run}/retry`))).to.equal('409 confirmation_required');
    const again = await here.agent.post(`/runs/${run}/retry`, { confirmed: true });
    expect(again.body).to.deep.include({ pending: true, run });
    expect(again.body.approval).not.to.equal(approval);
    here.app.handle('action.run', refund);
    expect((await here.person.post(`/approvals/${String(again.body.approval)}/approve`)).status).to.equal(200);
    await until('it has run', async () => (await runOf(run)).status === 'succeeded');
    expect(await runOf(run)).to.include({ attempt: 2, attempts: 2 });
  });

  it('is stale once its action is declared no more', async () => {
    const strict = await here.agent.post('/actions', { action: 'strict' });
    const less = { ...manifest, actions: manifest.actions.filter(({ name }) => name !== 'strict') };
    const newer = await connectApp(here.key, { manifest: less, startedAt: Date.now() });
    await until('the approval is stale', async () => (await approvalOf(strict.body.approval)).status === 'stale');
    await until(
      'its run has failed',
      async () =>
        (await here.world.sql<{ status: string }>('select status from runs where id = $1', [strict.body.run]))[0]
          ?.status === 'failed',
    );
    await newer.close();
    const back = await connectApp(here.key, { manifest, startedAt: Date.now() });
    await back.close();
  });

  it('keeps a decision under an idempotency key', async () => {
    const { approval, run } = await ask(await order());
    const headers = { 'idempotency-key': `decide-${approval}` };
    const first = await here.person.post(`/approvals/${approval}/approve`, {}, { headers });
    const again = await here.person.post(`/approvals/${approval}/approve`, {}, { headers });
    expect([first.status, again.status]).to.deep.equal([200, 200]);
    expect(again.text).to.equal(first.text);
    await until('it has run', async () => (await runOf(run)).status === 'succeeded');
    expect(calls(run)).to.equal(1);
  });

  it('queues what is approved while the app is offline, and leaves pending what is not to be queued', async () => {
    const strict = await here.agent.post('/actions', { action: 'strict' });
    await here.app.close();
    await until('the app is offline', async () => (await here.world.sql('select 1 from app_connections')).length === 0);
    const { approval, run } = await ask(await order());
    expect((await here.person.post(`/approvals/${approval}/approve`)).status).to.equal(200);
    expect(await runOf(run)).to.include({ status: 'queued' });
    expect(codeOf(await here.person.post(`/approvals/${String(strict.body.approval)}/approve`))).to.equal(
      '503 app_offline',
    );
    expect(await approvalOf(strict.body.approval)).to.include({ status: 'pending' });
    await connect();
    await until('it has run', async () => (await runOf(run)).status === 'succeeded');
    expect(calls(run)).to.equal(1);
  });
});
