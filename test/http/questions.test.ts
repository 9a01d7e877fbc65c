/** Questions of agents: people who see one choose an answer; nobody approves or rejects it. */
import { expect } from 'chai';
import { until } from '../support/until.ts';
import { useApprovals } from './approvalsWorld.ts';

const unknown = 'apr_01jd0000000000000000000000';

describe('http: questions', () => {
  const here = useApprovals();
  const { order, ask, codeOf, approvalOf } = here;
  let n = 0;
  const question = (more: object = {}): object => ({
    text: `Is the outage of ${String((n += 1))} o'clock over?`,
    options: ['Yes', 'No'],
    ...more,
  });
  const asking = async (more: object = {}, client = here.agent): Promise<string> => {
    const reply = await client.post('/questions', question(more));
    expect(reply.status, reply.text).to.equal(202);
    expect(Object.keys(reply.body)).to.deep.equal(['pending', 'approval']);
    return reply.body.approval;
  };
  const newItem = async (inbox: string): Promise<string> =>
    (await (await here.world.agent('admin')).post('/items', { inbox, title: 'Asked about' })).body.item.id;

  it('are answered by one of their options, once, and the item and the audit log say so', async () => {
    const item = await newItem('mail');
    const id = await asking({ item, fallback: 'No', reason: 'Customers ask.' });
    const asked = await approvalOf(id);
    expect(asked).to.deep.include({ kind: 'question', status: 'pending', answer: null, item, inbox: 'mail' });
    expect(asked.question).to.deep.include({ options: ['Yes', 'No'], fallback: 'No' });
    expect(asked).to.deep.include({ reason: 'Customers ask.', reversible: null, now: null, after: null });
    expect(asked.canDecide).to.deep.equal({ approve: false, why: 'This is a question; answer it.' });
    expect(asked.expiresAt - asked.requestedAt).to.equal(72 * 3_600_000);
    expect(codeOf(await here.person.post(`/approvals/${id}/answer`, { answer: 'Perhaps' }))).to.equal('400 invalid');
    const answered = await here.person.post(`/approvals/${id}/answer`, { answer: 'Yes' });
    expect(answered.status, answered.text).to.equal(200);
    expect(answered.body.approval).to.deep.include({ id, status: 'answered', answer: 'Yes' });
    expect(answered.body.approval.decidedBy).to.deep.include({ id: here.person.id });
    const late = await here.person.post(`/approvals/${id}/answer`, { answer: 'No' });
    expect(codeOf(late)).to.equal('409 already_decided');
    expect(late.body.approval).to.deep.include({ answer: 'Yes' });
    expect((await here.agent.get(`/approvals/${id}`)).body.approval).to.deep.include({ answer: 'Yes' });
    const { timeline } = (await here.agent.get(`/items/${item}`)).body;
    expect(timeline.find(({ type }: { type: string }) => type === 'approval').data).to.deep.include({
      approval: id,
      kind: 'question',
      question: asked.question.text,
      status: 'answered',
      answer: 'Yes',
    });
    const admin = await here.world.person('admin');
    const audited = (await admin.get(`/audit?target=${id}`)).body.entries as { verb: string; outcome: string }[];
    expect(audited.map(({ verb, outcome }) => `${verb} ${outcome}`)).to.deep.equal([
      'approval.answer failed',
      'approval.answer ok',
      'approval.request ok',
    ]);
  });

  it('are no requests to approve, reject or decide, and requests are not answered', async () => {
    const id = await asking();
    for (const verb of ['approve', 'reject'])
      expect(codeOf(await here.person.post(`/approvals/${id}/${verb}`))).to.equal('409 conflict');
    const { digest } = await approvalOf(id);
    const several = await here.person.post('/approvals/decide', { decisions: [{ id, digest }], verdict: 'approve' });
    expect(several.body.results[0]).to.deep.include({ id, outcome: 'conflict' });
    const { approval } = await ask(await order());
    expect(codeOf(await here.person.post(`/approvals/${approval}/answer`, { answer: 'Yes' }))).to.equal('409 conflict');
    expect(await approvalOf(id)).to.include({ status: 'pending' });
    expect((await here.agent.post(`/approvals/${id}/cancel`)).body.approval).to.include({ status: 'cancelled' });
  });

  it('are listed and counted apart from requests', async () => {
    const [id, { approval }] = [await asking(), await ask(await order())];
    const idsOf = async (query: string): Promise<string[]> =>
      (await here.person.get(`/approvals?limit=200${query}`)).body.approvals.map((each: { id: string }) => each.id);
    expect(await idsOf(''))
      .to.include(approval)
      .and.not.include(id);
    expect(await idsOf('&kind=question'))
      .to.include(id)
      .and.not.include(approval);
    expect(await idsOf('&kind=action'))
      .to.include(approval)
      .and.not.include(id);
    expect(codeOf(await here.person.get('/approvals?kind=nosuch'))).to.equal('400 invalid');
    const page = await here.person.get('/approvals?kind=question&limit=1');
    await asking();
    const more = await here.person.get('/approvals?kind=question&limit=1');
    const cursor = encodeURIComponent(String(more.body.cursor));
    expect(codeOf(await here.person.get(`/approvals?cursor=${cursor}`))).to.equal('400 bad_cursor');
    expect((await here.person.get(`/approvals?kind=question&limit=1&cursor=${cursor}`)).body.approvals).to.have.length(
      1,
    );
    expect(page.status).to.equal(200);
    const before = (await here.person.get('/counts')).body.approvals;
    await asking();
    expect((await here.person.get('/counts')).body.approvals).to.deep.equal({
      ...before,
      questions: before.questions + 1,
    });
  });

  it('expire with their fallback as the answer, and without one with none', async () => {
    const [some, none] = [await asking({ fallback: 'No' }), await asking()];
    const soon = await asking({ until: Date.now() + 1_000 });
    expect((await approvalOf(soon)).expiresAt).to.be.below((await approvalOf(none)).expiresAt);
    await here.world.sql('update approvals set expires_at = 1 where id = any($1)', [[some, none]]);
    expect(codeOf(await here.person.post(`/approvals/${some}/answer`, { answer: 'Yes' }))).to.equal(
      '409 already_decided',
    );
    expect(await approvalOf(some)).to.deep.include({ status: 'expired', answer: 'No', decidedBy: null });
    await until('it has expired', async () => (await approvalOf(none)).status === 'expired');
    expect(await approvalOf(none)).to.deep.include({ answer: null });
  });

  it('are asked by agents alone, supervised ones too, and answered by people alone', async () => {
    await asking({}, await here.world.agent('clerk', { mode: 'supervised' }));
    for (const client of [here.person, await here.world.agent('admin', { mode: 'readonly' }), here.key])
      expect(codeOf(await client.post('/questions', question()))).to.equal('403 forbidden');
    const id = await asking();
    expect(codeOf(await here.agent.post(`/approvals/${id}/answer`, { answer: 'Yes' }))).to.equal('403 person_required');
    expect(codeOf(await here.agent.post(`/approvals/${unknown}/answer`, { answer: 'Yes' }))).to.equal(
      '403 person_required',
    );
  });

  it('about what one does not see are as if there were none', async () => {
    const admin = await here.world.agent('admin');
    const hidden = await newItem('secret');
    const [foreign, none] = [
      await here.agent.post('/questions', question({ item: hidden, text: 'Same?' })),
      await here.agent.post('/questions', question({ item: 'itm_01jd0000000000000000000000', text: 'Same?' })),
    ];
    expect([foreign.status, foreign.text]).to.deep.equal([404, none.text]);
    const id = await asking({ item: hidden }, admin);
    await here.world.role('seer', [
      { on: 'approvals', can: ['see'] },
      { on: 'inbox:mail', can: ['see'] },
    ]);
    const seer = await here.world.person('seer');
    const answers = await Promise.all(
      [id, unknown].map((one) => seer.post(`/approvals/${one}/answer`, { answer: 'Yes' })),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal([404, 404]);
    expect(answers[0]?.text).to.equal(answers[1]?.text);
    expect((await seer.get('/approvals?kind=question')).text).not.to.include(id);
    expect((await seer.post(`/approvals/${await asking()}/answer`, { answer: 'Yes' })).status).to.equal(200);
  });

  it('have one to twenty options, a fallback among them, and a time to come', async () => {
    const now = Date.now();
    for (const more of [
      { options: [] },
      { options: ['Yes', 'Yes'] },
      { options: Array.from({ length: 21 }, (_, i) => String(i)) },
      { options: ['x'.repeat(201)] },
      { options: [' '] },
      { options: undefined },
      { fallback: 'Perhaps' },
      { until: now - 1 },
      { until: now + 31 * 24 * 3_600_000 },
      { text: '' },
      { answer: 'Yes' },
    ])
      expect(codeOf(await here.agent.post('/questions', question(more))), JSON.stringify(more)).to.equal('400 invalid');
  });

  it('wait at most a hundred of one agent, and the same one once', async () => {
    const curious = await here.world.agent('clerk');
    const same = { text: 'The same?', options: ['Yes'] };
    const [first, again] = [await curious.post('/questions', same), await curious.post('/questions', same)];
    expect(again.body).to.deep.equal(first.body);
    for (let i = 1; i < 80; i++) await asking({}, curious);
    const together = await Promise.all(Array.from({ length: 40 }, () => curious.post('/questions', question())));
    expect(
      together.filter(({ status }) => status === 202),
      'of 40 at once',
    ).to.have.length(20);
    const more = await curious.post('/questions', question());
    expect(codeOf(more)).to.equal('429 rate_limited');
    expect(more.headers.get('retry-after')).to.not.equal(null);
    expect(
      (await curious.post('/actions', { action: 'refund', record: await order(), confirmed: true })).status,
    ).to.equal(202);
    await here.person.post(`/approvals/${String(first.body.approval)}/answer`, { answer: 'Yes' });
    expect((await curious.post('/questions', question())).status).to.equal(202);
  });

  it('are answered once by many people at once, and what waits for the answer gets it', async () => {
    const people = await Promise.all(['Bo', 'Cy', 'Di'].map((name) => here.world.person('operator', name)));
    for (let round = 0; round < 10; round++) {
      const id = await asking();
      const waiting = here.agent.get(`/approvals/${id}?wait=20000`);
      const replies = await Promise.all(
        people.flatMap((one) => ['Yes', 'No'].map((answer) => one.post(`/approvals/${id}/answer`, { answer }))),
      );
      const [won, ...others] = replies.filter(({ status }) => status === 200);
      expect(others).to.deep.equal([]);
      expect(replies.filter((reply) => codeOf(reply) === '409 already_decided')).to.have.length(replies.length - 1);
      expect((await waiting).body.approval).to.deep.include({ status: 'answered', answer: won?.body.approval.answer });
    }
  });
});
