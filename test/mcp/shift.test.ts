/** An agent’s shift on the demo, with the customer’s app connected: within its budget of calls and bytes, and each step done. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDb } from '../../shared/platform/db/knex.ts';
import { withoutTimeLimits } from '../../shared/platform/db/sessionSettings.ts';
import { loadDemo } from '../../shared/tools/demo/loadDemo.ts';
import { openSample, type Sample } from '../sample-app/sample.ts';
import type { Client, Reply } from '../support/http.ts';
import { isIndexed, workShift, type Shift } from '../support/shift.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const callsMax = 60;
const bytesMax = 120_000;

describe('a shift', () => {
  const dir = mkdtempSync(join(tmpdir(), 'console-shift-'));
  let world: World;
  let sample: Sample | null = null;
  let shift: Shift;
  /** A person who may decide. */
  let person: Client;

  before(async () => {
    world = await newWorld();
    const db = openDb({
      url: world.config.migrateDatabaseUrl,
      poolSize: 2,
      applicationName: 'demo',
      settings: withoutTimeLimits,
    });
    const publicUrl = `http://127.0.0.1:${String(world.port)}`;
    const now = Date.now();
    const { access } = await loadDemo(db, { now, environment: 'shop', items: 1_500, publicUrl });
    await db.destroy();
    await world.deps.directory.refresh();
    const { baseUrl, agents, appKey } = access;
    // The demo has the records of an app that began now; they need not be sent once more.
    const lines = ['began', 'pushed'].map((kind) => JSON.stringify({ kind, at: now }));
    writeFileSync(join(dir, 'log.jsonl'), `${lines.join('\n')}\n`);
    const app = await openSample({ url: baseUrl, key: appKey, dir, onError: () => undefined });
    sample = app;
    await app.goOnline();
    person = world.elsewhere(await world.person('admin'), 'shop');
    await until('the app is online', () => app.online);
    const [loaded] = await world.sql<{ last: string }>('select max(id)::text as last from events');
    await until('what was loaded is indexed', () => isIndexed(world.sql, loaded?.last), 60_000);
    const approve = async (approval: string): Promise<void> => {
      const { status, text } = await person.post(`/approvals/${approval}/approve`, {});
      expect(status, text).to.equal(200);
    };
    shift = await workShift({ baseUrl, token: agents.operator }, { answers: 'text', approve });
    // The next step of the ramp waits for its hour.
    await until('the replies and the refund are done', async () => {
      const left = await world.sql(
        "select from staged_jobs where name in ('replySend', 'actionRun') and due_at is not null",
      );
      return left.length === 0;
    });
  });
  after(async () => {
    await sample?.stop();
    await world.close();
    rmSync(dir, { recursive: true });
  });

  const bodyOf = async (path: string): Promise<Reply['body']> => {
    const { status, text, body } = await person.get(path);
    expect(status, `${path}: ${text}`).to.equal(200);
    return body;
  };
  const entriesOf = async (item: string, type: string): Promise<Reply['body'][]> =>
    (await bodyOf(`/items/${item}`)).timeline.filter((entry: { type: string }) => entry.type === type);

  it('costs at most 60 calls and 120 KB of answers, the list of the tools and all that comes over HTTP included', () => {
    const { total, steps } = shift;
    expect(total.calls, JSON.stringify(steps)).to.be.at.most(callsMax);
    expect(total.wire, JSON.stringify(steps)).to.be.at.most(bytesMax);
  });

  it('has decided, tagged and assigned twenty items, and sent three answers', async () => {
    const { people } = await bodyOf('/people?q=Priya');
    expect(shift.triaged).to.have.length(20);
    for (const { id, state, tag } of shift.triaged) {
      const { item } = await bodyOf(`/items/${id}`);
      expect([item.state, item.assignee], id).to.deep.equal([state, people[0].id]);
      expect(item.tags).to.include(tag);
    }
    expect(new Set(shift.triaged.map(({ state }) => state))).to.deep.equal(new Set(['open', 'waiting', 'closed']));
    expect(shift.answered).to.have.length(3);
    for (const id of shift.answered) expect((await entriesOf(id, 'reply'))[0].data.status).to.equal('sent');
  });

  it('has read all about a customer', async () => {
    const { id, orders, items } = shift.customer;
    const all = await bodyOf(`/resources/customer/${id}/related/orders`);
    const named = await bodyOf(`/items?record=customer:${id}&count=1`);
    expect([orders, items]).to.deep.equal([all.records.length, named.total]);
    expect(orders + items).to.be.above(0);
  });

  it('has closed a group of errors by query, and taken it back when that was done', async () => {
    const { bulk, undo, matched } = shift.closed;
    expect(matched).to.be.above(1);
    for (const [id, type] of [
      [bulk, 'state'],
      [undo, 'undo'],
    ] as const) {
      const { operation, ...counts } = (await bodyOf(`/bulk/${id}`)).bulk;
      expect([operation.type, counts.status, counts.changed]).to.deep.equal([type, 'done', matched]);
    }
    const { results } = await bodyOf(`/bulk/${bulk}/results`);
    for (const { id } of results) {
      const [back, there] = await entriesOf(id, 'state');
      expect([there.data.from, there.data.to, back.data.to]).to.deep.equal(['open', 'resolved', 'open']);
    }
  });

  it('has had a refund approved, which the app has done', async () => {
    const { order, approval, status } = shift.refund;
    expect(status).to.equal('approved');
    const { run } = (await bodyOf(`/approvals/${approval}`)).approval;
    expect((await bodyOf(`/runs/${run}`)).run.status).to.equal('succeeded');
    await until('the app has told of it', async () => {
      const { record } = await bodyOf(`/resources/order/${order}`);
      return record.fields.status === 'refunded';
    });
  });

  it('has begun a ramp with a guard, and reports all of it', async () => {
    const { flag } = await bodyOf(`/flags/${shift.flag.name}`);
    expect([flag.ramp.status, flag.ramp.to, flag.ramp.guard.inbox]).to.deep.equal(['running', 50, 'errors']);
    const reported = (type: string) =>
      shift.report.filter(
        ({ change, entry, entries = [entry] }) => change === undefined && entries.some((one) => one?.type === type),
      );
    const count = (type: string): number =>
      reported(type).reduce((sum, { items = [''], moreItems = 0 }) => sum + items.length + moreItems, 0);
    expect(reported('reply').map(({ item }) => item)).to.have.members(shift.answered);
    expect([count('tags'), count('reply')]).to.deep.equal([20, 3]);
    expect(count('state')).to.be.at.least(2 * shift.closed.matched + 3);
    expect(shift.report.length).to.be.below(count('state'));
    expect(shift.report.map(({ type }) => type)).to.include.members(['timeline', 'flag', 'approval']);
  });
});
