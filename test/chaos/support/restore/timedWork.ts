/**
 * Work of which it is known when each part was sent and when its answer came, so that a point in time divides it exactly: what
 * was answered before it has to be there after a restore to it, and what was sent after it must not. Used by restore.ts.
 */
import { randomUUID } from 'node:crypto';
import type { Random } from '../../../support/random.ts';
import type { Client } from '../client.ts';
import { each, timelineOf } from '../oracle.ts';
import { repeat } from '../pause.ts';
import type { Answer } from '../send.ts';

export type PartKind = 'note' | 'tags' | 'bulk' | 'run';

/** One accepted request. Times are epoch ms of the one clock that everything here has. */
export interface Part {
  readonly kind: PartKind;
  readonly mark: string;
  readonly path: string;
  readonly body: object;
  readonly key: string;
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly answer: Answer;
  /** What it changes: one item, or all of a bulk. */
  readonly items: readonly string[];
}

export interface TimedWork {
  readonly parts: readonly Part[];
  stop(): Promise<void>;
}

interface WorkOptions {
  readonly client: Client;
  readonly items: readonly string[];
  readonly random: Random;
  readonly writers: number;
  /** Actions wait in turn for this record; null: there is no app, and no actions. */
  readonly record: string | null;
}

const gapMs = 60;
const bulkEveryMs = 5_000;
const runEveryMs = 300;
const queuedEveryMs = 400;

export const startTimedWork = ({ client, items, random, writers, record }: WorkOptions): TimedWork => {
  const parts: Part[] = [];
  let stopped = false;
  const send = async (
    kind: PartKind,
    path: string,
    mark: string,
    about: Pick<Part, 'body' | 'items'>,
  ): Promise<void> => {
    const key = randomUUID();
    const sentAt = Date.now();
    const answer = await client.post(path, about.body, { key });
    const answeredAt = Date.now();
    if (answer.status >= 300) throw new Error(`${path} was answered with ${String(answer.status)} ${answer.text}`);
    parts.push({ kind, mark, path, key, sentAt, answeredAt, answer, ...about });
  };
  const isOver = (): boolean => stopped;
  const write = (writer: number): Promise<void> => {
    const own = random.fork(`writer ${String(writer)}`);
    // An item holds 50 tags: each writer takes its former one away.
    const tagged = new Map<string, string>();
    return repeat(gapMs, isOver, async (n) => {
      const mark = `m-${String(writer)}-${String(n)}`;
      const item = own.pick(items);
      if (n % 3 === 0) {
        const remove = [tagged.get(item) ?? []].flat();
        tagged.set(item, mark);
        await send('tags', `/items/${item}/tags`, mark, { body: { add: [mark], remove }, items: [item] });
      } else await send('note', `/items/${item}/notes`, mark, { body: { text: mark }, items: [item] });
    });
  };
  const act = (mark: string, body: object): Promise<void> => send('run', '/actions', mark, { body, items: [] });
  const working = Promise.all([
    ...Array.from({ length: writers }, (_, writer) => write(writer)),
    repeat(bulkEveryMs, isOver, async (n) => {
      const mark = `b-${String(n)}`;
      const operation = { type: 'tags', add: [mark] };
      await send('bulk', '/bulk', mark, { body: { ids: items, operation }, items });
    }),
    repeat(runEveryMs, isOver, async (n) => {
      if (record === null) return;
      const action = (['act', 'job', 'jobAgain'] as const)[n % 3] ?? 'act';
      const mark = `r-${String(n)}`;
      await act(mark, { action, item: random.pick(items), input: { mark, ms: 50 } });
    }),
    // More than the app does: some always wait for their turn, and one is at the app.
    repeat(queuedEveryMs, isOver, async (n) => {
      if (record === null) return;
      const mark = `q-${String(n)}`;
      await act(mark, { action: 'haul', record, input: { mark, ms: 500 } });
    }),
  ]);
  working.catch(() => undefined);
  return {
    parts,
    stop: async () => {
      stopped = true;
      await working;
    },
  };
};

/** Returns how often each mark of a note, of tags or of a bulk stands on each item: `<mark> <item>` → times. */
export const readMarks = async (client: Client, items: readonly string[]): Promise<Map<string, number>> => {
  const seen = new Map<string, number>();
  await each(items, 8, async (item) => {
    for (const { type, data } of await timelineOf(client, item)) {
      const marks = type === 'note' ? [data.text as string] : type === 'tags' ? (data.add as string[]) : [];
      for (const mark of marks) seen.set(`${mark} ${item}`, (seen.get(`${mark} ${item}`) ?? 0) + 1);
    }
  });
  return seen;
};

export const runOf = ({ answer }: Part): string => String(answer.body.run?.id ?? answer.body.run);
