/** Measures reads of timelines, histories and the audit log beside a short past and a long one of many months, with which they must not grow. */
import type { Suite } from '../bench.ts';
import { environment } from '../database.ts';
import { median } from '../numbers.ts';
import { changedFlag, fillPast, itemsCreated, type Past } from '../past.ts';
import { atMost, type Figure } from '../report.ts';

/** Returns the path of the n-th read. */
type Read = (n: number) => string;

const suite = 'history';
const full: readonly Past[] = [
  { events: 1_000_000, months: 1 },
  { events: 30_000_000, months: 24 },
];
const quick: readonly Past[] = [
  { events: 100_000, months: 1 },
  { events: 1_000_000, months: 24 },
];
/** Items of the first month, and as many of the last one. */
const probed = 200;
/** A read takes so many times as long beside the long past at most. */
const most = 1.2;
/** Reads nothing of the past: how much slower the machine is than it was is told by how long it takes. */
const control = 'an item of a list';

export const history: Suite = {
  name: suite,
  run: async (bench) => {
    const { database, options, say } = bench;
    const { token } = await database.token('admin');
    const at = (list: readonly string[], n: number): string => list[n % list.length] ?? '';
    const readsOf = (old: readonly string[], young: readonly string[]): Readonly<Record<string, Read>> => ({
      'timeline of an old item': (n) => `/items/${at(old, n)}/timeline?limit=10`,
      'timeline of a new item': (n) => `/items/${at(young, n)}/timeline?limit=10`,
      'audit log': () => '/audit?limit=20',
      'audit of an actor': (n) => `/audit?limit=20&actor=agt_${String(n % 50).padStart(26, '0')}`,
      'audit of a verb': () => '/audit?limit=20&verb=item.tags',
      'audit of an old item': (n) => `/audit?limit=10&target=${at(old, n)}`,
      'audit of a new item': (n) => `/audit?limit=10&target=${at(young, n)}`,
      'audit of a time': (n) =>
        `/audit?limit=20&from=${String(Date.now() - 20 * 86_400_000)}&to=${String(Date.now() - n * 60_000)}`,
      'history of a flag': () => `/flags/${changedFlag}/history?limit=5`,
      [control]: () => '/items?limit=1',
    });
    const rounds = options.quick ? 100 : 400;
    const times = new Map<string, number[]>();
    for (const past of options.quick ? quick : full) {
      const since = performance.now();
      // The first months' and the last month's.
      const old = await itemsCreated(database, { inbox: 'support', count: probed, months: past.months });
      const young = await itemsCreated(database, { inbox: 'errors', count: probed, months: 0 });
      await fillPast(database, past, [...old, ...young]);
      say(
        `${past.events.toLocaleString('en-US')} events in ${String(past.months)} months, loaded in ${((performance.now() - since) / 1_000).toFixed(0)} s`,
      );
      const api = await bench.api();
      const base = `http://127.0.0.1:${String(api.port)}/api/env/${environment}`;
      const headers = { authorization: `Bearer ${token}` };
      const read = async (path: string): Promise<number> => {
        const sentAt = performance.now();
        const answer = await fetch(`${base}${path}`, { headers });
        const text = await answer.text();
        if (!answer.ok || !/^\{"(?:entries|items)":\[\{/.test(text)) throw new Error(`${path}: ${text.slice(0, 200)}`);
        return performance.now() - sentAt;
      };
      const reads = readsOf(old, young);
      const taken = new Map(Object.keys(reads).map((name) => [name, [] as number[]]));
      // In turn, so that what else the machine does falls on all of them.
      for (let n = -rounds / 2; n < rounds; n++)
        for (const [name, path] of Object.entries(reads)) {
          const ms = await read(path(n + rounds));
          if (n >= 0) taken.get(name)?.push(ms);
        }
      for (const [name, all] of taken) times.set(name, [...(times.get(name) ?? []), median(all)]);
      await bench.clear();
    }
    const [before = Number.NaN, after = Number.NaN] = times.get(control) ?? [];
    const slower = after / before;
    times.delete(control);
    return [...times].map(([name, [short = Number.NaN, long = Number.NaN]]): Figure => ({
      suite,
      what: `${name}, beside 24 months`,
      unit: '× of the short past',
      ...atMost(long / short / slower, most, '×'),
      note: `p50 ${short.toFixed(2)} → ${long.toFixed(2)} ms, ${control} ${before.toFixed(2)} → ${after.toFixed(2)}`,
    }));
  },
};
