/** Calls the API as a client would: over HTTP, knowing nothing but the contract. */
import { Agent, request as httpRequest } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

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

/** Connections stay open between requests, as those of clients do. */
const agent = new Agent({ keepAlive: true });

/** By `content-encoding`, of answers whose request asks for one. */
const decoders: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  deflate: inflateSync,
};

type Answer = Omit<Reply, 'body' | 'headers'> & { readonly rawHeaders: readonly string[] };

/** Sends one request. Node's own client, as `fetch` takes as much processor time as the service does, and has each answer compressed. */
const send = (
  method: string,
  url: string,
  payload: string | Uint8Array | undefined,
  headers: Record<string, string>,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const req = httpRequest(url, { method, headers, agent }, (res) => {
      const pieces: Buffer[] = [];
      res.on('data', (piece: Buffer) => pieces.push(piece));
      res.on('error', reject);
      res.on('end', () => {
        const decode = decoders[res.headers['content-encoding'] ?? ''] ?? ((body) => body);
        const body = Buffer.concat(pieces);
        const text = (body.length === 0 ? body : decode(body)).toString();
        resolve({ status: res.statusCode ?? 0, rawHeaders: res.rawHeaders, text });
      });
    });
    req.on('error', (error: NodeJS.ErrnoException) => {
      // The service has closed an idle connection while the request was on its way, so it has not read the request.
      if (req.reusedSocket && error.code === 'ECONNRESET') resolve(send(method, url, payload, headers));
      else reject(error);
    });
    req.end(payload);
  });

const toHeaders = (raw: readonly string[]): Headers => {
  const headers = new Headers();
  for (let at = 0; at < raw.length; at += 2) headers.append(raw[at] ?? '', raw[at + 1] ?? '');
  return headers;
};

export const request = async (
  method: string,
  url: string,
  body: unknown,
  token: string | null,
  options: CallOptions = {},
): Promise<Reply> => {
  const payload = options.raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const { status, rawHeaders, text } = await send(method, url, payload, {
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
    ...(payload === undefined ? {} : { 'content-length': String(Buffer.byteLength(payload)) }),
    ...options.headers,
  });
  const headers = toHeaders(rawHeaders);
  const isJson = headers.get('content-type')?.startsWith('application/json') === true;
  return { status, headers, text, body: isJson && text !== '' ? (JSON.parse(text) as unknown) : undefined };
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
