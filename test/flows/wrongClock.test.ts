/** Workers on machines whose clocks are wrong: what is due goes by PostgreSQL's clock, and whoever is on call is told. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { flagsManifest } from '../flags/manifest.ts';
import { request, type Client } from '../support/http.ts';
import { startMeasured, type MeasuredProgram } from '../support/metrics.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const hour = 3_600_000;

describe('a wrong clock', () => {
  let world: World;
  let operator: Client;
  let dir: string;
  const closing: (() => Promise<unknown>)[] = [];
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'console-clock-'));
    world = await newWorld({ manifest: flagsManifest, workers: false });
    operator = await world.agent('operator');
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  after(async () => {
    await world.close();
    await rm(dir, { recursive: true });
  });

  /** Starts a worker on a machine whose clock is ahead by so many ms. */
  const startWorker = async (aheadMs: number): Promise<MeasuredProgram> => {
    const file = join(dir, `ahead${String(aheadMs)}.mjs`);
    await writeFile(
      file,
      `const Right = Date;
       globalThis.Date = class extends Right {
         constructor(...given) { if (given.length === 0) super(Right.now() + ${String(aheadMs)}); else super(...given); }
         static now() { return Right.now() + ${String(aheadMs)}; }
       };`,
    );
    const worker = await startMeasured(world, 'workers/main.ts', { NODE_OPTIONS: `--import file://${file}` });
    closing.push(() => worker.end());
    return worker;
  };
  const readiness = async (worker: MeasuredProgram) =>
    (await request('GET', `http://127.0.0.1:${String(worker.probePort)}/ready`, undefined, null)).body;
  const tag = async (text: string): Promise<string> => {
    const { body } = await operator.post('/items', { inbox: 'mail', title: text });
    const bulk = await operator.post('/bulk', { ids: [body.item.id], operation: { type: 'tags', add: [text] } });
    expect(bulk.status, bulk.text).to.equal(202);
    return String(bulk.body.bulk.id);
  };
  const statusOf = async (bulk: string): Promise<string> => (await operator.get(`/bulk/${bulk}`)).body.bulk.status;
  const rollout = async (): Promise<number> => (await operator.get('/flags/checkout')).body.flag.rollout;

  it('of two hours is told, and its worker takes no step of a ramp and begins no job until another worker does', async () => {
    const started = await operator.post('/flags/checkout', {
      change: { rollout: 0, ramp: { to: 100, over: 4 * hour, every: 60_000, at: null } },
    });
    expect(started.status, started.text).to.equal(200);
    const wrong = await startWorker(2 * hour);
    const { degraded, reasons } = await readiness(wrong);
    expect(degraded).to.include('clock');
    expect(reasons.filter((why: string) => why.includes('clock'))).to.have.length(1);
    expect(reasons.join()).to.match(
      /The clock of this machine is 7(?:199\.\d|200\.\d) s ahead of PostgreSQL’s\. This process does no timed work\./,
    );
    expect((await wrong.scrape()).value('console_clock_skew_seconds')).to.be.closeTo(7_200, 1);
    expect(wrong.said().match(/the clocks differ: The clock of this machine is/g)).to.have.length(1);
    const bulk = await tag('waits');
    await until('its publisher is at work', async () => (await wrong.scrape()).value('console_outbox_rows') === 0);
    expect(await statusOf(bulk)).to.equal('queued');
    await startWorker(0);
    await until('the other worker did it', async () => (await statusOf(bulk)) === 'done', 20_000);
    expect(await rollout()).to.equal(0);
  });

  it('of half a minute is told too; its worker works, and nothing is due before its time', async () => {
    const before = Date.now();
    const started = await operator.post('/flags/checkout', {
      change: { rollout: 0, ramp: { to: 100, over: 4 * hour, every: 60_000, at: null } },
    });
    expect(started.status, started.text).to.equal(200);
    const wrong = await startWorker(-30_000);
    expect((await readiness(wrong)).reasons).to.deep.equal([
      'The clock of this machine is 30.0 s behind PostgreSQL’s.',
    ]);
    await until('it works', async () => (await statusOf(await tag('works'))) === 'done', 30_000);
    expect(await rollout()).to.equal(0);
    const [bulk] = await world.sql<{ at: number }>(
      'select finished_at::float8 as at from bulks order by created_at desc limit 1',
    );
    expect(bulk?.at, 'it ended by PostgreSQL’s clock').to.be.within(before, Date.now() + 1_000);
  });

  it('of a second is none', async () => {
    const right = await startWorker(1_000);
    const { degraded, reasons } = await readiness(right);
    expect([degraded, reasons]).to.deep.equal([[], []]);
    expect(right.said()).not.to.include('the clocks differ');
  });
});
