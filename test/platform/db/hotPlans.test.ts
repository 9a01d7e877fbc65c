/** No statement of everyday work reads more because there is more: each is explained as a connection keeps it, on tables with many rows that it is not about. */
import { expect } from 'chai';
import { manifest, clerk } from '../../http/actionsWorld.ts';
import type { Client } from '../../support/http.ts';
import { blocksOf, openPlanSession, recordStatements } from '../../support/plans.ts';
import { until } from '../../support/until.ts';
import { newWorld, type World } from '../../support/world.ts';

const rows = 30_000;

/** Rows of the same environment and of another one, which the work below does not ask for. */
const others = [
  `insert into environments (id, name, seal_key, created_at) overriding system value values (99, 'other', '', 0)`,
  `insert into items (env, id, inbox, title, title_key, state, closed, tags, occurrences, users, first_seen, last_seen, fields, created_at, updated_at, terms, assignee, due_at, snoozed_until)
   select case when n % 3 = 0 then 99 else (select id from environments where name = 'demo') end, 'itm_' || lpad(n::text, 26, '0'), 'secret', 'Other ' || n, 'other ' || n,
     case when n % 2 = 0 then 'open' else 'closed' end, n % 2 = 1, '{}', 1, 0, n, n, '{}', n, n, '', null, case when n % 4 = 0 then 9000000000000 end, case when n % 8 = 0 then 9000000000000 end
   from generate_series(1, ${String(rows)}) n`,
  `insert into events (env, at, actor_type, actor, actor_name, verb, target_type, target, outcome, item, inbox, entry, type, is_update)
   select case when n % 3 = 0 then 99 else (select id from environments where name = 'demo') end, n, 'agent', 'agt_x', 'X', 'item.state', 'item', 'itm_' || lpad(n::text, 26, '0'), 'ok',
     'itm_' || lpad(n::text, 26, '0'), 'secret', 'ent_' || n, 'state', false
   from generate_series(1, ${String(rows)}) n`,
  `insert into runs (id, env, action, label, input, status, background, repeatable, timeout_ms, actor_type, actor, actor_name, requested_at, lane, resource, record, expires_at, finished_at)
   select 'run_' || lpad(n::text, 26, '0'), 99, 'receipt', 'R', '{}', case when n % 2 = 0 then 'pending' else 'succeeded' end, false, false, 60000, 'agent', 'agt_x', 'X', n,
     'order/o' || n, 'order', 'o' || n, 9000000000000, case when n % 2 = 1 then 9000000000000 end
   from generate_series(1, ${String(rows)}) n`,
  `insert into bulks (id, env, status, operation, total, actor_type, actor, actor_name, created_at, finished_at)
   select 'blk_' || lpad(n::text, 26, '0'), 99, 'done', '{}', 1, 'agent', 'agt_x', 'X', n, 9000000000000 from generate_series(1, ${String(rows)}) n`,
  `insert into staged_jobs (id, env, name, payload, subject, due_at, request_id, created_at)
   select 'job_' || lpad(n::text, 26, '0'), 99, 'actionRun', '{}', 'run_' || lpad(n::text, 26, '0'), 9000000000000, 'req', n from generate_series(1, ${String(rows)}) n`,
  `insert into approvals (id, env, kind, status, summary, actor_type, actor, actor_name, requested_at, expires_at, fingerprint, request)
   select 'apr_' || n, 99, 'flag', 'pending', 'x', 'agent', 'agt_' || n, 'x', 0, 9000000000000, n::text::bytea, '{}' from generate_series(1, ${String(rows)}) n`,
  `insert into idempotency_keys (principal, key, fingerprint, status, body, created_at) select 'agt_x', 'key_' || n, '', 202, '', 9000000000000 from generate_series(1, ${String(rows)}) n`,
  `insert into records (env, resource, id, title, title_key, fields, updated_at) select 99, 'order', 'o' || n, 'O', 'o', '{}', n from generate_series(1, ${String(rows)}) n`,
  `insert into stream (env, position, at, parts) select 99, n, n, '[]' from generate_series(1, ${String(rows)}) n`,
  'analyze',
];

/** What a statement may read more than `blocksMax` of, and why. */
const exceptions: Readonly<Record<string, string>> = {
  'approvals.pending': 'all that waits for a decision, which is little',
  'sweeps.goneActions': 'the same',
  'words.indexPending': 'what was written since the last turn',
  'words.missing': 'the same',
  'tables.analyzeGrown': 'what PostgreSQL knows of each table',
};
/** A third of what the smallest of the tables takes that have rows of others. */
const blocksMax = 300;

