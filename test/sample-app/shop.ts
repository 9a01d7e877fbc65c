/**
 * The business of the sample app: Northwind Cloud's customers, orders, payments and subscriptions, and what was done to
 * them. The data is generated again at each start; the log contains what happened since.
 */
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnswerStore, Block, GivenRecord, Item, RunCall } from '../../shared/sdk/index.ts';
import { demoRecords } from '../../shared/tools/demo/shop.ts';
import { openLog, type Change, type Line } from './log.ts';

type Value = string | number | boolean | null;

export interface ShopRecord extends GivenRecord {
  readonly resource: string;
  readonly subtitle: string;
  readonly fields: Readonly<Record<string, Value | undefined>>;
  readonly updatedAt: number;
}

export interface Outcome {
  readonly message: string;
  readonly blocks?: readonly Block[];
  readonly changes?: readonly Change[];
}

export interface Mail {
  readonly delivery: string;
  readonly item: Item;
  readonly subject: string;
  readonly text: string;
  readonly by: string;
}

type Effect = Extract<Line, { kind: 'effect' }>;
type Call = Pick<RunCall<unknown>, 'run' | 'attempt' | 'action' | 'record'>;

export interface Shop {
  /** When the data begins, in ms. */
  readonly since: number;
  /** How long a step of a background action takes, in ms. */
  readonly stepMs: number;
  /** Whether its records were pushed once already. */
  readonly pushed: boolean;
  find(resource: string, id: string): ShopRecord | undefined;
  all(resource: string): readonly ShopRecord[];
  /** What the service has to store, of those that were changed or of all. */
  stored(which: 'changed' | 'all'): ReadonlyMap<string, readonly ShopRecord[]>;
  /** Performs the effect of a run once; a repeated call gets the same answer. `decide` throws to refuse. */
  act(call: Call, decide: () => Outcome): Promise<{ message: string; blocks: readonly Block[] }>;
  isDone(run: string): boolean;
  sendMail(mail: Mail): Promise<void>;
  notePush(): Promise<void>;
  /** The log as the SDK's memory of answers: an effect and its answer are one line, so neither is there without the other. */
  readonly answers: AnswerStore;
  /** Called with what the service should store or forget. */
  onChange: (changes: readonly Change[]) => Promise<unknown>;
  close(): Promise<void>;
}

const keyOf = (resource: string, id: string): string => `${resource}/${id}`;
const isStored = (resource: string): boolean => resource === 'customer' || resource === 'order';

/** Long enough for a push that goes well; one that doesn't must not hold the answer back. */
const pushMs = 1_000;

interface ShopOptions {
  readonly stepMs?: number;
  /** Epoch ms up to which a new shop has a past; one that was opened before keeps its own. */
  readonly now?: number;
}

/** `dir`: of its files. */
export const openShop = async (dir: string, { stepMs = 500, now = Date.now() }: ShopOptions = {}): Promise<Shop> => {
  const log = await openLog(join(dir, 'log.jsonl'));
  const began = log.lines.find((line) => line.kind === 'began');
  const since = began?.at ?? now;
  if (began === undefined) await log.append({ kind: 'began', at: since });

  const { stored, served } = demoRecords(1, since);
  const records = new Map(
    [...stored, ...served].map((record): [string, ShopRecord] => [keyOf(record.resource, record.id), record]),
  );
  const changed = new Map<string, Change>();
  const effects = new Map<string, Effect>();
  const unsettled = new Set<string>();
  const sent = new Set<string>();
  let pushed = false;

  const apply = (effect: Effect): void => {
    effects.set(effect.run, effect);
    unsettled.add(effect.run);
    for (const change of effect.changes) {
      const key = keyOf(change.resource, change.id);
      const record = records.get(key);
      if (change.deleted === true) records.delete(key);
      else if (record !== undefined)
        records.set(key, { ...record, fields: { ...record.fields, ...change.fields }, updatedAt: effect.at });
      changed.set(key, change);
    }
  };
  for (const line of log.lines) {
    if (line.kind === 'effect') apply(line);
    else if (line.kind === 'settled') unsettled.delete(line.run);
    else if (line.kind === 'sent') sent.add(line.delivery);
    else if (line.kind === 'pushed') pushed = true;
  }

  const push = async (changes: readonly Change[]): Promise<void> => {
    const stored = changes.filter(({ resource }) => isStored(resource));
    if (stored.length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, pushMs);
    });
    await Promise.race([shop.onChange(stored), late]).catch(() => undefined);
    clearTimeout(timer);
  };

  const answerOf = ({ message, blocks }: Effect): { message: string; blocks: readonly Block[] } => ({
    message,
    blocks,
  });

  const shop: Shop = {
    since,
    stepMs,
    get pushed() {
      return pushed;
    },
    find: (resource, id) => records.get(keyOf(resource, id)),
    all: (resource) => [...records.values()].filter((record) => record.resource === resource),
    stored: (which) => {
      const found = new Map<string, ShopRecord[]>([
        ['customer', []],
        ['order', []],
      ]);
      for (const [key, record] of records)
        if (which === 'all' || changed.has(key)) found.get(record.resource)?.push(record);
      return found;
    },
    isDone: (run) => effects.has(run),
    act: async ({ run, attempt, action, record }, decide) => {
      const known = effects.get(run);
      if (known !== undefined) {
        await log.append({ kind: 'again', at: Date.now(), run, attempt });
        return answerOf(known);
      }
      const { message, blocks = [], changes = [] } = decide();
      const effect: Effect = {
        kind: 'effect',
        at: Date.now(),
        run,
        attempt,
        action,
        record: record?.id ?? null,
        message,
        blocks,
        changes,
      };
      // Nothing is awaited between deciding and this, so no other run decides on what is about to change.
      apply(effect);
      await log.append(effect);
      await push(changes);
      return answerOf(effect);
    },
    sendMail: async ({ delivery, item, ...mail }) => {
      if (sent.has(delivery)) return;
      sent.add(delivery);
      const to = typeof item.fields['email'] === 'string' ? item.fields['email'] : null;
      await appendFile(
        join(dir, 'outbox.jsonl'),
        `${JSON.stringify({ at: Date.now(), delivery, item: item.id, to, ...mail })}\n`,
      );
      await log.append({ kind: 'sent', at: Date.now(), delivery });
    },
    notePush: async () => {
      pushed = true;
      await log.append({ kind: 'pushed', at: Date.now() });
    },
    answers: {
      get: (run) => {
        const effect = effects.get(run);
        return Promise.resolve(
          effect === undefined ? null : { attempt: effect.attempt, answer: { result: answerOf(effect) } },
        );
      },
      // Finished runs are in the log already; failed ones may be retried.
      set: () => Promise.resolve(),
      delete: async (run) => {
        if (unsettled.delete(run)) await log.append({ kind: 'settled', at: Date.now(), run });
      },
      keys: () => Promise.resolve([...unsettled]),
    },
    onChange: () => Promise.resolve(),
    close: () => log.close(),
  };
  return shop;
};
