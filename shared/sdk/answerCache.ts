/**
 * Caches running calls and answers by idempotency key, so that a run that is dispatched twice acts once. requestHandler.ts
 * uses one for `action.run` and one for `reply.send`; answerResender.ts sends the answers that are not settled.
 */
import type { RpcError } from '../app/link/protocol.ts';
import { jsonWeight, type Weight } from './batches.ts';
import type { RpcAnswer } from './peer.ts';
import { isStoredAnswer, type AnswerStore, type StoredAnswer } from './stores.ts';

/** How many answers, and how many bytes of them, are kept after the service has them, for a run that is dispatched once more. */
const settledMax = 1_000;
const settledBytes = 16 * 1024 * 1024;

interface CachedAnswer extends StoredAnswer, Weight {
  /** When the answer was cached, in epoch ms. */
  readonly at: number;
}

/** An answer that the service has not confirmed. */
export interface UnsettledAnswer extends Weight {
  readonly run: string;
  readonly attempt: number;
  readonly answer: RpcAnswer;
}

interface AnswerCacheOptions {
  readonly store: AnswerStore | null;
  /** Called with the method of the store that failed for a run. */
  readonly onStoreError: (failed: 'get' | 'set' | 'delete', run: string, error: unknown) => void;
}

const unreadable: RpcError = {
  code: -32001,
  message: 'The app can’t find out now whether this was done already.',
  data: { retryable: true },
};

const toRpcAnswer = ({ answer }: StoredAnswer): RpcAnswer =>
  answer.error === undefined ? { result: answer.result ?? null } : { error: answer.error };

/** Returns whether the run does not act in this attempt: it was done, or the answer is of this attempt or a later one. */
const isFinal = ({ attempt: of, answer }: StoredAnswer, attempt: number): boolean =>
  answer.error === undefined || attempt <= of;

/** The answers of one kind of call: running, not settled (the service may not have them), and settled. */
export class AnswerCache {
  readonly #parts: AnswerCacheOptions;
  readonly #running = new Map<string, Promise<RpcAnswer>>();
  /** Answers that the service has not confirmed. */
  readonly #unsettled = new Map<string, CachedAnswer>();
  readonly #settled = new Map<string, CachedAnswer>();
  /** Runs of unsettled answers that the service has refused over the present connection. */
  readonly #refused = new Set<string>();
  #settledSize = 0;

  constructor(parts: AnswerCacheOptions) {
    this.#parts = parts;
  }

  /**
   * Resolves with the answer of run `key`: the cached or stored one, that of the running call, or that of `act`. After a
   * failure a higher `attempt` calls `act` once more; after a success nothing does.
   */
  answer(key: string, attempt: number, act: () => Promise<RpcAnswer>): Promise<RpcAnswer> {
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const answering = this.#find(key, attempt, act).finally(() => this.#running.delete(key));
    this.#running.set(key, answering);
    return answering;
  }

  /** Whether the answers are in a store of all instances of the app. */
  get isShared(): boolean {
    return this.#parts.store?.shared === true;
  }

  /** Returns whether the run is running or has an answer in memory, so that `answer` calls nothing. */
  has(key: string): boolean {
    return this.#running.has(key) || this.#unsettled.has(key) || this.#settled.has(key);
  }

