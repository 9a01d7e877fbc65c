/** Several approvals decided by one call: each for itself, as a call of its own would. */
import { expect } from 'chai';
import { until } from '../support/until.ts';
import { useApprovals } from './approvalsWorld.ts';

const unknown = 'apr_01jd0000000000000000000000';

interface Result {
  readonly id: string;
  readonly outcome: string;
  readonly error: string | null;
  readonly approval: { readonly id: string; readonly status: string; readonly note: string | null } | null;
}

describe('http: several approvals at once', () => {
  const here = useApprovals();
  const { order, ask, codeOf, approvalOf, runOf, calls } = here;

  const decisionOf = async (id: string): Promise<{ id: string; digest: string }> => ({
    id,
    digest: (await approvalOf(id)).digest,
  });
  const askFor = async (n: number): Promise<{ approval: string; run: string; record: string }[]> => {
    const asked = [];
    for (let i = 0; i < n; i++) {
      const record = await order();
      asked.push({ ...(await ask(record)), record });
    }
    return asked;
  };
  const outcomesOf = ({ body }: { readonly body: { readonly results: readonly Result[] } }): string[] =>
    body.results.map(({ outcome }) => outcome);

  it('approves each of them once, with the note, in the order in which they stand', async () => {
    const asked = await askFor(3);
    const decisions = await Promise.all(asked.map(({ approval }) => decisionOf(approval)));
    const reply = await here.person.post('/approvals/decide', { decisions, verdict: 'approve', note: 'Fine.' });
    expect(reply.status, reply.text).to.equal(200);
    const results: Result[] = reply.body.results;
    expect(results.map(({ id, outcome, error }) => [id, outcome, error])).to.deep.equal(
      asked.map(({ approval }) => [approval, 'approved', null]),
    );
    expect(results.every(({ approval }) => approval?.status === 'approved' && approval.note === 'Fine.')).to.equal(
      true,
    );
    for (const { run } of asked) {
      await until('it has run', async () => (await runOf(run)).status === 'succeeded');
      expect(calls(run)).to.equal(1);
    }
  });

  it('rejects several, whose runs end with it', async () => {
    const asked = await askFor(2);
    const decisions = await Promise.all(asked.map(({ approval }) => decisionOf(approval)));
    const reply = await here.person.post('/approvals/decide', { decisions, verdict: 'reject', reason: 'Twice.' });
    expect(outcomesOf(reply)).to.deep.equal(['rejected', 'rejected']);
    for (const { approval, run } of asked) {
      expect(await approvalOf(approval)).to.include({ status: 'rejected', note: 'Twice.' });
      expect(await runOf(run)).to.include({ status: 'rejected' });
    }
  });

  it('says of each why it was not decided, with the approval as it is, and decides the others', async () => {
    const asked = await askFor(4);
    const [decided, changed, outdated, fine] = asked;
    const decisions = await Promise.all(asked.map(({ approval }) => decisionOf(approval)));
    const own = await ask(await order(), here.person);
    await here.person.post(`/approvals/${String(decided?.approval)}/reject`);
    await here.world.sql(`update records set title = 'Other' where id = $1`, [changed?.record]);
    await here.world.sql(`update records set fields = '{"status":"open"}' where id = $1`, [outdated?.record]);
    const reply = await here.person.post('/approvals/decide', {
      decisions: [...decisions, decisions[3], await decisionOf(own.approval), { id: unknown, digest: 'x' }],
      verdict: 'approve',
    });
    expect(outcomesOf(reply)).to.deep.equal([
      'already_decided',
      'changed_since_seen',
      'stale',
      'approved',
      'already_decided',
      'forbidden',
      'not_found',
    ]);
    const results: Result[] = reply.body.results;
    expect(results.map(({ approval }) => approval?.status)).to.deep.equal([
      'rejected',
      'pending',
      'stale',
      'approved',
      'approved',
      'pending',
      undefined,
    ]);
    expect(results[1]?.approval).to.have.property('digest').that.is.a('string').and.not.equal(decisions[1]?.digest);
    expect(results.filter(({ error, outcome }) => (error === null) !== (outcome === 'approved'))).to.deep.equal([]);
    await until('it has run', async () => (await runOf(String(fine?.run))).status === 'succeeded');
    expect(asked.map(({ run }) => calls(run))).to.deep.equal([0, 0, 0, 1]);
    const audited = await here.world.sql<{ target: string; outcome: string }>(
      `select target, outcome from events where verb = 'approval.approve' and outcome <> 'ok' and target = any($1) order by id`,
      [[...asked.map(({ approval }) => approval), own.approval, unknown]],
    );
    expect(audited.map(({ target, outcome }) => [target, outcome])).to.deep.equal([
      [decided?.approval, 'failed'],
      [changed?.approval, 'failed'],
      [outdated?.approval, 'failed'],
      [fine?.approval, 'failed'],
      [own.approval, 'denied'],
      [unknown, 'denied'],
    ]);
  });

  it('leaves what may not be queued pending as a conflict while the app is offline', async () => {
    const { body } = await here.agent.post('/actions', { action: 'strict' });
    const decision = await decisionOf(body.approval);
    await here.app.close();
    await until('the app is offline', async () => (await here.world.sql('select 1 from app_connections')).length === 0);
    const reply = await here.person.post('/approvals/decide', { decisions: [decision], verdict: 'approve' });
    expect(outcomesOf(reply)).to.deep.equal(['conflict']);
    expect(reply.body.results[0].approval).to.include({ status: 'pending' });
    await here.connect();
  });

  it('shows one that the caller does not see like one that does not exist', async () => {
    const secret = (await here.world.agent('admin', { mode: 'supervised' })).post('/items', {
      inbox: 'secret',
      title: 'Hidden',
    });
    const { approval } = (await secret).body as { approval: string };
    await here.world.role('decider', [
      { on: 'approvals', can: ['*'] },
      { on: 'inbox:mail', can: ['*'] },
    ]);
    const decider = await here.world.person('decider');
    const results = await Promise.all(
      [approval, unknown].map(
        async (id) =>
          (await decider.post('/approvals/decide', { decisions: [{ id, digest: 'x' }], verdict: 'reject' })).text,
      ),
    );
    expect(results[0]?.replaceAll(approval, '-')).to.equal(results[1]?.replaceAll(unknown, '-'));
    expect(await approvalOf(approval)).to.include({ status: 'pending' });
  });

  it('is for persons who may decide, and takes 1 to 100 decisions with digests', async () => {
    const [asked] = await askFor(1);
    const decision = await decisionOf(String(asked?.approval));
    const body = { decisions: [decision], verdict: 'approve' };
    expect(codeOf(await here.agent.post('/approvals/decide', body))).to.equal('403 person_required');
    expect(codeOf(await (await here.world.person('viewer')).post('/approvals/decide', body))).to.equal('403 forbidden');
    for (const wrong of [
      { ...body, decisions: [] },
      { ...body, decisions: Array.from({ length: 101 }, () => decision) },
      { ...body, decisions: [{ id: decision.id }] },
      { ...body, decisions: [{ ...decision, note: 'x' }] },
      { ...body, verdict: 'cancel' },
      { decisions: [decision] },
    ])
      expect(codeOf(await here.person.post('/approvals/decide', wrong)), JSON.stringify(wrong)).to.equal('400 invalid');
    expect(await approvalOf(decision.id)).to.include({ status: 'pending' });
  });

  it('keeps its answer under an idempotency key, without what the caller no longer sees', async () => {
    await here.world.role('passing', [
      { on: 'approvals', can: ['*'] },
      { on: 'resource:order', can: ['see'] },
    ]);
    const passing = await here.world.person('passing');
    const [asked] = await askFor(1);
    const decision = {
      id: String(asked?.approval),
      digest: (await approvalOf(String(asked?.approval), passing)).digest,
    };
    const send = async () =>
      passing.post(
        '/approvals/decide',
        { decisions: [decision], verdict: 'approve' },
        { headers: { 'idempotency-key': `several-${decision.id}` } },
      );
    const first = await send();
    const again = await send();
    expect(outcomesOf(first)).to.deep.equal(['approved']);
    expect(again.text).to.equal(first.text);
    await here.world.sql(`update roles set grants = '[{"on":"approvals","can":["*"]}]' where name = 'passing'`);
    await here.world.sql('update revisions set n = n + 1');
    await until('the role has changed', async () => (await passing.get(`/approvals/${decision.id}`)).status === 404);
    expect((await send()).body.results[0]).to.include({ outcome: 'not_found', approval: null });
    expect(calls(String(asked?.run))).to.be.at.most(1);
  });

  it('decides each of a hundred once where two people decide all of them at once', async function () {
    this.timeout(120_000);
    const second = await here.world.person('operator', 'Bo');
    const asked = await askFor(100);
    const decisionsOf = async (client: typeof second) =>
      Promise.all(
        asked.map(async ({ approval }) => ({ id: approval, digest: (await approvalOf(approval, client)).digest })),
      );
    const [approving, rejecting] = [await decisionsOf(here.person), await decisionsOf(second)];
    const [approved, rejected] = await Promise.all([
      here.person.post('/approvals/decide', { decisions: approving, verdict: 'approve' }),
      second.post('/approvals/decide', { decisions: rejecting.toReversed(), verdict: 'reject' }),
    ]);
    const won = outcomesOf(approved);
    const lost = outcomesOf(rejected).toReversed();
    expect([...won, ...lost].filter((outcome) => outcome === 'already_decided')).to.have.length(asked.length);
    expect(won.filter((outcome, i) => (outcome === 'approved') === (lost[i] === 'rejected'))).to.deep.equal([]);
    for (const [i, { run }] of asked.entries()) {
      await until(
        'its run has ended',
        async () => !['pending', 'queued', 'running'].includes((await runOf(run)).status),
      );
      expect((await runOf(run)).status).to.equal(won[i] === 'approved' ? 'succeeded' : 'rejected');
    }
  });
});
