/** Reads again what failed for want of the service or of a connection, as soon as it can be had. Started by the session. */
import type { QueryClient } from '@tanstack/react-query';
import { ApiError } from './apiError.ts';

/** How often it is asked whether the service is back, in ms: at first, and at most. */
const [firstMs, mostMs] = [2_000, 15_000];

/** Returns whether a request that failed would be answered now. */
const isAnswered = async (address: string): Promise<boolean> => {
  try {
    const { status } = await fetch(address, { credentials: 'same-origin', headers: { accept: 'application/json' } });
    return status < 500 && status !== 429;
  } catch {
    return false;
  }
};

/** Returns the function that ends it. What failed stays as it is shown until it can be read. */
export const startRecovery = (queries: QueryClient): (() => void) => {
  let timer = 0;
  let waitMs = firstMs;
  const failed = (): ApiError | undefined => {
    const errors = queries
      .getQueryCache()
      .getAll()
      .filter((query) => query.isActive())
      .map(({ state }) => state.error);
    return errors.find((error): error is ApiError => error instanceof ApiError && error.isTransient);
  };
  const ask = async (): Promise<void> => {
    timer = 0;
    const error = failed();
    if (error === undefined) return;
    if (error.address !== null && (await isAnswered(error.address))) {
      waitMs = firstMs;
      await queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.error !== null });
    }
    plan();
  };
  const plan = (): void => {
    const error = failed();
    if (timer !== 0 || error === undefined) return;
    timer = window.setTimeout(() => void ask(), Math.max(waitMs, error.retryAfterMs ?? 0));
    waitMs = Math.min(2 * waitMs, mostMs);
  };
  const hurry = (): void => {
    window.clearTimeout(timer);
    timer = 0;
    waitMs = firstMs;
    void ask();
  };
  const forget = queries.getQueryCache().subscribe(({ type, query }) => {
    if (type === 'updated' && query.state.status === 'error') plan();
  });
  window.addEventListener('online', hurry);
  return () => {
    forget();
    window.clearTimeout(timer);
    window.removeEventListener('online', hurry);
  };
};