  /** Returns the answers that the service has neither confirmed nor refused and that are at least `ageMs` old, the oldest first. */
  unsettled(ageMs: number): UnsettledAnswer[] {
    const before = Date.now() - ageMs;
    return [...this.#unsettled]
      .filter(([run, cached]) => cached.at <= before && !this.#refused.has(run))
      .map(([run, cached]) => {
        const { attempt, bytes, members } = cached;
        return { run, attempt, answer: toRpcAnswer(cached), bytes, members };
      });
  }

  /**
   * Keeps an answer that the service refuses out of `unsettled` until `forgetRefusals`. It stays stored, as the run must not act
   * twice. Returns whether it was not refused before.
   */
  refuse(key: string): boolean {
    const isNew = !this.#refused.has(key);
    this.#refused.add(key);
    return isNew;
  }

  /** Makes `unsettled` return refused answers once more: another connection may be to a service that takes them. */
  forgetRefusals(): void {
    this.#refused.clear();
  }

  /** Marks an answer as confirmed by the service, that of `attempt` if given, and deletes it from the store. */
  settle(key: string, attempt?: number): void {
    const cached = this.#unsettled.get(key);
    if (cached === undefined || (attempt !== undefined && cached.attempt !== attempt)) return;
    this.#unsettled.delete(key);
    this.#refused.delete(key);
    this.#settled.set(key, cached);
    this.#settledSize += cached.bytes;
    for (const [oldest, { bytes }] of this.#settled) {
      if (this.#settled.size <= settledMax && this.#settledSize <= settledBytes) break;
      this.#settled.delete(oldest);
      this.#settledSize -= bytes;
    }
    void this.#useStore('delete', key, (store) => store.delete(key, cached.attempt));
  }

  /** Adds the stored answer of another process of the app, unless this process has the run, or an answer that is as new. */
  restore(key: string, stored: StoredAnswer): void {
    const cached = this.#unsettled.get(key) ?? this.#settled.get(key);
    if (this.#running.has(key) || (cached !== undefined && cached.attempt >= stored.attempt)) return;
    this.#cache(key, stored);
  }

  async #find(key: string, attempt: number, act: () => Promise<RpcAnswer>): Promise<RpcAnswer> {
    let known: StoredAnswer | undefined = this.#unsettled.get(key) ?? this.#settled.get(key);
    // What failed here may have been done since by another instance, which says so in a shared store.
    if (known === undefined || (this.isShared && !isFinal(known, attempt))) {
      try {
        known = (await this.#readStored(key)) ?? known;
      } catch (error) {
        this.#parts.onStoreError('get', key, error);
        return { error: unreadable };
      }
    }
    if (known !== undefined && isFinal(known, attempt)) {
      // A settled answer is unsettled now: the service would not have called if it had the answer.
      if (!this.#unsettled.has(key)) this.#cache(key, known);
      return toRpcAnswer(known);
    }
    if (known !== undefined) await this.#forget(key, known.attempt);
    const answer = await act();
    const stored: StoredAnswer = { attempt, answer: { ...answer } };
    this.#cache(key, stored);
    await this.#useStore('set', key, (store) => store.set(key, stored));
    return answer;
  }

  /** Resolves with the stored answer; undefined: there is none. Rejects when the store can't be read, or has no answer under the key. */
  async #readStored(key: string): Promise<StoredAnswer | undefined> {
    const { store } = this.#parts;
    const stored = (await store?.get(key)) ?? undefined;
    if (store !== null && stored !== undefined && !isStoredAnswer(stored, store))
      throw new TypeError(`What the store has for the run ${key} is no { attempt, answer }.`);
    return stored;
  }

  /** Drops the answer of a failed attempt before the next one, so that it is not sent any more. */
  async #forget(key: string, attempt: number): Promise<void> {
    const settled = this.#settled.get(key);
    if (settled !== undefined) this.#settledSize -= settled.bytes;
    this.#settled.delete(key);
    this.#unsettled.delete(key);
    this.#refused.delete(key);
    await this.#useStore('delete', key, (store) => store.delete(key, attempt));
  }

  #cache(key: string, stored: StoredAnswer): void {
    const former = this.#settled.get(key);
    if (former !== undefined) this.#settledSize -= former.bytes;
    this.#settled.delete(key);
    this.#refused.delete(key);
    this.#unsettled.set(key, { ...stored, ...jsonWeight(stored.answer), at: Date.now() });
  }

  async #useStore(method: 'set' | 'delete', key: string, use: (store: AnswerStore) => unknown): Promise<void> {
    if (this.#parts.store === null) return;
    try {
      await use(this.#parts.store);
    } catch (error) {
      this.#parts.onStoreError(method, key, error);
    }
  }
}
