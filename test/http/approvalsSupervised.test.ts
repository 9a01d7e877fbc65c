/** Supervised agents over HTTP: each change that they ask for waits for a person and is then made in their name. */
import { expect } from 'chai';
import type { Client, Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { useApprovals } from './approvalsWorld.ts';

describe('http: approvals', () => {
  const here = useApprovals();
  const { codeOf, approvalOf } = here;

  describe('supervised agents', () => {
    let supervised: Client;
    before(async () => {
      supervised = await here.world.agent('clerk', { mode: 'supervised' });
    });

    it('change nothing by themselves: each change waits for a person and is then made in their name', async () => {
      const { item } = (await here.agent.post('/items', { inbox: 'mail', title: 'Look at me' })).body;
      const calm: readonly [string, object, (now: Reply['body']) => void][] = [
        ['tags', { add: ['seen'] }, (now) => expect(now.tags).to.deep.equal(['seen'])],
        ['notes', { text: 'A note.' }, () => undefined],
        ['state', { state: 'waiting' }, (now) => expect(now.state).to.equal('waiting')],
        ['snooze', { until: Date.now() + 3_600_000 }, (now) => expect(now.snoozedUntil).to.be.a('number')],
        ['reply', { subject: 'Hello', text: 'There.' }, () => undefined],
        ['triage', { answers: { spam: 'no' } }, () => undefined],
      ];
      for (const [verb, body, check] of calm) {
        const before = (await here.agent.get(`/items/${String(item.id)}`)).body.item;
        const reply = await supervised.post(`/items/${String(item.id)}/${verb}`, body);
        expect(reply.status, `${verb}: ${reply.text}`).to.equal(202);
        expect(reply.body).to.deep.equal({ pending: true, approval: reply.body.approval });
        expect((await here.agent.get(`/items/${String(item.id)}`)).body.item, verb).to.deep.equal(before);
        const decided = await here.person.post(`/approvals/${String(reply.body.approval)}/approve`);
        expect(decided.status, decided.text).to.equal(200);
        check(decided.body.item);
      }
      const { timeline } = (await here.agent.get(`/items/${String(item.id)}`)).body;
      const note = timeline.find((entry: { type: string }) => entry.type === 'note');
      expect(note.actor).to.deep.include({ id: supervised.id });
      const created = await supervised.post('/items', { inbox: 'mail', title: 'New' });
      expect(created.status).to.equal(202);
      const made = (await here.person.post(`/approvals/${String(created.body.approval)}/approve`)).body;
      expect(made.item).to.include({ title: 'New', inbox: 'mail' });
      expect(made.approval.item).to.equal(made.item.id);
      expect(await approvalOf(created.body.approval, supervised)).to.include({ item: made.item.id });
    });

    it('have the decider named beside them in the audit log and on the timeline', async () => {
      const auditor = await here.world.agent('admin');
      const { item } = (await here.agent.post('/items', { inbox: 'mail', title: 'Look at me' })).body;
      const asked = [
        await supervised.post(`/items/${String(item.id)}/notes`, { text: 'Why?' }),
        await supervised.post('/items', { inbox: 'mail', title: 'Asked for' }),
      ];
      const made: Reply['body'][] = [];
      for (const { body } of asked)
        made.push((await here.person.post(`/approvals/${String(body.approval)}/approve`)).body.item);
      for (const { id } of made) {
        const [entry] = (await auditor.get(`/audit?target=${String(id)}&actor=${supervised.id}`)).body.entries;
        expect(entry.after.approvedBy).to.deep.include({ type: 'person', id: here.person.id });
        const { timeline } = (await auditor.get(`/items/${String(id)}`)).body;
        const [newest] = timeline.filter(({ type }: { type: string }) => type === 'note' || type === 'created');
        expect(newest.data.approvedBy).to.deep.equal(entry.after.approvedBy);
      }
    });

    it('hear at once what could not be done anyway, and that there is nothing to do', async () => {
      const { item } = (await here.agent.post('/items', { inbox: 'mail', title: 'Look at me' })).body;
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
      const { item } = (await here.agent.post('/items', { inbox: 'mail', title: 'Look at me' })).body;
      const { approval } = (await supervised.post(`/items/${String(item.id)}/state`, { state: 'closed' })).body;
      await here.agent.post(`/items/${String(item.id)}/state`, { state: 'waiting' });
      expect(codeOf(await here.person.post(`/approvals/${String(approval)}/approve`))).to.equal('409 stale');
      expect((await here.agent.get(`/items/${String(item.id)}`)).body.item.state).to.equal('waiting');
    });

    it('find a reply, a change of state and an action on an item stale once another replied or changed its state', async () => {
      const other = await here.world.agent('clerk');
      const asks: Readonly<Record<string, (item: string) => Promise<Reply>>> = {
        reply: (item) => supervised.post(`/items/${item}/reply`, { text: 'Hello.' }),
        state: (item) => supervised.post(`/items/${item}/state`, { state: 'closed' }),
        update: (item) => supervised.call('PATCH', `/items/${item}`, { state: 'closed', note: 'Done.' }),
        ping: (item) => supervised.post('/actions', { action: 'ping', item }),
        tags: (item) => supervised.post(`/items/${item}/tags`, { add: ['seen'] }),
      };
      const meanwhile: Readonly<Record<string, (item: string) => Promise<Reply>>> = {
        'another replies': (item) => other.post(`/items/${item}/reply`, { text: 'Mine.' }),
        'a person changes the state there and back': async (item) => {
          await here.person.post(`/items/${item}/state`, { state: 'waiting' });
          return here.person.post(`/items/${item}/state`, { state: 'open' });
        },
        'another writes a note': (item) => other.post(`/items/${item}/notes`, { text: 'Mine.' }),
        'its own reply is approved': async (item) => {
          const { approval } = (await supervised.post(`/items/${item}/reply`, { text: 'Before.' })).body;
          return here.person.post(`/approvals/${String(approval)}/approve`);
        },
      };
      const got: Record<string, string[]> = {};
      for (const [name, ask] of Object.entries(asks))
        for (const [what, happen] of Object.entries(meanwhile)) {
          const { item } = (await here.agent.post('/items', { inbox: 'mail', title: `${name}: ${what}` })).body;
          // The requester knows the changes by others that came before the request.
          await other.post(`/items/${String(item.id)}/reply`, { text: 'Long ago.' });
          const { approval } = (await ask(String(item.id))).body;
          const done = await happen(String(item.id));
          expect(done.status, done.text).to.be.below(300);
          const decided = codeOf(await here.person.post(`/approvals/${String(approval)}/approve`));
          if (decided === '409 stale') (got[name] ??= []).push(what);
          else expect(decided, `${name}: ${what}`).to.equal('200 undefined');
        }
      const both = ['another replies', 'a person changes the state there and back'];
      expect(got).to.deep.equal({ reply: both, state: both, update: both, ping: both });
    });

    it('find their triage stale only when what it sets was changed', async () => {
      const people = [here.person, await here.world.person('operator', 'Bo')].map(({ id }) => id);
      const decide = async (triage: object, verb: string, body: object): Promise<string> => {
        const { item } = (await here.agent.post('/items', { inbox: 'mail', title: 'Look at me' })).body;
        const { approval } = (
          await supervised.post(`/items/${String(item.id)}/triage`, { answers: { spam: 'no' }, ...triage })
        ).body;
        expect((await here.agent.post(`/items/${String(item.id)}/${verb}`, body)).body.changed).to.equal(true);
        return codeOf(await here.person.post(`/approvals/${String(approval)}/approve`));
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
      await here.person.post(`/approvals/${String(action.body.approval)}/approve`);
      await until(
        'it has run',
        async () => (await supervised.get(`/runs/${String(action.body.run)}`)).body.run.status === 'succeeded',
      );
      const ids = (
        await Promise.all([1, 2, 3].map(() => here.agent.post('/items', { inbox: 'mail', title: 'Bulk me' })))
      ).map((reply) => reply.body.item.id);
      const bulk = await supervised.post('/bulk', { ids, operation: { type: 'tags', add: ['bulk'], remove: [] } });
      expect(bulk.body).to.deep.include({ pending: true });
      const decided = await here.person.post(`/approvals/${String(bulk.body.approval)}/approve`);
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
      expect((await here.person.post(`/approvals/${String(undo.body.approval)}/approve`)).body.bulk).to.include({
        id: undo.body.bulk.id,
        status: 'queued',
      });
      await until(
        'it is undone',
        async () => (await supervised.get(`/bulk/${String(undo.body.bulk.id)}`)).body.bulk.status === 'done',
      );
      expect((await here.agent.get(`/items/${String(ids[0])}`)).body.item.tags).to.deep.equal([]);
      const rejected = await supervised.post('/bulk', { ids, operation: { type: 'tags', add: ['never'], remove: [] } });
      expect((await here.person.post(`/approvals/${String(rejected.body.approval)}/reject`)).status).to.equal(200);
      expect((await supervised.get(`/bulk/${String(rejected.body.bulk.id)}`)).body.bulk).to.include({
        status: 'cancelled',
        failed: 3,
      });
    });
  });
});
