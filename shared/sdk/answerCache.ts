/**
 * Remembers what runs and what was answered, so that a run handed over again is answered, not done again. serve.ts asks
 * it for every `action.run` (and for replies, by their delivery); connect.ts sends what it holds after a reconnect.
 */
import type { RpcError } from '../applink/protocol.ts';
import type { RpcAnswer } from './peer.ts';
import type { AnswerStore, StoredAnswer } from './stores.ts';

/** What is kept after the service has it, for a retry that asks again: this many answers and this many bytes. */
const settledMax = 1_000;
const settledBytes = 16 * 1024 * 1024;

interface CachedAnswer extends StoredAnswer {
  readonly bytes: number;
  readonly at: number;
}

interface AnswerCacheOptions {
  readonly store: AnswerStore | null;
  readonly onStoreError: (error: unknown) => void;
}

const unreadable: RpcError = {
  code: -32001,
  message: 'The app can’t look up now whether this was done already.',
  data: { retryable: true },
};

const toRpcAnswer = ({ answer }: StoredAnswer): RpcAnswer =>
  answer.error === undefined ? { result: answer.result ?? null } : { error: answer.error };

export class AnswerCache {
  readonly #parts: AnswerCacheOptions;
  readonly #running = new Map<string, Promise<RpcAnswer>>();
  /** Not known to be durable at the service. */
  readonly #held = new Map<string, CachedAnswer>();
  readonly #settled = new Map<string, CachedAnswer>();
  #settledSize = 0;

  constructor(parts: AnswerCacheOptions) {
    this.#parts = parts;
  }

  /**
   * The answer of run `key`: the one that is known, the one under way, or that of `act`. An attempt higher than the one
   * that failed acts again; after a success nothing does.
   */
  answer(key: string, attempt: number, act: () => Promise<RpcAnswer>): Promise<RpcAnswer> {
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const answering = this.#find(key, attempt, act).finally(() => this.#running.delete(key));
    this.#running.set(key, answering);
    return answering;
  }

  /** Whether it runs or has an answer, so that asking again starts nothing. */
  has(key: string): boolean {
    return this.#running.has(key) || this.#held.has(key) || this.#settled.has(key);
  }

  /** Answers that may not have reached the service, at least `ageMs` old; the oldest first. */
  unsettled(ageMs: number): { readonly run: string; readonly answer: RpcAnswer; readonly bytes: number }[] {
    const before = Date.now() - ageMs;
    return [...this.#held]
      .filter(([, held]) => held.at <= before)
      .map(([run, held]) => ({ run, answer: toRpcAnswer(held), bytes: held.bytes }));
  }

  /** The service has the answer. */
  settle(key: string): void {
    const held = this.#held.get(key);
    if (held === undefined) return;
    this.#held.delete(key);
    this.#settled.set(key, held);
    this.#settledSize += held.bytes;
    for (const [oldest, { bytes }] of this.#settled) {
      if (this.#settled.size <= settledMax && this.#settledSize <= settledBytes) break;
      this.#settled.delete(oldest);
      this.#settledSize -= bytes;
    }
    void this.#stored((store) => store.delete(key));
  }

  /** Takes up what an earlier process of the app had answered. */
  async loadStored(): Promise<void> {
    const keys = (await this.#stored((store) => store.keys?.())) ?? [];
    for (const key of keys) {
      const found = await this.#stored((store) => store.get(key));
      if (found !== undefined && found !== null && !this.#held.has(key)) this.#hold(key, found);
    }
  }

  async #find(key: string, attempt: number, act: () => Promise<RpcAnswer>): Promise<RpcAnswer> {
    let known: StoredAnswer | null | undefined = this.#held.get(key) ?? this.#settled.get(key);
    if (known === undefined && this.#parts.store !== null) {
      try {
        known = await this.#parts.store.get(key);
      } catch (error) {
        this.#parts.onStoreError(error);
        return { error: unreadable };
      }
    }
    if (known !== undefined && known !== null && (known.answer.error === undefined || attempt <= known.attempt)) {
      // Also one that was settled before: whoever asks again doesn't have it.
      if (!this.#held.has(key)) this.#hold(key, known);
      return toRpcAnswer(known);
    }
    if (known !== undefined && known !== null) await this.#forget(key);
    const answer = await act();
    const stored: StoredAnswer = { attempt, answer: { ...answer } };
    this.#hold(key, stored);
    await this.#stored((store) => store.set(key, stored));
    return answer;
  }

  /** Acting again: the former failure must not be handed in any more. */
  async #forget(key: string): Promise<void> {
    const settled = this.#settled.get(key);
    if (settled !== undefined) this.#settledSize -= settled.bytes;
    this.#settled.delete(key);
    this.#held.delete(key);
    await this.#stored((store) => store.delete(key));
  }

  #hold(key: string, stored: StoredAnswer): void {
    const former = this.#settled.get(key);
    if (former !== undefined) this.#settledSize -= former.bytes;
    this.#settled.delete(key);
    this.#held.set(key, { ...stored, bytes: Buffer.byteLength(JSON.stringify(stored.answer)), at: Date.now() });
  }

  async #stored<T>(use: (store: AnswerStore) => Promise<T> | undefined): Promise<T | undefined> {
    if (this.#parts.store === null) return undefined;
    try {
      return await use(this.#parts.store);
    } catch (error) {
      this.#parts.onStoreError(error);
      return undefined;
    }
  }
}