describe('plans of everyday work', () => {
  let world: World;
  let agent: Client;
  let person: Client;
  let recorded: ReturnType<typeof recordStatements>;

  before(async () => {
    recorded = recordStatements();
    world = await newWorld({ manifest });
    await world.role('clerk', clerk);
    await world.role('all', [{ on: '*', can: ['*'] }]);
    agent = await world.agent('clerk');
    person = await world.person('all');
    for (const sql of others) await world.sql(sql);
  });
  after(async () => {
    recorded.stop();
    await world.close();
  });

  const work = async (): Promise<void> => {
    await world.records('order', [{ id: 'o_1', title: 'One', fields: { status: 'paid', email: 'a@b.c' } }]);
    const app = await world.app({
      'action.run': () => ({ message: 'Done.' }),
      'records.get': () => ({ record: null }),
    });
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        agent.post('/items', {
          inbox: 'mail',
          title: `Printer ${String(n)}`,
          record: { resource: 'order', id: 'o_1' },
          tags: ['a'],
        }),
      ),
    );
    const [id = '', other = '', ...more] = made.map(({ body }) => body.item.id as string);
    await Promise.all(more.map((each) => agent.post(`/items/${each}/state`, { state: 'closed' })));
    await agent.post(`/items/${id}/tags`, { add: ['b'] });
    await agent.post(`/items/${id}/notes`, { text: 'A note.' });
    await agent.post(`/items/${id}/snooze`, { until: Date.now() + 3_600_000 });
    await agent.post(`/items/${other}/assign`, { assignee: person.id });
    for (const path of [
      '',
      '?state=open',
      '?tag=a',
      '?search=printer',
      '?assignee=none',
      '?sort=-occurrences',
      '?count=1',
    ])
      await agent.get(`/items${path}`);
    for (const path of [
      `/items/${id}`,
      `/items/${id}/timeline`,
      '/counts',
      '/items/summary?by=state',
      '/search?q=printer',
    ])
      await agent.get(path);
    const { run } = (await agent.post('/actions', { action: 'receipt', record: 'o_1', input: { email: 'a@b.c' } }))
      .body;
    await Promise.all(Array.from({ length: 8 }, () => agent.post('/actions', { action: 'reindex' })));
    const pending = (await agent.post('/actions', { action: 'approve_me', record: 'o_1' })).body.approval;
    await person.post(`/approvals/${String(pending)}/approve`, {});
    const { bulk } = (await agent.post('/bulk', { ids: [id, other], operation: { type: 'tags', add: ['c'] } })).body;
    await app.close();
    await until('it is offline', async () => (await world.sql('select 1 from app_connections')).length === 0);
    await agent.post('/actions', { action: 'reindex' });
    for (const path of [
      `/runs/${String(run)}`,
      '/runs',
      '/runs?status=succeeded',
      '/runs?action=reindex',
      '/approvals',
      '/approvals?status=approved',
      '/bulk',
      '/flags',
      '/pages',
      '/resources/order/records',
      `/bulk/${String(bulk?.id)}`,
    ])
      await agent.get(path);
    for (const path of [
      '/audit',
      '/audit?verb=item.state',
      '/bulk',
      '/runs',
      `/audit?actor=${agent.id}`,
      '/changes?since=0',
      '/settings/jobs',
      '/settings/jobs?state=failed',
      '/settings/usage',
      '/settings/agents',
      '/erasures',
    ])
      await person.get(path);
    await world.app({ 'action.run': () => ({ message: 'Done.' }) });
    const open = `select 1 from staged_jobs where due_at < 8000000000000 union all select 1 from outbox`;
    await until('all is done and told', async () => (await world.sql(open)).length === 0);
    await world.indexed();
  };

  it('read a bounded part of what there is', async function () {
    this.timeout(120_000);
    await work();
    const session = await openPlanSession(world.config.migrateDatabaseUrl);
    const found: [string, number][] = [];
    const failed: string[] = [];
    for (const [name, { text, values }] of recorded.sent) {
      await session.query(`prepare "${name}" as ${text}`);
      try {
        found.push([name, await blocksOf(session, name, values)]);
      } catch (error) {
        failed.push(`${name}: ${String(error)}`);
      }
    }
    await session.end();
    const large = found.filter(([name, blocks]) => blocks > blocksMax && exceptions[name] === undefined);
    expect(large).to.deep.equal([]);
    expect(found.length, 'statements of everyday work').to.be.above(100);
    // Rows that are there already are not inserted again.
    expect(failed.filter((text) => !text.includes('duplicate key'))).to.deep.equal([]);
  });
});
