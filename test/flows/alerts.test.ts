/** The alerts of the documentation: well-formed, firing on the fault that each is for, and on faults of real processes. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { rpcCodes } from '../../shared/app/link/protocol.ts';
import { runProcess } from '../../shared/tools/services/processes.mjs';
import { startRedis, type RedisServer } from '../../shared/tools/services/redis.mjs';
import {
  checkAlertRules,
  checkExpressions,
  expectFiring,
  readAlertCommands,
  readAlertRules,
  readDashboardExpressions,
  type Series,
} from '../support/alerts.ts';
import { connectApp, rpcError, type FakeApp } from '../support/app.ts';
import { clientOf, type Client } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { startMeasured, type MeasuredProgram, type Metrics } from '../support/metrics.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

/** With records that the app has. */
const manifest = { ...testManifest, resources: [...testManifest.resources, { name: 'order', source: 'app' }] };

/** Of each alert the series of a healthy service, and of one with its fault. */
const cases: Readonly<Record<string, readonly [healthy: Series, faulty: Series]>> = {
  ConsoleProcessDown: [{ 'up{job="console-api"}': '1+0x30' }, { 'up{job="console-api"}': '0+0x30' }],
  ConsoleNotScraped: [{ 'up{job="console-workers"}': '1+0x30' }, { 'up{job="console-workers"}': '1 _x30' }],
  ConsoleNotReady: [
    { 'console_ready{instance="a"}': '1 0 0 1+0x27' },
    {
      'console_ready{instance="a"}': '0+0x30',
      'console_postgres_up{instance="a"}': '1+0x30',
      'console_ready{instance="b"}': '1+0x30',
    },
  ],
  ConsolePostgresUnavailable: [{ console_postgres_up: '1+0x30' }, { console_postgres_up: '0+0x30' }],
  ConsoleCommitsWait: [{ console_commit_wait_seconds: '0.02+0x30' }, { console_commit_wait_seconds: '0+60x30' }],
  ConsoleRedisUnavailable: [{ console_redis_up: '1+0x30' }, { console_redis_up: '0+0x30' }],
  ConsoleClockWrong: [
    { console_clock_skew_seconds: '1.5+0x30' },
    // Behind.
    { console_clock_skew_seconds: '-7200+0x30' },
  ],
  ConsoleMemory: [
    {
      nodejs_heap_size_used_bytes: '200+0x30',
      console_heap_limit_bytes: '1000+0x30',
      process_resident_memory_bytes: '500+0x30',
      console_memory_limit_bytes: '8000+0x30',
    },
    {
      nodejs_heap_size_used_bytes: '900+0x30',
      console_heap_limit_bytes: '1000+0x30',
      process_resident_memory_bytes: '1200+0x30',
      console_memory_limit_bytes: '8000+0x30',
    },
  ],
  ConsoleRestarts: [
    // Two, of an upgrade and a rollback.
    { 'process_start_time_seconds{job="console-api"}': '1+0x10 2+0x10 3+0x9' },
    { 'process_start_time_seconds{job="console-api"}': '1+0x15 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16' },
  ],
  ConsoleJobsLate: [
    {
      'console_job_oldest_seconds{kind="actionRun"}': '5+0x30',
      'console_job_oldest_seconds{kind="bulkChunk"}': '900+0x30',
    },
    { 'console_job_oldest_seconds{kind="actionRun"}': '0+60x30' },
  ],
  ConsoleBulksLate: [
    { 'console_job_oldest_seconds{kind="bulkChunk"}': '900+0x30' },
    { 'console_job_oldest_seconds{kind="bulkChunk"}': '1801+0x30' },
  ],
  ConsoleJobsFail: [
    {
      'console_job_seconds_count{kind="replySend",outcome="done"}': '0+600x30',
      'console_job_seconds_count{kind="erase",outcome="failed"}': '0+1x30',
      'console_job_seconds_count{kind="erase",outcome="again"}': '0+1x30',
    },
    // One job of which each try fails, on a quiet installation.
    { 'console_job_seconds_count{kind="erase",outcome="failed"}': '0+1x30' },
  ],
  ConsoleJobsGivenUp: [
    { 'console_jobs{kind="erase",state="failed"}': '0+0x30' },
    { 'console_jobs{kind="erase",state="failed"}': '0+0x20 1+0x10' },
  ],
  ConsoleRepliesFail: [
    {
      'console_replies_total{outcome="sent"}': '0+2x30',
      'console_replies_total{outcome="failed"}': '0+1x30',
      'console_replies_total{outcome="unknown"}': '0+0x30',
    },
    {
      'console_replies_total{outcome="sent"}': '9+0x30',
      'console_replies_total{outcome="failed"}': '0+0x20 1+0x10',
      'console_replies_total{outcome="unknown"}': '0+0x30',
    },
  ],
  ConsoleSweepsFail: [
    {
      'console_sweep_seconds_count{sweep="months",outcome="ok"}': '0+1x30',
      'console_sweep_seconds_count{sweep="months",outcome="failed"}': '0+1x30',
    },
    {
      'console_sweep_seconds_count{sweep="months",outcome="ok"}': '9+0x30',
      'console_sweep_seconds_count{sweep="months",outcome="failed"}': '0+1x30',
    },
  ],
  ConsoleAuditUnchained: [
    { console_audit_unchained_seconds: '1+0x30' },
    { console_audit_unchained_seconds: '601+60x30' },
  ],
  ConsoleMessagesLate: [{ console_outbox_oldest_seconds: '1+0x30' }, { console_outbox_oldest_seconds: '0+60x30' }],
  ConsolePublisherMissing: [{ console_publisher_up: '1+0x30' }, { console_publisher_up: '0+0x30' }],
  ConsoleAppOffline: [
    { 'console_app_online{environment="production"}': '1+0x30' },
    { 'console_app_online{environment="production"}': '0+0x30' },
  ],
  ConsoleAppCallsFail: [
    { 'console_app_calls_total{method="action.run",outcome="answer"}': '0+60x30' },
    {
      'console_app_calls_total{method="action.run",outcome="answer"}': '0+60x30',
      'console_app_calls_total{method="action.run",outcome="timeout"}': '0+60x30',
    },
  ],
  ConsoleErrors: [
    {
      'console_http_requests_total{route="/items",status="200"}': '0+600x30',
      // Of an app that is offline, and of a probe.
      'console_http_requests_total{route="error",status="503"}': '0+600x30',
      'console_http_requests_total{route="/ready",status="503"}': '0+600x30',
      'console_http_failures_total{code="unavailable"}': '0+1x30',
    },
    {
      'console_http_requests_total{route="/items",status="200"}': '0+600x30',
      'console_http_requests_total{route="/ready",status="200"}': '0+60000x30',
      'console_http_failures_total{code="unavailable"}': '0+60x30',
    },
  ],
  ConsoleSlow: [
    {
      'console_http_request_seconds_bucket{route="/items",le="1"}': '0+600x30',
      'console_http_request_seconds_bucket{route="/items",le="5"}': '0+600x30',
      'console_http_request_seconds_bucket{route="/items",le="+Inf"}': '0+600x30',
      'console_http_request_seconds_bucket{route="/changes",le="1"}': '0+0x30',
      'console_http_request_seconds_bucket{route="/changes",le="+Inf"}': '0+600x30',
      'console_http_request_seconds_bucket{route="error",le="1"}': '0+0x30',
      'console_http_request_seconds_bucket{route="error",le="+Inf"}': '0+600x30',
    },
    {
      'console_http_request_seconds_bucket{route="/items",le="1"}': '0+300x30',
      'console_http_request_seconds_bucket{route="/items",le="5"}': '0+600x30',
      'console_http_request_seconds_bucket{route="/items",le="+Inf"}': '0+600x30',
    },
  ],
  ConsoleConnectionsExhausted: [
    { 'console_postgres_waiting{pool="reads"}': '0 3 0 3 0+0x26' },
    { 'console_postgres_waiting{pool="reads"}': '3+0x30' },
  ],
  ConsoleStandbyAway: [
    { 'console_standby_up{standby="10.0.0.22:5432"}': '1 1 0 0 1+0x26' },
    { 'console_standby_up{standby="10.0.0.22:5432"}': '0+0x30' },
  ],
  ConsoleEventLoopBlocked: [
    { console_event_loop_blocked_total: '7+0x30' },
    { console_event_loop_blocked_total: '0+0x25 1+0x5' },
  ],
  ConsoleRedisRefused: [
    { 'console_redis_refused_total{why="forged"}': '2+0x30' },
    // All in one burst, as the counter begins at 0.
    { 'console_redis_refused_total{why="forged"}': '0+0x25 40+0x5' },
  ],
  ConsoleSignInsRefused: [
    { 'console_sign_in_refused_total{reason="wrong_password"}': '0+10x30' },
    { 'console_sign_in_refused_total{reason="wrong_password"}': '0+120x30' },
  ],
};

