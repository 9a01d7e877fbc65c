/** A bulk of 10,000 over HTTP, from request to done, against set-based chunks alone and 10,000 single calls; singles meanwhile. */
import { sleep } from '../../../shared/platform/time/clock.ts';
import { newApiClient, type ApiClient } from '../apiClient.ts';
import { inTurn, type Bench, type Suite } from '../bench.ts';
import { environment } from '../database.ts';
import { rate } from '../measured.ts';
import { median } from '../numbers.ts';
import type { Changed, Measured } from '../plan.ts';
import { atLeast, atMost } from '../report.ts';
import { changing, itemsToChange } from '../requests.ts';

const size = 10_000;

/** Random items of one inbox, and a state that none of them is in: the rarest one. */
const target = async ({ database }: Bench): Promise<{ ids: string[]; state: string; closed: boolean }> => {
  const found = await database.sql<{ id: string; state: string }>(
    `select id, state from items tablesample system (${database.share(size * 5)}) where env = $1 and inbox = 'support' order by random() limit $2`,
    [database.env, size * 1.5],
  );
  const count = (state: string): number => found.filter((item) => item.state === state).length;
  const [state = ''] = ['open', 'waiting', 'closed'].sort((a, b) => count(a) - count(b));
  const ids = found
    .filter((item) => item.state !== state)
    .map(({ id }) => id)
    .slice(0, size);
  if (ids.length < size) throw new Error('There are too few items for a bulk.');
  return { ids, state, closed: state === 'closed' };
};

interface Seen {
  readonly bulk: { readonly id: string; readonly status: string; readonly changed: number };
}

/** Seconds from the request to the end. */
const runBulk = async (call: ApiClient, ids: readonly string[], state: string, exactly = true): Promise<number> => {
  const began = performance.now();
  let { bulk } = await call<Seen>('/bulk', { ids, operation: { type: 'state', state } });
  while (bulk.status !== 'done') {
    await sleep(10);
    ({ bulk } = await call<Seen>(`/bulk/${bulk.id}`));
  }
  if (exactly && bulk.changed !== ids.length)
    throw new Error(`Only ${String(bulk.changed)} of ${String(ids.length)} were changed.`);
  return (performance.now() - began) / 1000;
};

/** Waits until the publisher has published everything, so that each measurement begins at rest. */
const settled = async ({ database }: Bench): Promise<void> => {
  while ((await database.sql('select from outbox limit 1')).length > 0) await sleep(20);
};

/** A user of the API at a port. */
interface User {
  readonly call: ApiClient;
  readonly token: string;
  readonly port: number;
}

const meanwhile =
  (bench: Bench, { call, token, port }: User) =>
  async (): Promise<Measured> => {
    await settled(bench);
    const { ids, state } = await target(bench);
    const items: Changed[] = ids.map((id) => ({
      id,
      states: ['open', 'waiting', 'closed'].filter((other) => other !== state),
    }));
    const load = bench.load({ port, connections: 4, warmupMs: 200, ms: 1_000, requests: changing(token, items) });
    await sleep(200);
    await runBulk(call, ids.toReversed(), state, false);
    return load;
  };

export const bulk: Suite = {
  name: 'bulk',
  run: async (bench) => {
    const { database, options } = bench;
    const [api, limit] = await Promise.all([bench.api(), bench.start('bulkLimit'), bench.start('workers')]);
    const { token } = await database.token('admin');
    const call = newApiClient(`http://127.0.0.1:${String(api.port)}/api/env/${environment}`, token);
    // The first bulk of a process also pays for its connections and plans.
    await runBulk(call, (await target(bench)).ids.slice(0, 1000), 'closed', false);
    const found = await inTurn(options.rounds, {
      ours: async () => {
        await settled(bench);
        const { ids, state } = await target(bench);
        return runBulk(call, ids, state);
      },
      limit: async () => {
        await settled(bench);
        return limit.call<number>('run', { env: database.env, ...(await target(bench)) });
      },
    });
    const { singles, waits } = await inTurn(options.rounds, {
      singles: async () =>
        bench.load({ port: api.port, connections: 64, requests: changing(token, await itemsToChange(database)) }),
      waits: meanwhile(bench, { call, token, port: api.port }),
    });
    const [seconds, least] = [median(found.ours), median(found.limit)];
    const waited = median(waits.map(({ max }) => max));
    return [
      {
        suite: 'bulk',
        what: 'bulk of 10,000, request to done',
        unit: 'items/s',
        ...atLeast(size / seconds, size / least, 0.9),
      },
      { suite: 'bulk', what: 'the same, time', unit: 's', ...atMost(seconds, 1, 's'), limit: least },
      {
        suite: 'bulk',
        what: 'the same, against single calls (64 callers)',
        unit: 'items/s',
        ours: size / seconds,
        limit: rate(singles),
        goal: '≥ 10 × single calls',
        met: size / seconds >= 10 * rate(singles),
      },
      {
        suite: 'bulk',
        what: 'single changes of its items meanwhile, longest',
        unit: 'ms',
        ...atMost(waited, 60, 'ms'),
        note: `p50/p99 ms: ${median(waits.map(({ p50 }) => p50)).toFixed(1)}/${median(waits.map(({ p99 }) => p99)).toFixed(0)}`,
      },
    ];
  },
};
