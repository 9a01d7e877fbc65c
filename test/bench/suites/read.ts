/** A page of 50 items, half of the requests at the beginning and half anywhere deep in the list; the role sees 3 of 5 inboxes. */
import { freePort, inTurn, type Bench, type Costed, type Suite } from '../bench.ts';
import { environment, readerInboxes } from '../database.ts';
import type { Program } from '../ipc.ts';
import { median } from '../numbers.ts';
import { atLeast, type Figure } from '../report.ts';
import { costs, get, rate } from './bare.ts';

/** As many as an API process has by itself. */
const poolSize = 6;
const deepPages = 400;

/** Places all over the list, as `lastSeen,id`. */
const deepPlaces = async ({ database }: Bench): Promise<string[]> => {
  const found = await database.sql<{ place: string }>(
    `select last_seen || ',' || id as place from items tablesample system (1) where env = $1 and inbox = any ($2) order by random() limit ${String(deepPages)}`,
    [database.env, readerInboxes]);
  return found.map(({ place }) => place);
};

/** Sealed cursors of our own pages: every 40th page of a walk through the list's first 100,000 items, 200 items at a time. */
const deepCursors = async (base: string, token: string): Promise<string[]> => {
  const cursors: string[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < deepPages; page++) {
    const answer = await fetch(`${base}/items?limit=200${cursor === null ? '' : `&cursor=${cursor}`}`, { headers: { authorization: `Bearer ${token}` } });
    const body = (await answer.json()) as { items: unknown[]; cursor: string | null };
    if (body.items.length !== 200 && body.cursor !== null) throw new Error('A page that is not the last one is not full.');
    cursor = body.cursor;
    if (cursor === null) break;
    cursors.push(cursor);
  }
  return cursors;
};

const half = (first: string, deep: readonly string[]): string[] => deep.flatMap((text) => [first, text]);

const figure = (connections: number, ours: readonly Costed[], limit: readonly Costed[]): Figure => ({
  suite: 'read', what: `page of 50 items, ${String(connections)} connections`, unit: 'pages/s', ...atLeast(rate(ours), rate(limit), 0.8),
  note: `p50/p99 ms: ours ${median(ours.map(({ p50 }) => p50)).toFixed(1)}/${median(ours.map(({ p99 }) => p99)).toFixed(0)}, limit ${median(limit.map(({ p50 }) => p50)).toFixed(1)}/${median(limit.map(({ p99 }) => p99)).toFixed(0)}; CPU: ours ${costs(ours)}, limit ${costs(limit)}`,
});

export const read: Suite = {
  name: 'read',
  run: async (bench) => {
    const { database, options } = bench;
    const { token } = await database.token('reader');
    const [api, limit, port] = await Promise.all([bench.api(), bench.start('pageLimit'), freePort()]);
    await limit.call('start', { port, env: database.env, inboxes: readerInboxes, poolSize });
    const path = `/api/env/${environment}/items`;
    const cursors = await deepCursors(`http://127.0.0.1:${String(api.port)}/api/env/${environment}`, token);
    const texts = {
      ours: half(get(path, token), cursors.map((cursor) => get(`${path}?cursor=${cursor}`, token))),
      limit: half(get('/'), (await deepPlaces(bench)).map((place) => get(`/?after=${place}`))),
    };
    const fetching = (program: Program, at: number, connections: number, which: 'ours' | 'limit') => () => bench.loadCosting(program, { port: at, connections, requests: { kind: 'texts', texts: texts[which] } });
    const found = await inTurn(options.rounds, {
      ours16: fetching(api, api.port, 16, 'ours'),
      limit16: fetching(limit, port, 16, 'limit'),
      ours64: fetching(api, api.port, 64, 'ours'),
      limit64: fetching(limit, port, 64, 'limit'),
    });
    return [figure(16, found.ours16, found.limit16), figure(64, found.ours64, found.limit64)];
  },
};
