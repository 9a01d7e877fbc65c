/** Responses to requests that first.ts sends before the page's own script is loaded; http.ts takes each once. */
import { timeLimitMs } from './base.ts';

interface Requested {
  /** `performance.now()` of the request. */
  readonly at: number;
  readonly response: Promise<Response>;
}

/** ms after which a response is too old to be used. */
const freshMs = 10_000;

const requested = new Map<string, Requested>();

const ask = (path: string): Promise<Response> => {
  const response = fetch(path, {
    credentials: 'same-origin',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(timeLimitMs),
  });
  response.catch(() => undefined);
  requested.set(path, { at: performance.now(), response });
  return response;
};

/** Requests `first`, which says whether somebody is signed in, and then the other paths, which are for those who are. */
export const askEarly = (first: string, others: readonly string[]): void => {
  ask(first).then(
    ({ ok }) => {
      if (ok) for (const path of others) void ask(path);
    },
    () => undefined,
  );
};

/** Returns the response of a path, once, also that nobody is signed in; undefined for a path that was not requested, a response that is too old, and a failure. */
export const takeEarly = async (path: string): Promise<Response | undefined> => {
  const found = requested.get(path);
  requested.delete(path);
  if (found === undefined || performance.now() - found.at > freshMs) return undefined;
  const response = await found.response.catch(() => undefined);
  return response?.ok === true || response?.status === 401 ? response : undefined;
};
