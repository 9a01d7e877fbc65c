/** A soak of half a minute: its report is whole, and what is lost, doubled or kept in memory is found. `npm run soak` takes hours. */
import { expect } from 'chai';
import { until } from '../support/until.ts';
import { growthGoals } from './goals.ts';
import { GrowthRecorder } from './growth.ts';
import { executeIn } from './inspector.ts';
import { planOf, type SoakPlan } from './plan.ts';
import { finishReport } from './report.ts';
import { judgeSlope, slopeOf } from './slope.ts';
import { judgeScene, newRun, openScene, play, type Judged, type Played, type SoakScene } from './soak.ts';

const plan: SoakPlan = {
  ...planOf({ minutes: 0.3, changes: 20, sockets: 40, seed: 1 }),
  bulkItems: 200,
  actions: 40,
  restarts: 1,
};

describe('a soak', () => {
  let scene: SoakScene;
  let played: Played;
  let judged: Judged;
  const said: string[] = [];
  const run = newRun(plan, (line) => said.push(line));

  before(async function () {
    this.timeout(240_000);
    scene = await openScene(run, plan);
    played = await play(run, scene);
  });
  after(async () => {
    await scene.close();
  });

  it('finds nothing lost, doubled or incomplete after restarts, bulks, ramps, an archive and an app that goes', async () => {
    judged = await judgeScene(run, scene, played);
    const { problems, faults } = run.finding();
    expect(problems, said.join('\n')).to.deep.equal([]);
    expect(faults).to.include.keys('terminate', 'cutApp');
    expect(judged.audience.resumed).to.be.greaterThan(0);
    expect(Object.values(judged.actions).reduce((sum, n) => sum + n, 0)).to.equal(plan.actions);
    expect(played.archive.events).to.be.greaterThan(0);
  }).timeout(120_000);

  it('finds a change that is lost, one that is doubled, and an entry that is gone', async () => {
    const { sql } = scene.site;
    const [first = '', second = ''] = scene.ids;
    await sql('update items set version = version - 1 where id = $1', [first]);
    await sql('update items set version = version + 1 where id = $1', [second]);
    const again = newRun(plan, () => undefined);
    const [gone] = await sql<{ id: string }>(
      `select e.id::text as id from events e join environments v on v.id = e.env where v.name = 'soak' and e.verb = 'item.note'
         and e.id <= (select max(c.last) from audit_chain c where c.env = e.env) order by e.id desc limit 1`,
    );
    await sql('alter table events disable trigger user');
    await sql('delete from events where id = $1', [gone?.id]);
    await sql('alter table events enable trigger user');
    await judgeScene(again, scene, played);
    const { problems } = again.finding();
    const text = problems.join('\n');
    expect(text).to.include(`${first} has version`);
    expect(text).to.include(`${second} has version`);
    expect(text).to.include('0 audit entries instead of 1');
    expect(text).to.include('the chain of the audit log does not hold');
  }).timeout(120_000);

  it('finds a process that keeps what it should let go', async () => {
    const [api] = scene.site.apis;
    if (api === undefined) throw new Error('The site has an API.');
    await executeIn(api.log(), 'globalThis.kept = []; setInterval(() => kept.push(new Array(400_000).fill(1.5)), 50)');
    const growth = new GrowthRecorder(scene.site, [api]);
    await until(
      'the growth is told',
      async () => {
        await growth.sample();
        const goals = growthGoals(growth.result());
        return goals.find(({ name }) => name.startsWith('heap of api'))?.verdict === 'not met';
      },
      30_000,
    );
  }).timeout(120_000);

  it('reports every part', async () => {
    const report = await finishReport(run, scene, played, judged);
    expect(report).to.have.keys(
      'plan',
      'traffic',
      'growth',
      'archive',
      'audience',
      'actions',
      'storage',
      'finding',
      'goals',
    );
    const { traffic, growth, storage, goals } = report;
    expect(traffic.changesReached).to.be.greaterThan(0);
    expect(Math.min(traffic.changes.first.count, traffic.reads.last.count)).to.be.greaterThan(0);
    expect(growth.processes.filter(({ wholeTime }) => wholeTime)).to.have.length(2);
    for (const { rss, heap } of growth.processes) expect(Math.min(rss.firstMb, heap.firstMb)).to.be.greaterThan(0);
    expect(growth.servers.redisUsed?.lastMb).to.be.greaterThan(0);
    expect(storage.relations.map(({ name }) => name)).to.include('items');
    expect(goals.map(({ name }) => name)).to.include.members([
      'invariants',
      'rate',
      'tables and indexes',
      'p99 of reads',
    ]);
  }).timeout(120_000);

  it('tells growth from noise by the whole range of a slope', () => {
    const series = (mbPerHour: number, hours: number): ReturnType<typeof slopeOf> =>
      slopeOf(
        Array.from({ length: 121 }, (_, n) => ({
          hours: (n / 120) * hours,
          mb: 60 + (n / 120) * hours * mbPerHour + (n % 2 === 0 ? 0.2 : -0.2),
        })),
      );
    expect(judgeSlope(series(0.1, 2), 1)).to.equal('met');
    expect(judgeSlope(series(2, 2), 1)).to.equal('not met');
    expect(judgeSlope(series(2, 0.25), 1)).to.equal('too short to tell');
  });
});
