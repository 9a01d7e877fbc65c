/** Calls the API as the suites do that wait for bulks. */

/** Returns a function that calls a path with a token, by POST where a body is given. The function throws the text of a refusal. */
export const newApiClient =
  (base: string, token: string) =>
  async <R>(path: string, body?: object): Promise<R> => {
    const answer = await fetch(`${base}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return JSON.parse(text) as R;
  };
export type ApiClient = ReturnType<typeof newApiClient>;
