/** Work for a site: items to begin with, and writers that go on until they are stopped. */
import type { Random } from '../../support/random.ts';
import type { Client } from './client.ts';
import { each } from './oracle.ts';
import { pause } from './pause.ts';

/** Creates `count` items, each with fields of about `bytes`; returns their ids. */
export const makeItems = async (client: Client, count: number, inbox = 'mail', bytes = 30): Promise<string[]> => {
  const plan = 'x'.repeat(bytes);
  const ids: string[] = [];
  await each(Array.from({ length: count }), 24, async (_, n) => {
    const { status, body, text } = await client.post('/items', {
      inbox,
      title: `Item ${String(n)}`,
      data: { email: `a${String(n)}@example.com`, plan },
    });
    if (status !== 201) throw new Error(`An item could not be created: ${text}`);
    ids.push(body.item.id as string);
  });
  return ids;
};

/** One change of an item that always changes it, by chance one of several kinds. */
export const changeOnce = async (client: Client, item: string, random: Random, mark: string): Promise<void> => {
  const kind = random.pick(['notes', 'tags', 'state', 'snooze'] as const);
  const body = {
    notes: { text: `Note ${mark}` },
    tags: { add: [`t${String(random.int(0, 9))}`] },
    state: { state: random.pick(['open', 'waiting', 'closed']) },
    snooze: { until: Date.now() + 3_600_000 + random.int(0, 1_000_000) },
  }[kind];
  const { status, text } = await client.post(`/items/${item}/${kind}`, body);
  // A closed item can't be snoozed: the one refusal that belongs to the game.
  const isRefused = kind === 'snooze' && status === 409;
  if (status >= 300 && !isRefused) throw new Error(`${kind} of ${item} answered ${String(status)} ${text}`);
};

export interface Writers {
  readonly done: () => number;
  /** Resolves when the last write under way is answered. */
  stop(): Promise<void>;
}

/** `count` writers that change items of `ids` until they are stopped, with `gapMs` between two changes of one writer. */
export const startWriters = (
  client: Client,
  ids: readonly string[],
  count: number,
  random: Random,
  gapMs = 0,
): Writers => {
  let stopped = false;
  let done = 0;
  const write = async (n: number): Promise<void> => {
    const own = random.fork(`writer ${String(n)}`);
    while (!stopped) {
      await changeOnce(client, own.pick(ids), own, `${String(n)}-${String(done)}`);
      done += 1;
      if (gapMs > 0) await pause(gapMs);
    }
  };
  const writing = Promise.all(Array.from({ length: count }, (_, n) => write(n)));
  writing.catch(() => undefined);
  return {
    done: () => done,
    stop: async () => {
      stopped = true;
      await writing;
    },
  };
};
