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

/** Requests paths of the API. */
export const askEarly = (paths: readonly string[]): void => {
  for (const path of paths) {
    const response = fetch(path, {
      credentials: 'same-origin',
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(timeLimitMs),
    });
    response.catch(() => undefined);
    requested.set(path, { at: performance.now(), response });
  }
};

/** Returns the response of a path, once; undefined for a path that was not requested, a response that is too old, and a failure. */
export const takeEarly = async (path: string): Promise<Response | undefined> => {
  const found = requested.get(path);
  requested.delete(path);
  if (found === undefined || performance.now() - found.at > freshMs) return undefined;
  const response = await found.response.catch(() => undefined);
  return response?.ok === true ? response : undefined;
};
