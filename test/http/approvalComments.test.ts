/** Comments on approvals: what deciders and requesters ask each other before a decision. */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { until } from '../support/until.ts';
import { useApprovals } from './approvalsWorld.ts';

const unknown = 'apr_01jd0000000000000000000000';

describe('http: comments on approvals', () => {
  const here = useApprovals();
  const { order, ask, codeOf, approvalOf } = here;

  it('are read by whoever sees the request, the oldest first, while it waits and afterwards', async () => {
    const { approval } = await ask(await order());
    const asked = await here.person.post(`/approvals/${approval}/comments`, { text: 'Which payment?' });
    expect(asked.status, asked.text).to.equal(201);
    expect(asked.body.comment).to.deep.include({ text: 'Which payment?' });
    expect(asked.body.comment.id).to.match(/^cmt_/);
    expect(asked.body.comment.by).to.deep.include({ type: 'person', id: here.person.id });
    const said = await here.agent.post(`/approvals/${approval}/comments`, { text: 'The first one.' });
    const both = [asked.body.comment, said.body.comment];
    expect((await approvalOf(approval)).comments).to.deep.equal(both);
    expect((await approvalOf(approval, here.agent)).comments).to.deep.equal(both);
    expect((await here.person.get('/approvals')).body.approvals[0].comments).to.deep.equal(both);
    const decided = await here.person.post(`/approvals/${approval}/approve`);
    expect(decided.body.approval.comments).to.deep.equal(both);
    expect(codeOf(await here.agent.post(`/approvals/${approval}/comments`, { text: 'Thanks.' }))).to.equal(
      '409 already_decided',
    );
    expect((await approvalOf(approval)).comments).to.deep.equal(both);
  });

  it('are told live and audited, and change nothing that a digest stands for', async () => {
    const { approval } = await ask(await order());
    const { digest } = await approvalOf(approval);
    const { headers } = await here.person.get('/approvals');
    const from = headers.get('x-live-offset') ?? '';
    const { comment } = (await here.person.post(`/approvals/${approval}/comments`, { text: 'Why?' })).body;
    await until('it is told', async () => {
      const { changes } = (await here.agent.get(`/changes?after=${encodeURIComponent(from)}`)).body;
      return changes.some(
        ({ approval: told }: { approval?: Record<string, unknown> }) =>
          told?.['id'] === approval && isDeepStrictEqual(told['comments'], [comment]),
      );
    });
    expect((await approvalOf(approval)).digest).to.equal(digest);
    const admin = await here.world.agent('admin');
    const { entries } = (await admin.get(`/audit?target=${approval}&verb=approval.comment`)).body;
    expect(
      entries.map(({ actor, after }: { actor: { id: string }; after: object }) => [actor.id, after]),
    ).to.deep.equal([[here.person.id, { comment: comment.id, action: 'refund', resource: 'order' }]]);
  });

  it('need no approval of supervised agents, and are refused to read-only ones', async () => {
    const supervised = await here.world.agent('clerk', { mode: 'supervised' });
    const { approval } = (await supervised.post('/items', { inbox: 'mail', title: 'Asked' })).body;
    expect((await supervised.post(`/approvals/${String(approval)}/comments`, { text: 'Urgent.' })).status).to.equal(
      201,
    );
    const reader = await here.world.agent('admin', { mode: 'readonly' });
    expect(codeOf(await reader.post(`/approvals/${String(approval)}/comments`, { text: 'x' }))).to.equal(
      '403 forbidden',
    );
    expect(codeOf(await here.key.post(`/approvals/${String(approval)}/comments`, { text: 'x' }))).to.equal(
      '403 forbidden',
    );
    const stranger = await here.world.agent('clerk');
    const [foreign, none] = [
      await stranger.post(`/approvals/${String(approval)}/comments`, { text: 'x' }),
      await stranger.post(`/approvals/${unknown}/comments`, { text: 'x' }),
    ];
    expect([foreign.status, foreign.text]).to.deep.equal([404, none.text]);
    expect((await approvalOf(approval)).comments).to.have.length(1);
  });

  it('are a visible text of at most 2,000 characters, and at most 100 to a request', async () => {
    const { approval } = await ask(await order());
    const say = async (body: unknown) => here.person.post(`/approvals/${approval}/comments`, body);
    for (const body of [
      {},
      { text: '' },
      { text: ' \u200b' },
      { text: 'x'.repeat(2_001) },
      { text: 1 },
      { text: 'x', to: 'y' },
    ])
      expect(codeOf(await say(body)), JSON.stringify(body).slice(0, 40)).to.equal('400 invalid');
    const all = await Promise.all(Array.from({ length: 101 }, (_, i) => say({ text: `Comment ${String(i)}` })));
    expect(all.filter(({ status }) => status === 201)).to.have.length(100);
    expect(all.map(codeOf)).to.include('409 conflict');
    const { comments } = await approvalOf(approval);
    expect(new Set(comments.map(({ text }: { text: string }) => text)).size).to.equal(100);
  });

  it('are written once under an idempotency key, and show nothing to a requester who no longer sees the target', async () => {
    await here.world.role('losing', [
      { on: 'resource:order', can: ['see'] },
      { on: 'action:refund', can: ['run'] },
    ]);
    const losing = await here.world.agent('losing');
    const { approval } = await ask(await order(), losing);
    const headers = { 'idempotency-key': `said-${approval}` };
    const first = await here.person.post(`/approvals/${approval}/comments`, { text: 'Order o7?' }, { headers });
    const again = await here.person.post(`/approvals/${approval}/comments`, { text: 'Order o7?' }, { headers });
    expect(again.text).to.equal(first.text);
    expect((await approvalOf(approval, losing)).comments).to.deep.equal([first.body.comment]);
    await here.world.sql(`update roles set grants = '[]' where name = 'losing'`);
    await here.world.sql('update revisions set n = n + 1');
    await until('it is hidden', async () => (await approvalOf(approval, losing)).comments.length === 0);
  });
});
