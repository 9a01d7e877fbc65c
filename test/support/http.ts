/** Calls the API as a client would: over HTTP, knowing nothing but the contract. */

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // The contract's bodies are read by tests that state what they expect of them.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is instead of as JSON. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
}

export interface Client {
  readonly token: string;
  readonly base: string;
  readonly id: string;
  get(path: string, options?: CallOptions): Promise<Reply>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<Reply>;
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Reply>;
}

/** The text of a 404 without what says which name was unknown, and the names that may have been meant. */
export const withoutDetails = (text: string): string => text.replace(/,"details":.*(?=\})/, '');

/** The text of an answer without the names that may have been meant: their order depends on the name that was sent. */
export const withoutNames = (text: string): string =>
  text.replace(/(is not known here; known:|must be among|There is no such tool;) [^"\\]*/g, '$1');

export const request = async (
  method: string,
  url: string,
  body: unknown,
  token: string | null,
  options: CallOptions = {},
): Promise<Reply> => {
  const payload = options.raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await fetch(url, {
    method,
    ...(payload === undefined ? {} : { body: payload }),
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? (JSON.parse(text) as unknown) : undefined,
  };
};

export const clientOf = (base: string, token: string, id: string): Client => {
  const call = (method: string, path: string, body?: unknown, options?: CallOptions): Promise<Reply> =>
    request(method, `${base}${path}`, body, token, options);
  return {
    token,
    base,
    id,
    call,
    get: (path, options) => call('GET', path, undefined, options),
    post: (path, body, options) => call('POST', path, body, options),
  };
};