/** Both kinds of processes, as they are scraped. */
const scraped: Series = { 'up{job="console-api"}': '1+0x30', 'up{job="console-workers"}': '1+0x30' };

describe('alerts', () => {
  it('are rules that promtool takes', async () => {
    expect(await checkAlertRules()).to.include(`SUCCESS: ${String(readAlertRules().length)} rules found`);
  });

  it('stand beside a dashboard of which every panel is PromQL', async () => {
    const expressions = readDashboardExpressions();
    expect(await checkExpressions(expressions)).to.include(`SUCCESS: ${String(expressions.length)} rules found`);
  });

  it('come with queries for Prometheus that are PromQL', async () => {
    const queries = readAlertRules().flatMap(({ alert }) =>
      readAlertCommands(alert).flatMap((command) => /'query=(.+)'$/.exec(command)?.[1] ?? []),
    );
    expect(queries).to.have.length(3);
    expect(await checkExpressions(queries)).to.include('SUCCESS: 3 rules found');
  });

  it('each fires on its fault alone, and none on a healthy service', async () => {
    expect(Object.keys(cases)).to.have.members(readAlertRules().map(({ alert }) => alert));
    const healthy = Object.assign({}, ...Object.values(cases).map(([series]) => series)) as Series;
    await expectFiring(healthy, []);
    for (const [alert, [, faulty]] of Object.entries(cases)) await expectFiring({ ...scraped, ...faulty }, [alert]);
  });

  describe('on real processes', () => {
    let world: World;
    let dir: string;
    let redis: RedisServer;
    let api: MeasuredProgram;
    let worker: MeasuredProgram;
    let app: FakeApp;
    let agent: Client;

    before(async () => {
      dir = await mkdtemp(join(tmpdir(), 'console-alerts-'));
      redis = await startRedis({ dir });
      world = await newWorld({ server: false, workers: false, manifest, env: { REDIS_URL: redis.url } });
      api = await startMeasured(world, 'api/main.ts');
      worker = await startMeasured(world, 'workers/main.ts');
      const base = `http://127.0.0.1:${api.port}/api/env/demo`;
      const { token, id } = await world.agent('admin');
      agent = clientOf(base, token, id);
      app = await connectApp(await world.appKey(), { base, manifest });
      app.handle('reply.send', () => {
        throw rpcError(rpcCodes.actionFailed, 'The mail server is away.');
      });
    });
    after(async () => {
      await app.close();
      await worker.end();
      await api.end();
      await world.close();
      await redis.stop();
      await rm(dir, { recursive: true });
    });

    const scrapeAll = async (): Promise<(readonly [job: string, metrics: Metrics | null])[]> => [
      ['console-api', await api.scrape().catch(() => null)],
      ['console-workers', await worker.scrape().catch(() => null)],
    ];
    /** Resolves with what all processes say at a time when none of their calls waits for a connection, as many do for a moment. */
    const scrapeAtRest = (): ReturnType<typeof scrapeAll> =>
      until('no call waits for a connection', async () => {
        const scraped = await scrapeAll();
        return scraped.every(([, metrics]) => (metrics?.value('console_postgres_waiting') ?? 0) === 0) && scraped;
      });
    /** Returns the series of a service that stays for half an hour as it is now. */
    const series = async (): Promise<Series> =>
      Object.fromEntries(
        (await scrapeAtRest()).flatMap(([job, metrics]) => [
          [`up{job="${job}"}`, metrics === null ? '0+0x30' : '1+0x30'],
          ...(metrics?.samples ?? []).map(({ name, labels, value }) => {
            const all = Object.entries({ ...labels, job, instance: job });
            return [`${name}{${all.map(([key, text]) => `${key}="${text}"`).join()}}`, `${String(value)}+0x30`];
          }),
        ]),
      ) as Series;
    const becomes = (what: string, fits: (metrics: Metrics) => boolean): Promise<unknown> =>
      until(what, async () => fits(await api.scrape()), 30_000);

    it('none fires while all is well', async () => {
      await becomes('the publisher is at work and the app online', (metrics) => {
        const online = metrics.value('console_app_online', { environment: 'demo' });
        return metrics.value('console_publisher_up') === 1 && online === 1;
      });
      // A process looks at Redis half a second after its start for the first time, and says 0 until then.
      await until('both processes have found PostgreSQL and Redis', async () =>
        (await Promise.all([api.scrape(), worker.scrape()])).every(
          (each) => each.value('console_redis_up') === 1 && each.value('console_postgres_up') === 1,
        ),
      );
      await expectFiring(await series(), []);
    });

    it('ConsoleRepliesFail fires when a reply was refused, whose job is done and not failed', async () => {
      const outcomes = async (): Promise<number[]> => {
        const metrics = await worker.scrape();
        return ['sent', 'failed', 'unknown'].map(
          (outcome) => metrics.value('console_replies_total', { outcome }) ?? -1,
        );
      };
      expect(await outcomes(), 'from the start').to.deep.equal([0, 0, 0]);
      const { body } = await agent.post('/items', { inbox: 'mail', title: 'Refused' });
      const reply = await agent.post(`/items/${String(body.item.id)}/reply`, { text: 'Soon.' });
      expect(reply.status, reply.text).to.be.within(200, 202);
      const starts = await until(
        'its job has ended',
        async () => {
          const ended = (await worker.scrape()).samples.filter(
            ({ name, labels }) => name === 'console_job_seconds_count' && labels['kind'] === 'replySend',
          );
          return ended.length > 0 && ended;
        },
        20_000,
      );
      expect(starts.map(({ labels, value }) => [labels['outcome'], value])).to.deep.equal([['done', 1]]);
      expect(await outcomes()).to.deep.equal([0, 1, 0]);
      // The audit log is where its runbook looks.
      const { entries } = (await agent.get('/audit?verb=item.reply.failed')).body as {
        entries: { target: { id: string }; after: { error: string } }[];
      };
      expect(entries.map(({ target, after }) => [target.id, after.error])).to.deep.equal([
        [body.item.id, 'The mail server is away.'],
      ]);
      const refused: Series = {
        'console_replies_total{outcome="sent"}': '0+0x30',
        'console_replies_total{outcome="failed"}': '0+0x15 1+0x15',
        'console_replies_total{outcome="unknown"}': '0+0x30',
      };
      await expectFiring({ ...(await series()), ...refused }, ['ConsoleRepliesFail']);
    });

    it('ConsoleAppOffline alone fires when the app has gone, and requests that need it fail', async () => {
      await app.close();
      // Each process shows for 5 s what it has read.
      await until(
        'both processes know that the app is offline',
        async () =>
          (await Promise.all([api.scrape(), worker.scrape()])).every(
            (metrics) => metrics.value('console_app_online', { environment: 'demo' }) === 0,
          ),
        30_000,
      );
      const read = await agent.get('/resources/order/1');
      expect([read.status, read.body.code]).to.deep.equal([503, 'app_offline']);
      const metrics = await api.scrape();
      expect(metrics.value('console_http_requests_total', { status: '503' })).to.equal(1);
      for (const code of ['internal', 'unavailable'])
        expect(metrics.value('console_http_failures_total', { code }), code).to.equal(0);
      await expectFiring(await series(), ['ConsoleAppOffline']);
    });

    it('those of workers fire when the only one was killed, and a reply waits', async () => {
      const { body } = await agent.post('/items', { inbox: 'mail', title: 'One' });
      await world.settled();
      await worker.end();
      const reply = await agent.post(`/items/${String(body.item.id)}/reply`, { text: 'Soon.' });
      expect(reply.status, reply.text).to.be.within(200, 202);
      // As if it had been accepted two minutes ago.
      await world.sql("update staged_jobs set due_at = due_at - 120000 where name = 'replySend'");
      await world.sql('update outbox set at = at - 120000');
      await becomes('the job is late', (metrics) => {
        const late = metrics.value('console_job_oldest_seconds', { kind: 'replySend' }) ?? 0;
        return late > 120 && metrics.value('console_publisher_up') === 0;
      });
      expect((await api.scrape()).value('console_jobs', { kind: 'replySend', state: 'due' })).to.equal(1);
      await expectFiring(await series(), [
        'ConsoleAppOffline',
        'ConsoleProcessDown',
        'ConsoleJobsLate',
        'ConsoleMessagesLate',
        'ConsolePublisherMissing',
      ]);
    });

    it('and their runbooks ask processes that are left', async function () {
      if ((await runProcess(['curl', '--version'])).code !== 0) this.skip();
      const run = (command: string) => {
        const here = command
          .replace(/10\.0\.0\.1[12]:3001/, `127.0.0.1:${String(api.probePort)}`)
          .replace('10.0.0.21:3002', `127.0.0.1:${String(worker.probePort)}`);
        return runProcess(['bash', '-c', here]);
      };
      for (const [alert, answer] of Object.entries({
        ConsoleJobsLate: 'console_jobs{',
        ConsoleMessagesLate: 'console_outbox_rows ',
        ConsoleBulksLate: 'console_jobs{kind="bulkChunk"',
        ConsolePublisherMissing: 'console_publisher_up 0',
      })) {
        const [first = ''] = readAlertCommands(alert);
        expect((await run(first)).output, `${alert}: ${first}`).to.include(answer);
      }
      const [, left = ''] = readAlertCommands('ConsoleProcessDown');
      expect((await run(left)).output, left).to.include('"ready":true');
      const [, ofWorkers = ''] = readAlertCommands('ConsoleJobsLate');
      expect((await run(ofWorkers)).output, 'nobody listens where the worker was').to.include('curl: (7)');
    });

    it('ConsoleRedisUnavailable fires when Redis was stopped', async () => {
      const alert = 'ConsoleRedisUnavailable';
      await expectFiring(await series(), [], [alert]);
      await redis.stop();
      await becomes('Redis is gone', (metrics) => metrics.value('console_redis_up') === 0);
      await expectFiring(await series(), [alert], [alert]);
    });
  });
});
