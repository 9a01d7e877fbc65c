/** docs/metrics.md has every metric that API and workers serve, and no other. */
import { expect } from 'chai';
import { toFaultResponse } from '../../api/http/response.ts';
import { createHttpMetrics } from '../../api/middleware/requests.ts';
import { errors, fault, type ErrorCode } from '../../shared/catalogue/errors.ts';
import { readAlertRules } from '../support/alerts.ts';
import { startMeasured, type Metrics } from '../support/metrics.ts';
import { expectPrinted } from '../support/printed.ts';
import { newWorld, type World } from '../support/world.ts';

/** Of Node itself, by prom-client; which of them there are depends on the system. */
const isOfNode = (name: string): boolean => /^(?:nodejs|process)_/.test(name);

const metricTable = (api: Metrics, worker: Metrics): string => {
  const names = [...new Set([...api.families.keys(), ...worker.families.keys()])].filter((name) => !isOfNode(name));
  const row = (name: string): string => {
    const { type, help } = api.families.get(name) ?? worker.families.get(name) ?? { type: '', help: '' };
    const places = [api.families.has(name) ? 'API' : '', worker.families.has(name) ? 'workers' : ''];
    return `| \`${name}\` | ${type} | ${places.filter((place) => place !== '').join(', ')} | ${help} |`;
  };
  return ['| Metric | Type | Of | Meaning |', '| - | - | - | - |', ...names.sort().map(row)].join('\n');
};

describe('the names of metrics', () => {
  let world: World;
  let [api, worker]: Metrics[] = [];

  before(async () => {
    world = await newWorld({ server: false, workers: false });
    for (const path of ['api/main.ts', 'workers/main.ts'] as const) {
      const program = await startMeasured(world, path);
      const metrics = await program.scrape();
      await program.end();
      if (path === 'api/main.ts') api = metrics;
      else worker = metrics;
    }
  });
  after(() => world.close());

  it('docs/metrics.md has the table of what both processes serve', () => {
    if (api === undefined || worker === undefined) throw new Error('A process was not scraped.');
    const wanted = metricTable(api, worker);
    expectPrinted('docs/metrics.md', 'metrics', wanted, 'npm test -- test/flows/metricNames.test.ts');
  });

  it('all names are ours or Node’s, and say their unit', () => {
    const families = [...(api?.families ?? []), ...(worker?.families ?? [])].filter(([name]) => !isOfNode(name));
    expect(families).to.have.length.above(30);
    for (const [name, { type, help }] of families) {
      expect(name).to.match(/^console_[a-z_]+$/);
      expect(name.endsWith('_total'), `${name} is a ${type}`).to.equal(type === 'counter');
      if (type === 'histogram') expect(name).to.match(/_seconds$/);
      expect(help, `say what ${name} is`).to.match(/\.$/);
    }
  });

  it('counters of which an alert wants the first increase begin at 0', () => {
    const names = readAlertRules().flatMap(({ expr }) =>
      [...expr.matchAll(/increase\((console_\w+_total)/g)].map(([, name = '']) => name),
    );
    expect(names).to.include.members(['console_redis_refused_total', 'console_replies_total']);
    for (const name of names)
      for (const metrics of [api, worker].filter((each) => each?.families.has(name)))
        expect(metrics?.value(name), `begin each series of ${name} by beginAtZero`).to.equal(0);
  });

  it('a failure of the service is every 5xx but those of the app and of probes, and begins at 0', async () => {
    const name = 'console_http_failures_total';
    const metrics = createHttpMetrics();
    const counts = async (): Promise<object> =>
      Object.fromEntries(
        [...(await metrics.registry.getSingleMetricAsString(name)).matchAll(/^\w+\{code="(\w+)"\} (\d+)$/gm)].map(
          ([, code = '', count]) => [code, Number(count)],
        ),
      );
    const codes = Object.keys(errors) as ErrorCode[];
    const own = codes.filter((code) => errors[code].status >= 500 && !code.startsWith('app_'));
    expect(await counts()).to.deep.equal(Object.fromEntries(own.map((code) => [code, 0])));
    for (const code of codes) metrics.observe('GET', 'error', toFaultResponse(fault(code)), 1);
    metrics.observe('GET', '/ready', { status: 503, body: { ready: false, degraded: [] } }, 1);
    expect(await counts()).to.deep.equal(Object.fromEntries(own.map((code) => [code, 1])));
  });
});
