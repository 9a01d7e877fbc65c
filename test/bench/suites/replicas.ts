/** Pages of 50 items, read by six principals, without a standby, with one and with two; on a primary and standbys of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { historySql } from '../../../shared/platform/db/serverState.ts';
import { startReplication, type Replication } from '../../support/standby.ts';
import { until } from '../../support/until.ts';
import { inTurn, type Api, type Bench, type Suite } from '../bench.ts';
import { environment, openDatabase, type Database } from '../database.ts';
import { rate, times } from '../measured.ts';
import type { Measured } from '../plan.ts';
import type { Figure } from '../report.ts';
import { get } from '../requests.ts';

const connections = 32;
/** One principal has a third of the connections to a server at most. */
const principals = 6;

/** What a worker writes down before it publishes; without it no standby serves reads. */
const publishedSql = `update leases set timeline = ${historySql} where name = 'publisher'`;

const sample = async ({ port }: Api, name: string): Promise<number[]> => {
  const text = await (await fetch(`http://127.0.0.1:${String(port)}/metrics`)).text();
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`))
    .map((line) => Number(line.split(' ').at(-1)));
};

/** Returns an API with so many standbys once all of them serve reads. */
const apiWith = async (bench: Bench, { url }: Database, { standbys }: Replication, count: number): Promise<Api> => {
  const { pathname } = new URL(url);
  const urls = standbys.slice(0, count).map((standby) => new URL(pathname, standby.url).href);
  const api = await bench.api({
    DATABASE_URL: url,
    MIGRATE_DATABASE_URL: url,
    ...(count === 0 ? {} : { DATABASE_READ_URL: urls.join(',') }),
  });
  const up = async (): Promise<boolean> => {
    const states = await sample(api, 'console_standby_up');
    return states.length === count && states.every((state) => state === 1);
  };
  await until(`${String(count)} standbys serve reads`, up, 120_000);
  return api;
};

const measure = async (bench: Bench, database: Database, replication: Replication): Promise<Figure[]> => {
  await database.sql(publishedSql);
  const tokens = await Promise.all(Array.from({ length: principals }, () => database.token('reader')));
  const texts = tokens.map(({ token }) => get(`/api/env/${environment}/items`, token));
  const apis = [
    await apiWith(bench, database, replication, 0),
    await apiWith(bench, database, replication, 1),
    await apiWith(bench, database, replication, 2),
  ] as const;
  const reading =
    ({ port }: Api) =>
    (): Promise<Measured> =>
      bench.load({ port, connections, requests: { kind: 'texts', texts } });
  const found = await inTurn(bench.options.rounds, {
    none: reading(apis[0]),
    one: reading(apis[1]),
    two: reading(apis[2]),
  });
  const served = async (api: Api): Promise<string> => {
    const [first = 0, ...others] = await sample(api, 'console_standby_reads_total');
    return `${first.toFixed(0)} served by standbys, ${others.reduce((sum, n) => sum + n, 0).toFixed(0)} by the primary`;
  };
  const row = (what: string, own: readonly Measured[], note: string): Figure => ({
    suite: 'replicas',
    what,
    unit: 'pages/s',
    ours: rate(own),
    peers: [{ name: 'no standby', value: rate(found.none) }],
    note: `p50/p99 ms: ${times(own)}; ${note}`,
  });
  return [
    row('page of 50 items, no standby', found.none, 'all by the primary'),
    row('the same with one standby', found.one, await served(apis[1])),
    row('the same with two standbys', found.two, await served(apis[2])),
  ];
};

export const replicas: Suite = {
  name: 'replicas',
  run: async (bench) => {
    const dir = mkdtempSync(join(tmpdir(), 'console-replicas-'));
    const replication = await startReplication(dir, 2, true);
    try {
      const { items } = bench.options;
      const database = await openDatabase({ items, database: null }, bench.say, replication.primary);
      try {
        return await measure(bench, database, replication);
      } finally {
        await bench.clear();
        await database.close();
      }
    } finally {
      await replication.close();
      rmSync(dir, { recursive: true, force: true });
    }
  },
};
