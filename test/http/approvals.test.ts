/** Approvals as they are asked for: who may ask and see, what is shown, and what ends with the request. */
import { expect } from 'chai';
import type { Client } from '../support/http.ts';
import { until } from '../support/until.ts';
import { clerk, useApprovals } from './approvalsWorld.ts';

describe('http: approvals', () => {
  const here = useApprovals();
  const { order, ask, codeOf, approvalOf } = here;

  it('shows what is asked for, before and now, to who asked and to who may see approvals and the target', async () => {
    const record = await order();
    const { approval, run } = await ask(record, here.agent, { input: { amount: 5 } });
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
    expect(shown.requestedBy).to.deep.include({ type: 'agent', id: here.agent.id });
    expect(shown.before.fields).to.deep.equal({ status: 'paid' });
    await here.world.sql(`update records set fields = '{"status":"paid","note":"x"}' where id = $1`, [record]);
    expect((await approvalOf(approval)).now.fields).to.deep.equal({ status: 'paid', note: 'x' });
    expect((await here.agent.get('/approvals')).body.approvals.map((entry: { id: string }) => entry.id)).to.include(
      approval,
    );
    expect(
      (await here.person.get('/approvals?status=pending')).body.approvals.map((entry: { id: string }) => entry.id),
    ).to.include(approval);
    expect((await (await here.world.agent('viewer')).get(`/approvals/${approval}`)).status).to.equal(404);
    expect((await (await here.world.agent('viewer')).get('/approvals')).body).to.deep.equal({
      approvals: [],
      cursor: null,
    });
    await here.agent.post(`/approvals/${approval}/cancel`);
  });

  it('says the declared members in its sentence, however many others are given', async () => {
    const flood = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`A${String(i + 10)}`, i]));
    const input = { ...flood, amount: 5_000 };
    const counted = /, with amount "5000", A10 "0", .*, A28 "18" and 1 more\.$/;
    const record = await order();
    const { approval } = await ask(record, here.agent, { input });
    const shown = await approvalOf(approval);
    expect(shown.sentence).to.match(counted);
    expect(shown).not.to.have.property('declared');
    const item = (
      await here.agent.post('/items', { inbox: 'mail', title: 'Help', record: { resource: 'order', id: record } })
    ).body.item.id;
    const operation = { type: 'action', action: 'refund', input, confirmed: true };
    const bulk = (await here.agent.post('/bulk', { ids: [item], operation })).body.approval as string;
    const { sentence } = await approvalOf(bulk);
    expect(sentence).to.match(counted);
    for (const id of [approval, bulk]) await here.agent.post(`/approvals/${id}/cancel`);
  });

  it('names the item and says what is left out, to who sees them, wherever requests are read', async () => {
    const item = (await here.agent.post('/items', { inbox: 'mail', title: 'Give 12.15 back' })).body.item.id;
    const { approval } = await ask(await order(), here.agent, { item, input: { why: 'Late' } });
    const told = { itemTitle: 'Give 12.15 back', leftOut: { amount: 'Absent: all of it.' } };
    expect(await approvalOf(approval)).to.deep.include(told);
    const { approvals } = (await here.person.get('/approvals')).body;
    expect(approvals.find(({ id }: { id: string }) => id === approval)).to.deep.include(told);
    await here.world.role('mover', clerk);
    const boss = await here.world.person('admin', 'Eva Roth', { fresh: true });
    const mover = await here.world.agent('mover');
    const own = await ask(await order(), mover, { item, input: { why: 'Late' } });
    expect(await approvalOf(own.approval, mover)).to.deep.include(told);
    const agents = `/settings/agents/${mover.id}`;
    await here.world.role('elsewhere', [{ on: 'inbox:refunds', can: ['see'] }]);
    const moved = await boss.call('PATCH', agents, { role: 'elsewhere' });
    expect(moved.status, moved.text).to.equal(200);
    await until('the role holds', async () => (await approvalOf(own.approval, mover)).item === null);
    expect(await approvalOf(own.approval, mover)).to.include({ itemTitle: null, leftOut: null });
    await here.agent.post(`/approvals/${approval}/cancel`);
    expect(await approvalOf(approval)).to.deep.include(told);
    const whole = await ask(await order(), here.agent, { input: { amount: 5, why: 'Late' } });
    expect(await approvalOf(whole.approval)).to.include({ itemTitle: null, leftOut: null });
    await here.agent.post(`/approvals/${whole.approval}/cancel`);
  });

  it('lists what one principal has asked for, to others as far as they see it, and by status', async () => {
    const other = await here.world.agent('clerk');
    const mine = (await ask(await order())).approval;
    const [first, second] = [(await ask(await order(), other)).approval, (await ask(await order(), other)).approval];
    expect((await here.person.post(`/approvals/${first}/reject`)).status).to.equal(200);
    const idsOf = async (client: Client, query: string): Promise<string[]> => {
      const { status, body, text } = await client.get(`/approvals?${query}`);
      expect(status, text).to.equal(200);
      return (body.approvals as { id: string }[]).map(({ id }) => id);
    };
    expect(await idsOf(here.person, `requestedBy=${other.id}`)).to.deep.equal([second]);
    expect(await idsOf(here.person, `requestedBy=${other.id}&status=rejected&fields=id`)).to.deep.equal([first]);
    expect(await idsOf(here.person, 'requestedBy=agt_01jd0000000000000000000000')).to.deep.equal([]);
    expect(await idsOf(here.agent, `requestedBy=${other.id}`), 'not theirs to see').to.deep.equal([]);
    expect(await idsOf(other, `requestedBy=${other.id}`)).to.deep.equal([second]);
    const { cursor } = (await here.person.get('/approvals?limit=1')).body;
    expect(codeOf(await here.person.get(`/approvals?requestedBy=${other.id}&cursor=${String(cursor)}`))).to.equal(
      '400 bad_cursor',
    );
    for (const [client, id] of [
      [here.agent, mine],
      [other, second],
    ] as const)
      await client.post(`/approvals/${id}/cancel`);
  });

  it('are not ended by cancelling the run, but by who asked for it', async () => {
    const { approval, run } = await ask(await order());
    for (const other of [await here.world.agent('clerk'), await here.world.agent('admin'), here.person])
      expect(codeOf(await other.post(`/runs/${run}/cancel`))).to.equal('403 forbidden');
    expect(await approvalOf(approval)).to.include({ status: 'pending' });
    expect((await here.agent.post(`/runs/${run}/cancel`)).body.run.status).to.equal('cancelled');
    expect(await approvalOf(approval)).to.include({ status: 'cancelled' });
  });

  describe('of flags', () => {
    const change = async (wanted: object, flag = 'beta'): Promise<string> =>
      (await here.agent.post(`/flags/${flag}`, { change: wanted })).body.approval;

    it('show the flag before and now', async () => {
      const approval = await change({ value: true }, 'shown');
      expect((await approvalOf(approval)).before).to.include({ flag: 'shown', value: false });
      expect((await approvalOf(approval)).now).to.include({ flag: 'shown', value: false });
      const reply = await here.person.post(`/approvals/${approval}/approve`);
      expect(reply.body.flag, reply.text).to.include({ flag: 'shown', value: true });
      expect((await approvalOf(approval)).before).to.include({ value: false });
      expect((await approvalOf(approval)).now).to.include({ value: true });
      expect(
        (await here.person.get('/approvals?status=approved')).body.approvals.find(
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
      await here.world.role('blind', [
        { on: 'flag:*', can: ['see'] },
        { on: 'approvals', can: ['decide'] },
      ]);
      const blind = await here.world.person('blind');
      await here.person.post(`/approvals/${await change({ targets: { o_known: true } })}/approve`);
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
      expect((await here.person.get('/flags/beta')).body.flag.targets).to.deep.equal({ o_asked: true, o_known: true });
    });
  });

  it('answers the same request by the same principal while one is pending with that one, in whatever order its members come', async () => {
    const record = await order();
    const { approval } = await ask(record, here.agent, { input: { amount: 5, note: { a: 1, b: 2 } } });
    expect((await ask(record, here.agent, { input: { note: { b: 2, a: 1 }, amount: 5 } })).approval).to.equal(approval);
    expect((await ask(record, here.agent, { input: { amount: 5, note: { a: 2, b: 1 } } })).approval).not.to.equal(
      approval,
    );
    expect((await ask(record, here.person, { input: { amount: 5, note: { a: 1, b: 2 } } })).approval).not.to.equal(
      approval,
    );
  });

  it('carries the stream’s offset, as it shows items and flags as they are', async () => {
    const { approval } = (await here.agent.post('/flags/beta', { change: { rollout: 7 } })).body;
    const other = (await here.agent.post('/flags/beta', { change: { rollout: 8 } })).body.approval;
    for (const reply of [
      await here.person.get('/approvals'),
      await here.person.get(`/approvals/${String(approval)}`),
      await here.agent.post(`/approvals/${String(other)}/cancel`),
      await here.person.post(`/approvals/${String(approval)}/approve`),
    ]) {
      expect(reply.status, reply.text).to.equal(200);
      expect(reply.headers.get('x-live-offset')).to.match(/^\S{20,}$/);
    }
  });
});
