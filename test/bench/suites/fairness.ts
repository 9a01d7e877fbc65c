/** Changes, small bulks and actions of nine principals, alone and beside forty bulks of 10,000 of another. */
import { sleep } from '../../../shared/platform/time/clock.ts';
import { newApiClient, type ApiClient } from '../apiClient.ts';
import { appEnvironment, prepareApp } from '../appEnvironment.ts';
import type { Bench, Suite } from '../bench.ts';
import { environment } from '../database.ts';
import { median, quantile } from '../numbers.ts';
import type { Figure } from '../report.ts';
import { itemsToChange } from '../requests.ts';

const largeBulks = 40;
const largeItems = 10_000;
/** Principals of each kind. */
const ofEachKind = 3;

interface Seen {
  readonly bulk: { readonly id: string; readonly status: string; readonly total: number; readonly done: number };
}

const tag = (name: string) => ({ type: 'tags', add: [name], remove: [] });

/** What a principal does again and again, and how many milliseconds lie between two beginnings. */
interface Habit {
  readonly everyMs: number;
  readonly act: () => Promise<unknown>;
}

/** Returns how many milliseconds each act took. What takes longer than the time between two delays the next. */
const repeat = async ({ everyMs, act }: Habit, ms: number): Promise<number[]> => {
  const took: number[] = [];
  const end = performance.now() + ms;
  for (let due = performance.now(); due < end; due += everyMs) {
    await sleep(Math.max(0, due - performance.now()));
    const began = performance.now();
    await act();
    took.push(performance.now() - began);
  }
  return took;
};

/** A bulk of ten, until it is done. */
const smallBulk = (call: ApiClient, ids: readonly string[]) => async (): Promise<void> => {
  let { bulk } = await call<Seen>('/bulk', { ids, operation: tag(`small-${String(performance.now())}`) });
  while (bulk.status !== 'done') {
    await sleep(5);
    ({ bulk } = await call<Seen>(`/bulk/${bulk.id}`));
  }
};

const changeStates = (call: ApiClient, items: Awaited<ReturnType<typeof itemsToChange>>) => {
  let n = 0;
  return async (): Promise<void> => {
    const { id = '', states = [] } = items[n % items.length] ?? {};
    await call(`/items/${id}/state`, { state: states[Math.floor(n / items.length) % states.length] });
    n += 1;
  };
};

type Kind = 'change of one item' | 'bulk of 10 until it is done' | 'action done at once';
type Habits = Readonly<Record<Kind, readonly Habit[]>>;

const measure = async (habits: Habits, ms: number): Promise<Record<Kind, number[]>> => {
  const took: Record<Kind, number[]> = {
    'change of one item': [],
    'bulk of 10 until it is done': [],
    'action done at once': [],
  };
  await Promise.all(
    (Object.keys(took) as Kind[]).flatMap((kind) =>
      habits[kind].map(async (habit) => void took[kind].push(...(await repeat(habit, ms)))),
    ),
  );
  return took;
};

const openClients = async (bench: Bench) => {
  const { key } = await prepareApp(bench);
  const [api, app] = await Promise.all([
    bench.api(),
    bench.start('customerApp'),
    bench.start('workers'),
    bench.start('workers'),
  ]);
  const host = `http://127.0.0.1:${String(api.port)}/api/env`;
  await app.call('start', { url: `${host}/${appEnvironment}`, key });
  const client = async (name: string): Promise<ApiClient> =>
    newApiClient(`${host}/${name}`, (await bench.database.token('admin')).token);
  return (name: string, count: number): Promise<ApiClient[]> =>
    Promise.all(Array.from({ length: count }, () => client(name)));
};

export const fairness: Suite = {
  name: 'fairness',
  run: async (bench) => {
    const { database, options } = bench;
    const clients = await openClients(bench);
    const [one, ...others] = await clients(environment, 1 + 2 * ofEachKind);
    if (one === undefined) throw new Error('There is no client.');
    const items = await itemsToChange(database, 300 * ofEachKind);
    const ids = await database.sql<{ id: string }>('select id from items where env = $1 order by id limit $2', [
      database.env,
      largeBulks * largeItems,
    ]);
    const part = (n: number, size: number): string[] => ids.slice(n * size, (n + 1) * size).map(({ id }) => id);
    const habits: Habits = {
      'change of one item': others
        .slice(0, ofEachKind)
        .map((call, n) => ({ everyMs: 50, act: changeStates(call, items.slice(n * 300, (n + 1) * 300)) })),
      'bulk of 10 until it is done': others
        .slice(ofEachKind)
        .map((call, n) => ({ everyMs: 500, act: smallBulk(call, part(n, 10)) })),
      'action done at once': (await clients(appEnvironment, ofEachKind)).map((call) => ({
        everyMs: 100,
        act: () => call('/actions', { action: 'now' }),
      })),
    };
    const ms = options.quick ? 10_000 : 30_000;
    await measure(habits, 3_000);
    const alone = await measure(habits, ms);
    const large = await Promise.all(
      Array.from({ length: largeBulks }, (_, n) =>
        one<Seen>('/bulk', {
          ids: part(n, Math.min(largeItems, Math.floor(ids.length / largeBulks))),
          operation: tag('large'),
        }),
      ),
    );
    const beside = await measure(habits, ms);
    const after = await Promise.all(large.map(({ bulk: { id } }) => one<Seen>(`/bulk/${id}`)));
    const left = after.reduce((sum, { bulk: { total, done } }) => sum + total - done, 0);
    // One that has ended meanwhile is refused.
    await Promise.all(large.map(({ bulk: { id } }) => one(`/bulk/${id}/cancel`, {}).catch(() => undefined)));
    return (Object.keys(alone) as Kind[]).map((kind): Figure => {
      const [before, during] = [quantile(alone[kind], 0.99), quantile(beside[kind], 0.99)];
      return {
        suite: 'fairness',
        what: `${kind}, p99 beside ${String(largeBulks)} bulks of another`,
        unit: 'ms',
        ours: during,
        limit: before,
        goal: '≤ 2 × alone',
        met: during <= 2 * before,
        note: `limit: alone; medians ${median(beside[kind]).toFixed(1)}, alone ${median(alone[kind]).toFixed(1)}; ${left.toLocaleString('en-US')} items still waited`,
      };
    });
  },
};
