/** Approvals that have ended move to the table of their months, are read there like any other, and go once nobody keeps them. */
import { expect } from 'chai';
import pg from 'pg';
import { readApproval } from '../../shared/approvals/model.ts';
import { newIdOf } from '../../shared/platform/ids.ts';
import { runAdmin } from '../../shared/tools/cli/run.ts';
import { expireApprovals } from '../../workers/sweeps/expireApprovals.ts';
import { expireEndedRows } from '../../workers/sweeps/expiredRows.ts';
import { monthOf, monthsOf, moveNow, scansOf } from '../support/endedRows.ts';
import type { Client } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

const dayMs = 86_400_000;

const manifest = {
  resources: [],
  inboxes: [{ name: 'mail' }],
  actions: [{ name: 'strict', label: 'Strict', approval: true }],
  flags: [{ key: 'beta', kind: 'boolean', default: false, approval: true }],
} as const;

describe('approvals that have ended', () => {
  let world: World;
  let agent: Client;
  let person: Client;

  const daysAgo = (days: number): number => Date.now() - days * dayMs;
  const request = async (rollout = 10): Promise<string> => {
    const { status, body, text } = await agent.post('/flags/beta', { change: { rollout } });
    expect(status, text).to.equal(202);
    return body.approval as string;
  };
  /** Gives an approval the id and the times of a moment in the past. */
  const age = async (id: string, days: number): Promise<string> => {
    const old = newIdOf('apr', daysAgo(days));
    await world.sql(
      `update approvals set id = $2, requested_at = $3, expires_at = $3::bigint + 1000, decided_at = case when decided_at is null then null else $3::bigint end where id = $1`,
      [id, old, daysAgo(days)],
    );
    return old;
  };
  const rejected = async (days: number): Promise<string> => {
    const id = await request();
    expect((await person.post(`/approvals/${id}/reject`, { note: 'Not now.' })).status).to.equal(200);
    return age(id, days);
  };
  const placeOf = async (id: string): Promise<string> =>
    (
      await world.sql<{ place: string }>(
        'select tableoid::regclass::text as place from approvals where id = $1 union all select tableoid::regclass::text from approvals_ended where id = $1',
        [id],
      )
    )
      .map(({ place }) => place)
      .join();
  const list = async (client: Client, status: string, limit: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let cursor = ''; ;) {
      const {
        body,
        text,
        status: code,
      } = await client.get(`/approvals?status=${status}&limit=${String(limit)}${cursor}`);
      expect(code, text).to.equal(200);
      ids.push(...(body.approvals as { id: string }[]).map(({ id }) => id));
      if (body.cursor === null) return ids;
      cursor = `&cursor=${String(body.cursor)}`;
    }
  };

  beforeEach(async () => {
    world = await newWorld({ workers: false, manifest });
    agent = await world.agent('admin');
    person = await world.person('admin', 'Ana', { fresh: true });
  });
  afterEach(() => world.close());

  it('move to the month of their ids, and are read, listed and refused as before', async () => {
    const [old, older, recent] = [await rejected(30), await rejected(90), await rejected(1)];
    const read = async (): Promise<unknown[]> => [
      (await person.get(`/approvals/${old}`)).body,
      (await agent.get(`/approvals/${older}`)).body,
      await list(person, 'rejected', 1),
      await list(agent, 'rejected', 50),
      await list(person, 'pending', 50),
      (await person.post(`/approvals/${old}/approve`)).body.code,
      (await agent.post(`/approvals/${old}/cancel`)).body.code,
      (await agent.post(`/approvals/${old}/approve`)).body.code,
    ];
    const before = await read();
    expect(before[2]).to.deep.equal([recent, old, older]);
    await moveNow(world);
    expect([await placeOf(old), await placeOf(older), await placeOf(recent)]).to.deep.equal([
      monthOf('approvals_ended', daysAgo(30)),
      monthOf('approvals_ended', daysAgo(90)),
      'approvals',
    ]);
    expect(await read()).to.deep.equal(before);
  });

  it('are unique while they are pending, whatever has ended and moved, under fifty equal requests at once', async () => {
    const moved = await rejected(40);
    const expired = await age(await request(), 30);
    await moveNow(world);
    expect(await placeOf(moved)).to.equal(monthOf('approvals_ended', daysAgo(40)));
    const ids = await Promise.all(Array.from({ length: 50 }, () => request()));
    expect(new Set(ids).size).to.equal(1);
    expect(ids[0]).to.not.be.oneOf([moved, expired]);
    const open = "select id from approvals where status = 'pending'";
    expect(await world.sql(`${open} and expires_at > $1`, [Date.now()])).to.deep.equal([{ id: ids[0] }]);
    await expireApprovals.run(world.deps);
    await world.sql('update approvals set decided_at = expires_at where id = $1', [expired]);
    expect(await world.sql(open)).to.deep.equal([{ id: ids[0] }]);
    await moveNow(world);
    expect([await placeOf(expired), await placeOf(ids[0] ?? '')]).to.deep.equal([
      monthOf('approvals_ended', daysAgo(30)),
      'approvals',
    ]);
  });

  it('stay while they are pending, however old, and while what they were for is not finished', async () => {
    const pending = await age(await request(), 800);
    await world.sql('update approvals set expires_at = $2 where id = $1', [pending, Date.now() + dayMs]);
    const asked = (await agent.post('/actions', { action: 'strict' })).body as { approval: string; run: string };
    expect((await person.post(`/approvals/${asked.approval}/approve`)).status).to.equal(200);
    const approved = await age(asked.approval, 20);
    await world.sql('update runs set approval = $2 where id = $1', [asked.run, approved]);
    await moveNow(world);
    expect([await placeOf(pending), await placeOf(approved)]).to.deep.equal(['approvals', 'approvals']);
    await world.sql("update runs set status = 'failed', finished_at = 1 where id = $1", [asked.run]);
    await moveNow(world);
    expect(await placeOf(approved)).to.equal(monthOf('approvals_ended', daysAgo(20)));
    expect((await person.post(`/approvals/${pending}/approve`)).status).to.equal(200);
  });

  it('go once no environment keeps them, the audit log still says who decided, and answers say so', async () => {
    await world.environment('second', manifest);
    const gone = await rejected(100);
    const other = await rejected(101);
    await world.sql("update approvals set env = (select id from environments where name = 'second') where id = $1", [
      other,
    ]);
    const kept = await rejected(20);
    await moveNow(world);
    await runAdmin(['retention', 'set', 'demo', '--approvals', '60'], {
      readConfig: () => world.config,
      readInput: () => Promise.resolve(''),
    });
    await expireEndedRows.run(world.deps);
    expect([await placeOf(gone), await placeOf(other), await placeOf(kept)]).to.deep.equal([
      '',
      monthOf('approvals_ended', daysAgo(101)),
      monthOf('approvals_ended', daysAgo(20)),
    ]);
    await runAdmin(['retention', 'set', 'second', '--approvals', '60'], {
      readConfig: () => world.config,
      readInput: () => Promise.resolve(''),
    });
    await expireEndedRows.run(world.deps);
    expect(await monthsOf(world, 'approvals_ended')).to.deep.equal([monthOf('approvals_ended', daysAgo(20))]);
    const { status, body } = await person.get(`/approvals/${gone}`);
    expect([status, body.code]).to.deep.equal([404, 'not_found']);
    expect(body.error).to.match(/approvals are kept for 60 days after they end; .* was kept until/);
    expect((await person.get('/audit?verb=approval.reject')).body.entries).to.have.length(3);
  });

  it('go one month after the other, so that one that is in use does not keep those before it', async () => {
    const [first, second] = [await rejected(100), await rejected(160)];
    await moveNow(world);
    await runAdmin(['retention', 'set', 'demo', '--approvals', '60'], {
      readConfig: () => world.config,
      readInput: () => Promise.resolve(''),
    });
    // In the order in which they were made.
    const parts = await world.sql<{ name: string }>(
      "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'approvals_ended'::regclass order by inhrelid",
    );
    expect(parts).to.have.length(2);
    const [gone, used] = parts.map(({ name }) => name);
    const user = new pg.Client({ connectionString: world.config.migrateDatabaseUrl });
    await user.connect();
    try {
      await user.query('begin');
      await user.query(`lock table only ${String(used)} in access exclusive mode`);
      const failed = await expireEndedRows.run(world.deps).catch((error: unknown) => String(error));
      expect(failed).to.match(/lock timeout/);
      await user.query('rollback');
      expect(await monthsOf(world, 'approvals_ended')).to.deep.equal([used]);
      expect([await placeOf(first), await placeOf(second)])
        .to.have.members(['', used])
        .and.not.include(gone);
    } finally {
      await user.end();
    }
    await expireEndedRows.run(world.deps);
    expect(await monthsOf(world, 'approvals_ended')).to.deep.equal([]);
  });

  it('stay for their time by PostgreSQL’s clock, however far ahead that of a worker is', async () => {
    const kept = await rejected(20);
    await moveNow(world);
    await runAdmin(['retention', 'set', 'demo', '--approvals', '60'], {
      readConfig: () => world.config,
      readInput: () => Promise.resolve(''),
    });
    const ahead = { now: () => world.clock.now() + 3 * 365 * dayMs };
    await expireEndedRows.run({ ...world.deps, clock: ahead });
    expect(await placeOf(kept)).to.equal(monthOf('approvals_ended', daysAgo(20)));
  });

  it('are looked for in one month by a plan that was made for any id', async () => {
    // Two of 30 days apart may be of one month, 31 days are never.
    for (let days = 31; days <= 124; days += 31) await rejected(days);
    await moveNow(world);
    const id = newIdOf('apr', daysAgo(90));
    const scans = await scansOf(world, (tx) => readApproval(tx, 1, id), `"approvals.oneEnded" (1, '${id}')`);
    expect(scans.join()).to.match(/^[^,]*approvals_ended_\d{4}_\d\d[^,]*$/);
  });
});
