/** People who lose an inbox, an environment or their account lose what they hold there: their items and their requests. */
import { expect } from 'chai';
import pg from 'pg';
import type { Client } from '../support/http.ts';
import { untilWaiting } from '../support/locks.ts';
import { testManifest } from '../support/manifest.ts';
import { startProgram } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

describe('what people hold where they have no access any more', () => {
  let world: World;
  let boss: Client;

  before(async () => {
    const actions = [{ name: 'upgrade', label: 'Upgrade', input: { type: 'object' }, approval: true }];
    world = await newWorld({ workers: false, manifest: { ...testManifest, actions } });
    await world.environment('staging');
    boss = await world.person('admin', 'Boss', { fresh: true });
    await world.role('mail and bugs', [
      { on: 'inbox:mail', can: ['*'] },
      { on: 'inbox:bugs', can: ['see'] },
      { on: 'action:*', can: ['run'] },
    ]);
  });
  after(() => world.close());

  /** Items of the inboxes, each assigned to the person. */
  const assigned = async (person: string, inboxes: readonly string[], environment = 'demo'): Promise<string[]> => {
    const client = world.elsewhere(boss, environment);
    const ids: string[] = [];
    for (const inbox of inboxes) {
      const { body } = await client.post('/items', { inbox, title: `Of ${inbox}` });
      const id = body.item.id as string;
      expect((await client.post(`/items/${id}/assign`, { assignee: person })).status).to.equal(200);
      ids.push(id);
    }
    return ids;
  };
  const assignees = async (ids: readonly string[]): Promise<(string | null)[]> =>
    (
      await world.sql<{ assignee: string | null }>(
        'select i.assignee from unnest($1::text[]) with ordinality x(id, n) join items i on i.id = x.id order by n',
        [ids],
      )
    ).map(({ assignee }) => assignee);
  /** Starts a worker, waits until no job is left that takes items away, and stops it. */
  const unassign = async (): Promise<void> => {
    const worker = await startProgram(world, 'workers/main.ts');
    await until(
      'the jobs are done',
      async () => (await world.sql(`select from staged_jobs where name = 'unassign'`)).length === 0,
      30_000,
    );
    await worker.end();
  };
  const patch = (path: string, body: object) => boss.call('PATCH', path, body);

  it('is taken from a removed person, in each environment, and the answer says how much, and names their agents', async () => {
    const ana = await world.person('admin', 'Ana Lind', { fresh: true });
    const ids = [
      ...(await assigned(ana.id, ['mail', 'mail', 'bugs'])),
      ...(await assigned(ana.id, ['mail'], 'staging')),
    ];
    await boss.post(`/items/${ids[1] ?? ''}/state`, { state: 'closed' });
    const [others] = await assigned(boss.id, ['mail']);
    const { agent } = (await ana.post('/settings/agents', { name: 'Her bot', role: 'viewer' })).body;
    const asked = await ana.post('/actions', { action: 'upgrade', input: {} });
    expect(asked.status, asked.text).to.equal(202);
    const removal = await boss.call('DELETE', `/settings/people/${ana.id}`);
    expect([removal.status, removal.body]).to.deep.equal([
      200,
      { unassigned: 4, agents: [{ id: agent.id, name: 'Her bot' }] },
    ]);
    const viewer = await world.agent('viewer');
    for (const client of [boss, viewer]) {
      const { groups } = (await client.get('/items/summary?by=assignee')).body;
      const labels = groups.map(({ key, label }: { key: string | null; label: string | null }) => [key, label]);
      expect(labels, 'until the job has run').to.deep.include([ana.id, 'Ana Lind']);
    }
    await unassign();
    expect(await assignees([...ids, others ?? ''])).to.deep.equal([null, null, null, null, boss.id]);
    const { timeline } = (await boss.get(`/items/${ids[0] ?? ''}`)).body;
    const { actor, type, data } = timeline.find((entry: { type: string }) => entry.type === 'assigned');
    expect({ actor, type, data }).to.deep.equal({
      actor: { type: 'system', id: null, name: 'service' },
      type: 'assigned',
      data: { from: ana.id, to: null },
    });
    expect(
      (await boss.get('/items?assignee=none&limit=200')).body.items.map(({ id }: { id: string }) => id),
    ).to.include(ids[0]);
    const ends = await world.sql(
      'select a.status as approval, r.status as run from approvals a join runs r on r.id = a.run where a.actor = $1',
      [ana.id],
    );
    expect(ends).to.deep.equal([{ approval: 'stale', run: 'failed' }]);
  });

  it('is taken from a person with another role, or with fewer environments, where they lost it and nowhere else', async () => {
    const bo = await world.person('admin', 'Bo');
    const ids = [...(await assigned(bo.id, ['mail', 'refunds'])), ...(await assigned(bo.id, ['mail'], 'staging'))];
    const narrowed = await patch(`/settings/people/${bo.id}`, { role: 'mail and bugs' });
    expect([narrowed.status, narrowed.body.unassigned]).to.deep.equal([200, 1]);
    await unassign();
    expect(await assignees(ids)).to.deep.equal([bo.id, null, bo.id]);
    expect((await patch(`/settings/people/${bo.id}`, { environments: ['demo'] })).body.unassigned).to.equal(1);
    await unassign();
    expect(await assignees(ids)).to.deep.equal([bo.id, null, null]);
    expect((await patch(`/settings/people/${bo.id}`, { name: 'Bo Lund' })).body.unassigned).to.equal(0);
  });

  it('is taken from everybody of a role whose grants become fewer', async () => {
    const people = [await world.person('mail and bugs', 'One'), await world.person('mail and bugs', 'Two')];
    const ids = (await Promise.all(people.map(({ id }) => assigned(id, ['mail', 'bugs'])))).flat();
    const [role] = await world.sql<{ id: string }>(`select id from roles where name = 'mail and bugs'`);
    const { body } = await patch(`/settings/roles/${role?.id ?? ''}`, { grants: [{ on: 'inbox:bugs', can: ['see'] }] });
    expect(body.unassigned).to.be.at.least(2);
    await unassign();
    expect(await assignees(ids)).to.deep.equal([null, people[0]?.id, null, people[1]?.id]);
  });

  it('is taken once, by a worker that follows one which was killed in the middle', async () => {
    const cy = await world.person('admin', 'Cy');
    const ids = await assigned(
      cy.id,
      Array.from({ length: 12 }, () => 'mail'),
    );
    expect((await boss.call('DELETE', `/settings/people/${cy.id}`)).body.unassigned).to.equal(12);
    const locker = new pg.Client({ connectionString: world.config.migrateDatabaseUrl });
    await locker.connect();
    await locker.query('begin');
    await locker.query('select from items where id = $1 for update', [ids[5]]);
    const killed = await startProgram(world, 'workers/main.ts');
    await untilWaiting(world, 'items', 1);
    killed.child.kill('SIGKILL');
    await killed.end();
    await locker.query('rollback');
    await locker.end();
    await unassign();
    expect(await assignees(ids)).to.deep.equal(ids.map(() => null));
    const entries = await world.sql<{ item: string; n: number }>(
      `select item, count(*)::int as n from events where verb = 'item.unassign' and item = any($1) group by item`,
      [ids],
    );
    expect(entries.map(({ n }) => n)).to.deep.equal(ids.map(() => 1));
  });
});
