/** Changes and reads at a fixed rate, whatever the service takes for them. Used by soak.ts. */
import type { Client } from '../chaos/support/client.ts';
import type { Random } from '../support/random.ts';
import { Latencies, type Latency } from './latency.ts';

/** As many may be under way; one that would be more is left out, so that the rate reached says that it was too high. */
const underWayMax = 128;
const tickMs = 10;
/** For so many changes one thing is read. */
const changesPerRead = 4;

/** One change of an item. None is a snooze: waking up is a change that nobody asked for in this run. */
const changeItem = async (client: Client, item: string, random: Random, mark: string): Promise<void> => {
  const kind = random.pick(['notes', 'tags', 'state'] as const);
  const body = {
    notes: { text: `Note ${mark}` },
    tags:
      random.next() < 0.5 ? { add: [`t${String(random.int(0, 9))}`] } : { remove: [`t${String(random.int(0, 9))}`] },
    state: { state: random.pick(['open', 'waiting', 'closed']) },
  }[kind];
  const { status, text } = await client.post(`/items/${item}/${kind}`, body);
  if (status >= 300) throw new Error(`${kind} of ${item} answered ${String(status)} ${text}`);
};

/** Returns whether it was read, or stopped as one that takes too long. */
const readSomething = async (client: Client, item: string, random: Random): Promise<boolean> => {
  const path = random.pick([
    '/items?limit=50',
    '/items?state=open&limit=50',
    `/items/${item}`,
    `/items/${item}/timeline`,
  ]);
  const { status, body, text } = await client.get(path);
  if (status === 422 && body.code === 'too_broad') return false;
  if (status !== 200) throw new Error(`GET ${path} answered ${String(status)} ${text}`);
  return true;
};

export interface TrafficResult {
  readonly changesAsked: number;
  /** Answered, a second. */
  readonly changesReached: number;
  readonly changes: Latency;
  readonly reads: Latency;
  /** Reads that the service stopped after 2 s: what waits for a lock, as at the end of `admin archive`, may be among them. */
  readonly readsStopped: number;
}

export interface Traffic {
  /** Resolves when the last request is answered. */
  stop(): Promise<TrafficResult>;
}

export interface TrafficOptions {
  readonly client: Client;
  readonly ids: readonly string[];
  readonly changes: number;
  readonly random: Random;
  /** How long it will last. */
  readonly ms: number;
  readonly onProblem: (problem: string) => void;
}

export const startTraffic = ({ client, ids, changes, random, ms, onProblem }: TrafficOptions): Traffic => {
  const since = performance.now();
  const latencies = { changes: new Latencies(since, ms), reads: new Latencies(since, ms) };
  const underWay = new Set<Promise<void>>();
  let [begun, answered, stopped] = [0, 0, 0];

  const read = async (): Promise<void> => {
    if (!(await readSomething(client, random.pick(ids), random))) stopped += 1;
  };
  const launch = (kind: keyof typeof latencies, work: Promise<void>): void => {
    const from = performance.now();
    const done = work
      .then(() => {
        latencies[kind].add(from);
        if (kind === 'changes') answered += 1;
      })
      .catch((error: unknown) => {
        onProblem(error instanceof Error ? error.message : String(error));
      })
      .finally(() => underWay.delete(done));
    underWay.add(done);
  };
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - since) / 1000) * changes);
    for (; begun < due; begun++) {
      if (underWay.size >= underWayMax) continue;
      launch('changes', changeItem(client, random.pick(ids), random, String(begun)));
      if (begun % changesPerRead === 0) launch('reads', read());
    }
  }, tickMs);

  return {
    stop: async () => {
      clearInterval(timer);
      const seconds = (performance.now() - since) / 1000;
      await Promise.all(underWay);
      return {
        changesAsked: changes,
        changesReached: Math.round((answered / seconds) * 10) / 10,
        changes: latencies.changes.result(),
        reads: latencies.reads.result(),
        readsStopped: stopped,
      };
    },
  };
};
