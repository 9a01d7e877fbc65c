/**
 * Loads the answers of other processes of the app from its store: at the start, and until the store has given them all, as it
 * may be unavailable then; those of a store that all instances share again and again. Used by connect.ts.
 */
import type { AnswerCache } from './answerCache.ts';
import { backoff, type Timing } from './backoff.ts';
import { LinkProblem } from './problems.ts';
import { isStoredAnswer, type AnswerStore } from './stores.ts';

interface StoredAnswersOptions {
  readonly store: AnswerStore | null;
  readonly runs: AnswerCache;
  readonly timing: Pick<Timing, 'retryMinMs' | 'retryMaxMs' | 'resendMs'>;
  readonly onProblem: (problem: LinkProblem) => void;
  /** Called when a retry has loaded answers. */
  readonly onRestored: () => void;
}

interface StoredAnswers {
  /** Loads what is not loaded yet. Resolves when that is done or has failed, after which it is retried; never rejects. */
  load(): Promise<void>;
  close(): void;
}

export const createStoredAnswers = (parts: StoredAnswersOptions): StoredAnswers => {
  const { store, runs, timing, onProblem, onRestored } = parts;
  /** The runs whose answer is not loaded yet; null: the store has not named them. */
  let left: readonly string[] | null = store?.keys === undefined && store?.shared !== true ? [] : null;
  let loading: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let tries = 0;
  let closed = false;
  /** Whether the present outage is reported: its retries fail for the same reason. */
  let isReported = false;

  const failed = (cause: unknown): void => {
    if (isReported) return;
    isReported = true;
    const text = 'The store of answers could not be read; what it has is loaded and sent later.';
    onProblem(new LinkProblem('store', text, { cause }));
  };

  /** Loads one answer. Resolves with false when the store can't be read; a wrong answer is reported and counts as loaded. */
  const loadOne = async (from: AnswerStore, run: string): Promise<boolean> => {
    let found: unknown;
    try {
      found = await from.get(run);
    } catch (error) {
      failed(error);
      return false;
    }
    if (found === null || found === undefined) return true;
    if (isStoredAnswer(found, from)) runs.restore(run, found);
    else
      onProblem(
        new LinkProblem('store', `What the store has for the run ${run} is no { attempt, answer }, and is not sent.`),
      );
    return true;
  };

  const loadAll = async (from: AnswerStore): Promise<void> => {
    try {
      if (from.keys === undefined) throw new TypeError('A store that is shared needs the method keys.');
      left ??= [...(await from.keys())];
    } catch (error) {
      failed(error);
      return;
    }
    const unread: string[] = [];
    for (const run of left) if (!(await loadOne(from, run))) unread.push(run);
    left = unread;
  };

  const isLoaded = (): boolean => left !== null && left.length === 0;

  const attempt = async (from: AnswerStore): Promise<void> => {
    await loadAll(from);
    const isDone = isLoaded();
    if (isDone) isReported = false;
    if (closed || (isDone && from.shared !== true)) return;
    // Another instance may be killed at any time. Its answers are found well before the minute is over that the service waits for them.
    if (isDone) left = null;
    timer = setTimeout(
      () => {
        void load().then(onRestored);
      },
      isDone ? timing.resendMs / 3 : backoff(tries, timing),
    ).unref();
    tries = isDone ? 0 : tries + 1;
  };

  const load = (): Promise<void> => {
    if (store === null || isLoaded()) return Promise.resolve();
    clearTimeout(timer);
    loading ??= attempt(store).finally(() => {
      loading = null;
    });
    return loading;
  };

  return {
    load,
    close: () => {
      closed = true;
      clearTimeout(timer);
    },
  };
};
