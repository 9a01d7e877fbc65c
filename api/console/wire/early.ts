/** Answers that first.ts asked for before the page's own script was there. Used once each, by http.ts. */

interface Asked {
  /** When, on the page's clock. */
  readonly at: number;
  readonly response: Promise<Response>;
}

/** ms after which an answer is no longer the present one. */
const freshMs = 10_000;

const asked = new Map<string, Asked>();

/** Requests paths of the API. */
export const askEarly = (paths: readonly string[]): void => {
  for (const path of paths) {
    const response = fetch(path, { credentials: 'same-origin', headers: { accept: 'application/json' } });
    response.catch(() => undefined);
    asked.set(path, { at: performance.now(), response });
  }
};

/** Returns the answer of a path, the first time; undefined when it was not asked for, too long ago, or was no success. */
export const takeEarly = async (path: string): Promise<Response | undefined> => {
  const found = asked.get(path);
  asked.delete(path);
  if (found === undefined || performance.now() - found.at > freshMs) return undefined;
  const response = await found.response.catch(() => undefined);
  return response?.ok === true ? response : undefined;
};
