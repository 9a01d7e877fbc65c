/** Every command of docs/alerts.md, run as it is printed, by the role that it names, on a service with a synchronous standby. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { migrateDatabase } from '../../migrations/migrate.ts';
import { program } from '../../shared/tools/services/compile.mjs';
import { runProcess } from '../../shared/tools/services/processes.mjs';
import { readAlertCommands, readAlertRules } from '../support/alerts.ts';
import { connectApp, type FakeApp } from '../support/app.ts';
import { clientOf, request } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { startMeasured, type MeasuredProgram } from '../support/metrics.ts';
import { readFences } from '../support/printedFences.ts';
import { scrapedTargets, startPrometheus, type Prometheus } from '../support/prometheus.ts';
import { startReplication, type Replication } from '../support/standby.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

/** Series that a process has only once that has happened which the alert is about. */
const onlyThen = /console_standby_|console_sweep_seconds_count/;

describe('the commands of docs/alerts.md', () => {
  let dir: string;
  let replication: Replication;
  let world: World;
  let api: MeasuredProgram;
  let worker: MeasuredProgram;
  let app: FakeApp;
  let prometheus: Prometheus;
  let environment: Record<string, string>;
  const commands = [...new Set(readAlertRules().flatMap(({ alert }) => readAlertCommands(alert)))];

  before(async function () {
    this.timeout(180_000);
    dir = await mkdtemp(join(tmpdir(), 'console-runbooks-'));
    replication = await startReplication(dir, 1, true);
    const { primary } = replication;
    await migrateDatabase(primary.ownerUrl, primary.url);
    const owner = new pg.Client({ connectionString: primary.ownerUrl });
    await owner.connect();
    await owner.query("alter system set synchronous_standby_names = '*'");
    await owner.query('select pg_reload_conf()');
    // As docs/production.md makes it.
    const text = readFileSync(new URL('../../docs/production.md', import.meta.url), 'utf8');
    const [monitor = ''] = /^create role console_monitor .+;$/m.exec(text) ?? [];
    await owner.query(monitor.replace('…', 'only-for-tests'));
    await owner.end();
    const monitorUrl = new URL(primary.url);
    [monitorUrl.username, monitorUrl.password] = ['console_monitor', 'only-for-tests'];
    world = await newWorld({
      database: { url: primary.url, ownerUrl: primary.ownerUrl, drop: () => Promise.resolve() },
      server: false,
      workers: false,
    });
    api = await startMeasured(world, 'api/main.ts');
    worker = await startMeasured(world, 'workers/main.ts');
    const base = `http://127.0.0.1:${api.port}/api/env/demo`;
    const { token } = await world.person('admin', 'Ana Lind', { fresh: true });
    app = await connectApp(await world.appKey(), { base, manifest: testManifest });
    const processes: Readonly<Record<string, MeasuredProgram>> = { 'api-1:3000': api, 'workers:3002': worker };
    prometheus = await startPrometheus({
      at: (target) => (processes[target] ? [`127.0.0.1:${String(processes[target].probePort)}`] : []),
    });
    await scrapedTargets(prometheus);
    environment = {
      PATH: process.env['PATH'] ?? '',
      base,
      auth: `authorization: Bearer ${token}`,
      MONITOR_DATABASE_URL: monitorUrl.href,
      DATABASE_URL: primary.url,
      MIGRATE_DATABASE_URL: primary.ownerUrl,
      REDIS_URL: world.config.redisUrl,
      REDIS_PREFIX: world.config.redisPrefix,
      DATA_DIR: dir,
    };
    app.handle('reply.send', () => ({}));
    const person = clientOf(base, token, '');
    const made = await person.post('/items', { inbox: 'mail', title: 'One' });
    expect(made.status, made.text).to.equal(201);
    const id = String(made.body.item.id);
    const reply = await person.post(`/items/${id}/reply`, { text: 'Soon.' });
    expect(reply.status, reply.text).to.be.within(200, 202);
    const bulk = await person.post('/bulk', { ids: [id], operation: { type: 'tags', add: ['seen'] } });
    expect(bulk.status, bulk.text).to.equal(202);
    const wrong = await request('POST', `${base}/sign-in`, { email: 'a@example.com', password: 'wrong-one' }, null);
    expect(wrong.status, wrong.text).to.equal(401);
    await until('a worker did both', async () => {
      const metrics = await worker.scrape();
      const done = (kind: string): number => metrics.value('console_job_seconds_count', { kind, outcome: 'done' }) ?? 0;
      return done('replySend') > 0 && done('bulkChunk') > 0;
    });
    await until('it is published', async () => (await api.scrape()).value('console_outbox_rows') === 0);
  });
  after(async () => {
    await app.close();
    await worker.end();
    await api.end();
    await world.close();
    await replication.close();
    await prometheus.stop();
    await rm(dir, { recursive: true, force: true });
  });

  it('are all of a kind that is run here', () => {
    expect(commands.length).to.be.above(35);
    expect(commands.filter((command) => !/^(?:curl|psql|ss|npm run -s doctor)\b/.test(command))).to.deep.equal([]);
  });

  for (const command of commands)
    it(command, async () => {
      const doctor = (await program('shared/tools/doctor/main.ts')).map((word) => `'${word}'`).join(' ');
      const here = command
        .replace(/10\.0\.0\.1[12]:3001/, `127.0.0.1:${String(api.probePort)}`)
        .replace('10.0.0.21:3002', `127.0.0.1:${String(worker.probePort)}`)
        .replace('10.0.0.31:9090', new URL(prometheus.origin).host)
        .replace(':300[0-2] ', `:(${String(api.probePort)}|${api.port}) `)
        .replace('npm run -s doctor', doctor);
      const { code, output } = await runProcess(['bash', '-c', here], { env: environment });
      if (command.startsWith('npm run')) {
        expect(output).to.match(/\d+ fail, \d+ warn, \d+ ok$/m);
        return;
      }
      expect(output).not.to.match(/^\{"error"|command not found|permission denied|ERROR/m);
      if (!onlyThen.test(command)) expect(code, output).to.equal(0);
      if (command.includes(':9090')) expect(output).to.include('"status":"success"');
      if (command.startsWith('psql'))
        for (const row of output
          .split('\n')
          .filter((line) => line.includes('|'))
          .slice(1))
          // A standby that has replayed everything has no lag, and an idle session no transaction.
          expect(
            row
              .split('|')
              .slice(0, 3)
              .every((column) => column.trim() !== ''),
            row,
          ).to.equal(true);
    });

  it('show the synchronous standby to the role that they name, and to the owner without pg_monitor nothing of it', async () => {
    const command = commands.find((one) => one.includes('pg_stat_replication')) ?? '';
    const seen = await runProcess(['bash', '-c', command], { env: environment });
    expect(seen.output).to.match(/walreceiver +\| streaming +\| sync /);
    // Those of docs/production.md for the same, by the role that it names.
    const [sql = ''] = readFences('production').flatMap(({ name, text }) =>
      name === 'production › When the synchronous standby is gone › sql' ? [text] : [],
    );
    const asked = ['psql', environment['MONITOR_DATABASE_URL'] ?? '', '-v', 'ON_ERROR_STOP=1'];
    const shown = await runProcess([...asked, ...sql.split('\n').flatMap((line) => ['-c', line])]);
    expect(shown.code, shown.output).to.equal(0);
    expect(shown.output).to.match(/walreceiver +\| streaming +\| sync/);
    const service = { ...environment, MONITOR_DATABASE_URL: environment['DATABASE_URL'] ?? '' };
    expect((await runProcess(['bash', '-c', command], { env: service })).output).not.to.include('streaming');
  });
});
