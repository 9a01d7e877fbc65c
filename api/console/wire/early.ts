/**
 * Responses to requests that first.ts sends before the page's own script is loaded; http.ts takes each once. The two are built
 * apart, so that the first waits for nothing, and meet in a member of the window. Also whether somebody was signed in at the
 * last visit.
 */
import { timeLimitMs } from './base.ts';
import { keep, readKept } from './kept.ts';

const key = 'console.signedIn';

/** Keeps whether somebody is signed in, for the next visit: without storage that asks first who is there. */
export const noteSignedIn = (isSignedIn: boolean): void => void keep(key, isSignedIn ? '1' : null);

interface Requested {
  /** `performance.now()` of the request. */
  readonly at: number;
  readonly response: Promise<Response>;
  /** Whether it says who is signed in. */
  readonly isFirst: boolean;
}

/** ms after which a response is too old to be used. */
const freshMs = 10_000;

declare global {
  interface Window {
    consoleRequested?: Map<string, Requested>;
  }
}

const requested = (window.consoleRequested ??= new Map<string, Requested>());

const ask = (path: string, isFirst: boolean): Promise<Response> => {
  const response = fetch(path, {
    credentials: 'same-origin',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(timeLimitMs),
  });
  response.catch(() => undefined);
  requested.set(path, { at: performance.now(), response, isFirst });
  return response;
};

/**
 * Requests `first`, which says whether somebody is signed in, and the other paths, which are for those who are: at once where that is
 * likely, else after `first` has said so.
 */
export const askEarly = (first: string, others: readonly string[]): void => {
  const isLikely = readKept(key) !== null;
  const askOthers = (): void => {
    for (const path of others) void ask(path, false);
  };
  const said = ask(first, true);
  if (isLikely) askOthers();
  else
    said.then(
      ({ ok }) => {
        if (ok) askOthers();
      },
      () => undefined,
    );
};

/**
 * Returns the response of a path, once, of the first also that nobody is signed in; undefined for a path that was not requested, a
 * response that is too old, and a failure.
 */
export const takeEarly = async (path: string): Promise<Response | undefined> => {
  const found = requested.get(path);
  requested.delete(path);
  if (found === undefined || performance.now() - found.at > freshMs) return undefined;
  const response = await found.response.catch(() => undefined);
  return response?.ok === true || (found.isFirst && response?.status === 401) ? response : undefined;
};
