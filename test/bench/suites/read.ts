/** A page of 50 items, half of the requests at the beginning and half anywhere deep in the list; the role sees 3 of 5 inboxes. Beside prepared SQL, and Directus. */
import { freePort } from '../../../shared/tools/services/ports.mjs';
import { inTurn, type Costed, type Suite } from '../bench.ts';
import { environment, readerInboxes } from '../database.ts';
import { startDirectus } from '../directus.ts';
import type { Program } from '../ipc.ts';
import { costs, rate, times } from '../measured.ts';
import type { Measured } from '../plan.ts';
import { atLeast, peer, type Figure } from '../report.ts';
import { get } from '../requests.ts';

/** As many as an API process has by itself. */
const poolSize = 6;
const deepPages = 400;

interface Place {
  /** As our cursor, and as the limit takes it. */
  readonly cursor: string;
  readonly after: string;
}

/** Where each page of a walk through the first 80,000 items ends, 200 items at a time. */
const walk = async (base: string, token: string): Promise<Place[]> => {
  const places: Place[] = [];
  for (let page = 0; page < deepPages; page++) {
    const before = places.at(-1);
    const answer = await fetch(`${base}/items?limit=200${before === undefined ? '' : `&cursor=${before.cursor}`}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { items, cursor } = (await answer.json()) as {
      items: { id: string; lastSeen: number }[];
      cursor: string | null;
    };
    const last = items.at(-1);
    if (cursor === null || last === undefined) break;
    if (items.length !== 200) throw new Error('A page that is not the last one is not full.');
    places.push({ cursor, after: `${String(last.lastSeen)},${last.id}` });
  }
  return places;
};

const half = (first: string, deep: readonly string[]): string[] => deep.flatMap((text) => [first, text]);

interface Found {
  readonly ours: readonly Costed[];
  readonly limit: readonly Costed[];
  readonly directus: readonly Measured[];
}

const figure = (connections: number, { ours, limit, directus }: Found): Figure => ({
  suite: 'read',
  what: `page of 50 items, ${String(connections)} connections`,
  unit: 'pages/s',
  ...atLeast(rate(ours), rate(limit), 0.85),
  goal: '≥ 0.85 × limit, 10 × Directus',
  met: rate(ours) >= 0.85 * rate(limit) && (directus.length === 0 || rate(ours) >= 10 * rate(directus)),
  peers: peer('Directus', directus, rate),
  note: `p50/p99 ms: ours ${times(ours)}, limit ${times(limit)}; CPU: ours ${costs(ours)}, limit ${costs(limit)}`,
});

export const read: Suite = {
  name: 'read',
  run: async (bench) => {
    const { database, options } = bench;
    const { token } = await database.token('reader');
    const [api, limit, port] = await Promise.all([bench.api(), bench.start('pageLimit'), freePort()]);
    await limit.call('start', { port, env: database.env, inboxes: readerInboxes, poolSize });
    const path = `/api/env/${environment}/items`;
    const places = await walk(`http://127.0.0.1:${String(api.port)}/api/env/${environment}`, token);
    const texts = {
      ours: half(
        get(path, token),
        places.map(({ cursor }) => get(`${path}?cursor=${cursor}`, token)),
      ),
      limit: half(
        get('/'),
        places.map(({ after }) => get(`/?after=${after}`)),
      ),
    };
    const fetching = (program: Program, at: number, connections: number, which: 'ours' | 'limit') => () =>
      bench.loadCosting(program, { port: at, connections, requests: { kind: 'texts', texts: texts[which] } });
    const directus = await startDirectus(bench, poolSize);
    /** Its own pages, at the same places; by the time alone, as it has no cursors. */
    const fetchingPeer = (connections: number) =>
      directus === null
        ? null
        : () => {
            const page = (before?: string): string => get(directus.page(readerInboxes, before), directus.token);
            const deep = places.map(({ after }) => page(after.split(',')[0]));
            return bench.load({
              port: directus.port,
              connections,
              requests: { kind: 'texts', texts: half(page(), deep) },
            });
          };
    const found = await inTurn(options.rounds, {
      ours16: fetching(api, api.port, 16, 'ours'),
      limit16: fetching(limit, port, 16, 'limit'),
      ours64: fetching(api, api.port, 64, 'ours'),
      limit64: fetching(limit, port, 64, 'limit'),
    });
    // It is far from any goal: one round is enough.
    const peers = await inTurn(1, { directus16: fetchingPeer(16), directus64: fetchingPeer(64) });
    await directus?.stop();
    return [
      figure(16, { ours: found.ours16, limit: found.limit16, directus: peers.directus16 }),
      figure(64, { ours: found.ours64, limit: found.limit64, directus: peers.directus64 }),
    ];
  },
};
