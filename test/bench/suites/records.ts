/** Records: every kind of search, filter, sort and deep page in PostgreSQL, and the usual ones over HTTP beside prepared SQL by hand. */
import { openDb } from '../../../shared/platform/db/knex.ts';
import { termQueries } from '../../../shared/records/terms.ts';
import { freePort } from '../../../shared/tools/services/ports.mjs';
import { inTurn, type Bench, type Suite } from '../bench.ts';
import { rate, times } from '../measured.ts';
import { median } from '../numbers.ts';
import type { Measured } from '../plan.ts';
import { measureRecords, type RecordCost } from '../recordLists.ts';
import { loadRecords, recordsEnvironment, recordsResource, type RecordsSite } from '../recordsLoad.ts';
import { atLeast, atMost, type Figure } from '../report.ts';
import { get } from '../requests.ts';

const poolSize = 6;
const connections = 16;
/** Of the quality goals: any page in SQL, in ms. */
const most = 5;

const named = ({ kind, p50, p95, cpu }: RecordCost): string =>
  `${kind} ${p50.toFixed(1)}/${p95.toFixed(1)}${cpu === null ? '' : ` (${cpu.toFixed(1)} CPU)`}`;

const inSql = (costs: readonly RecordCost[]): Figure[] => {
  const slowest = [...costs].sort((a, b) => b.p50 - a.p50);
  const note = `median of all ${median(costs.map(({ p50 }) => p50)).toFixed(2)}; slowest p50/p95: ${slowest.slice(0, 4).map(named).join(', ')}`;
  return [
    {
      suite: 'records',
      what: `${String(costs.length)} kinds of searches and pages in SQL, slowest p50`,
      unit: 'ms',
      ...atMost(slowest[0]?.p50 ?? Number.NaN, most, 'ms'),
      note,
    },
  ];
};

/** Many values, so that not one page is answered over and over. */
const texts = (of: (n: number) => string): string[] =>
  Array.from({ length: 200 }, (_, n) => of((n * 4_999) % 1_000_003));

const kinds = (token: string, { env }: RecordsSite): Readonly<Record<string, { ours: string[]; limit: string[] }>> => {
  const path = `/api/env/${recordsEnvironment}/resources/${recordsResource}`;
  const filters = (value: object): string => encodeURIComponent(JSON.stringify(value));
  const word = (text: string): string =>
    encodeURIComponent(termQueries(env, recordsResource).matches(text).join(' & '));
  return {
    'search of a word': {
      ours: texts((n) => get(`${path}?q=${String(n)}`, token)),
      limit: texts((n) => get(`/word/${word(String(n))}`)),
    },
    'page by title': { ours: [get(`${path}/list`, token)], limit: [get('/title/')] },
    'page by a number, anywhere': {
      ours: texts((n) => get(`${path}/list?sort=-spent&filters=${filters({ spent: { lt: n } })}`, token)),
      limit: texts((n) => get(`/spent/${String(n)}`)),
    },
    'page under a filter of 10 %': {
      ours: [get(`${path}/list?filters=${filters({ plan: 'Business' })}`, token)],
      limit: [get('/plan/Business')],
    },
  };
};

const overHttp = async (bench: Bench, site: RecordsSite): Promise<Figure[]> => {
  const { token } = await bench.database.token('admin');
  const [api, limit, port] = await Promise.all([bench.api(), bench.start('recordLimit'), freePort()]);
  await limit.call('start', { port, env: site.env, resource: recordsResource, poolSize });
  const figures: Figure[] = [];
  for (const [kind, requests] of Object.entries(kinds(token, site))) {
    const load = (at: number, which: 'ours' | 'limit') => (): Promise<Measured> =>
      bench.load({ port: at, connections, requests: { kind: 'texts', texts: requests[which] } });
    const found = await inTurn(bench.options.rounds, { ours: load(api.port, 'ours'), limit: load(port, 'limit') });
    figures.push({
      suite: 'records',
      what: `${kind}, ${String(connections)} connections`,
      unit: 'answers/s',
      ...atLeast(rate(found.ours), rate(found.limit), 0.5),
      note: `p50/p99 ms: ours ${times(found.ours)}, limit ${times(found.limit)}`,
    });
  }
  return figures;
};

export const records: Suite = {
  name: 'records',
  run: async (bench) => {
    const { database, options } = bench;
    const rows = options.quick ? 100_000 : 1_000_000;
    const site = await loadRecords(database, rows);
    bench.say(`${rows.toLocaleString('en-US')} records loaded in ${site.took.toFixed(0)} s`);
    const db = openDb({ url: database.url, poolSize: 1, applicationName: 'console-bench-records' });
    const costs = await measureRecords(db, site, options.quick ? 15 : 30);
    await db.destroy();
    return [...inSql(costs), ...(await overHttp(bench, site))];
  },
};
