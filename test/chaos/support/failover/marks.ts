/** Work whose every accepted part bears a mark of its own, so that what is lost or done twice is counted. Used by failover.ts. */
import type { Random } from '../../../support/random.ts';
import { tagAll, tallyTags } from '../bulks.ts';
import type { Client } from '../client.ts';
import { each, timelineOf } from '../oracle.ts';
import { repeat } from '../pause.ts';

const noteGapMs = 60;
const bulkEveryMs = 4_000;
const runEveryMs = 400;

export interface Count {
  readonly accepted: number;
  readonly lost: number;
  readonly doubled: number;
}

export interface MarkedWork {
  /** Resolves with the ids of the runs that were accepted, when the last request under way is answered. */
  stop(): Promise<void>;
  /** Reads every timeline. */
  count(): Promise<Count>;
  /** Ids of accepted runs and bulks. */
  readonly runs: string[];
  readonly bulks: string[];
}

export interface WorkOptions {
  readonly client: Client;
  readonly name: string;
  readonly items: readonly string[];
  readonly random: Random;
  readonly writers: number;
  /** True: an app is there to run actions. */
  readonly hasApp: boolean;
}

/** Notes, bulks and actions until it is stopped. */
export const startMarkedWork = ({ client, name, items, random, writers, hasApp }: WorkOptions): MarkedWork => {
  const notes: { readonly mark: string; readonly item: string }[] = [];
  const tags: string[] = [];
  const runs: string[] = [];
  const bulks: string[] = [];
  let stopped = false;

  const isOver = (): boolean => stopped;
  const write = (writer: number): Promise<void> => {
    const own = random.fork(`writer ${String(writer)}`);
    return repeat(noteGapMs, isOver, async (n) => {
      const mark = `${name}-${String(writer)}-${String(n)}`;
      const item = own.pick(items);
      const { status, text } = await client.post(`/items/${item}/notes`, { text: mark });
      if (status >= 300) throw new Error(`A note was answered with ${String(status)} ${text}`);
      notes.push({ mark, item });
    });
  };
  const working = Promise.all([
    ...Array.from({ length: writers }, (_, writer) => write(writer)),
    repeat(bulkEveryMs, isOver, async (n) => {
      const tag = `${name}-${String(n)}`.toLowerCase();
      bulks.push(await tagAll(client, items, tag));
      tags.push(tag);
    }),
    repeat(runEveryMs, isOver, async (n) => {
      if (!hasApp) return;
      const action = n % 2 === 0 ? 'act' : 'job';
      const { status, body, text } = await client.post('/actions', {
        action,
        item: random.pick(items),
        input: { mark: `${name}-run-${String(n)}`, ms: 50 },
      });
      if (status >= 300) throw new Error(`An action was answered with ${String(status)} ${text}`);
      runs.push(String(body.run?.id ?? body.run));
    }),
  ]);
  working.catch(() => undefined);

  return {
    runs,
    bulks,
    stop: async () => {
      stopped = true;
      await working;
    },
    count: async () => {
      const seen = new Map<string, number>();
      await each(items, 8, async (item) => {
        for (const { type, data } of await timelineOf(client, item))
          if (type === 'note') seen.set(data.text as string, (seen.get(data.text as string) ?? 0) + 1);
      });
      const tally = await tallyTags(client, items, tags);
      const times = notes.map(({ mark }) => seen.get(mark) ?? 0);
      return {
        accepted: notes.length + tags.length * items.length,
        lost: times.filter((n) => n === 0).length + tally.lost.length,
        doubled: times.filter((n) => n > 1).length + tally.doubled.length,
      };
    },
  };
};
