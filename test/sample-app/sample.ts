/** The sample app as a whole: its data, its connection, and the switch that takes it offline. Run by main.ts and by tests. */
import { join } from 'node:path';
import { connect, fileStore, type AnswerStore, type Client, type LinkProblem } from '../../shared/sdk/index.ts';
import { sampleApp } from './app.ts';
import type { Change } from './log.ts';
import { openShop, type Shop } from './shop.ts';

export interface SampleOptions {
  /** Of the environment. */
  readonly url: string;
  readonly key: string;
  /** Of its files: `log.jsonl`, `outbox.jsonl`. */
  readonly dir: string;
  readonly onError: (problem: LinkProblem) => void;
  /** Told when it comes online or goes. */
  readonly onPresence?: (online: boolean) => void;
  readonly stepMs?: number;
  /** Epoch ms up to which a new shop has a past; the present when absent. */
  readonly now?: number;
  readonly startedAt?: number;
}

export interface Sample {
  readonly shop: Shop;
  readonly online: boolean;
  /** Both may be called in any state, any number of times. */
  goOnline(): Promise<void>;
  goOffline(): Promise<void>;
  stop(): Promise<void>;
}

/** Runs under way get this long before it is gone. */
const drainMs = 5_000;

const pushRecords = async (client: Client, shop: Shop, which: 'changed' | 'all'): Promise<void> => {
  for (const [resource, records] of shop.stored(which))
    await client.putRecords(
      resource,
      records.map(({ resource: _, ...record }) => record),
    );
};

/** At the first start everything, later what was changed: a kill between an effect and its push is made good here. */
const catchUp = async (client: Client, shop: Shop): Promise<void> => {
  await pushRecords(client, shop, shop.pushed ? 'changed' : 'all');
  if (!shop.pushed) await shop.notePush();
};

const pushChanges = async (client: Client, shop: Shop, changes: readonly Change[]): Promise<void> => {
  await Promise.all(
    changes.map(async ({ resource, id, deleted }) => {
      const record = shop.find(resource, id);
      if (deleted === true) await client.deleteRecords(resource, [id]);
      else if (record !== undefined)
        await client.putRecords(
          resource,
          [record].map(({ resource: _, ...rest }) => rest),
        );
    }),
  );
};

/** The log knows what was done; what failed is no effect and stands in files. */
const answersOf = (shop: Shop, dir: string): AnswerStore => {
  const failed = fileStore(join(dir, 'failed'));
  return {
    instance: failed.instance,
    get: async (run) => (await shop.answers.get(run)) ?? failed.get(run),
    set: (run, answer) => (answer.answer.error === undefined ? shop.answers.set(run, answer) : failed.set(run, answer)),
    delete: (run) => Promise.all([shop.answers.delete(run), failed.delete(run)]),
    keys: async () => [...((await shop.answers.keys?.()) ?? []), ...((await failed.keys?.()) ?? [])],
  };
};

export const openSample = async ({
  url,
  key,
  dir,
  onError,
  onPresence = () => undefined,
  stepMs,
  now,
  startedAt,
}: SampleOptions): Promise<Sample> => {
  const shop = await openShop(dir, {
    ...(stepMs === undefined ? {} : { stepMs }),
    ...(now === undefined ? {} : { now }),
  });
  const app = sampleApp(shop);
  const store = answersOf(shop, dir);
  let client: Client | null = null;
  let turn: Promise<void> = Promise.resolve();
  /** One switch after the other, in the order in which they were requested. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    turn = turn.then(work);
    return turn;
  };

  const goOnline = (): Promise<void> =>
    inTurn(async () => {
      if (client !== null) return;
      const opened = connect({ app, url, key, store, onError, ...(startedAt === undefined ? {} : { startedAt }) });
      client = opened;
      opened.on('online', () => {
        onPresence(true);
      });
      opened.on('offline', () => {
        onPresence(false);
      });
      shop.onChange = (changes) => pushChanges(opened, shop, changes);
      // Waits for the service by itself, and need not be waited for.
      void catchUp(opened, shop).catch(() => undefined);
      await Promise.resolve();
    });
  const goOffline = (): Promise<void> =>
    inTurn(async () => {
      const open = client;
      client = null;
      shop.onChange = () => Promise.resolve();
      await open?.close({ drainMs });
    });
  return {
    shop,
    get online() {
      return client?.online ?? false;
    },
    goOnline,
    goOffline,
    stop: async () => {
      await goOffline();
      await shop.close();
    },
  };
};
