/** Calls the HTTP API of one environment with the session's cookie; used by everything that reads or changes. */
import { publicBase, readLagMs } from './base.ts';
import { takeEarly } from './early.ts';
import { createTold } from './told.ts';

/** An answer that is no success, with the API's own sentence. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** The whole answer, with `details` or the `current` object of a conflict. */
  readonly body: Readonly<Record<string, unknown>>;
  constructor(status: number, code: string, message: string, body: Readonly<Record<string, unknown>>) {
    super(message);
    this.status = status;
    this.code = code;
    this.body = body;
  }
}

export interface Answer<T> {
  readonly body: T;
  /** The live stream's position from before the answer's data; null: the answer has none. */
  readonly offset: string | null;
}

interface CallOptions {
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly ifMatch?: number | undefined;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

/** A change as it was sent, to be copied. */
interface SentChange {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** Requests that may be copied: none of sign-in, account and settings, which carry credentials. */
const isCopied = (path: string): boolean => /^\/(items|bulk|actions|runs|flags|approvals)\b/.test(path);

export interface Http {
  readonly environment: string;
  /** The last change that was accepted; null: none yet. */
  lastChange(): SentChange | null;
  readonly base: string;
  /** Takes over the offset of a message of the live stream, which requests tell from then on. */
  hear(offset: string): void;
  /** Throws an ApiError; a lost connection is one with status 0. */
  call<T>(method: string, path: string, options?: CallOptions): Promise<Answer<T>>;
}

const queryText = (query: CallOptions['query']): string => {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const toError = (status: number, body: unknown): ApiError => {
  const known = isRecord(body) ? body : {};
  const text = (name: string, otherwise: string): string => (typeof known[name] === 'string' ? known[name] : otherwise);
  return new ApiError(status, text('code', 'internal'), text('error', `The server answered ${String(status)}.`), known);
};

/** Returns a key by which a repeated request is done once. */
export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** `onSessionEnd` is called when the session is over; the call fails all the same. */
export const createHttp = (environment: string, onSessionEnd: () => void): Http => {
  const base = `${publicBase}/api/env/${encodeURIComponent(environment)}`;
  const told = createTold(readLagMs);
  let last: SentChange | null = null;
  return {
    lastChange: () => last,
    environment,
    base,
    hear: told.hear,
    call: async <T>(method: string, path: string, options: CallOptions = {}): Promise<Answer<T>> => {
      const { query, body, ifMatch, idempotencyKey, signal } = options;
      const seen = told.newest();
      let response: Response;
      let text: string;
      try {
        const address = `${base}${path}${queryText(query)}`;
        const early = method === 'GET' ? await takeEarly(address) : undefined;
        response =
          early ??
          (await fetch(address, {
            method,
            credentials: 'same-origin',
            headers: {
              accept: 'application/json',
              ...(seen === null ? {} : { 'x-live-offset': seen }),
              ...(body === undefined ? {} : { 'content-type': 'application/json' }),
              ...(ifMatch === undefined ? {} : { 'if-match': `"${String(ifMatch)}"` }),
              ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
            },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
            ...(signal === undefined ? {} : { signal }),
          }));
        text = await response.text();
      } catch (error) {
        if (signal?.aborted === true) throw error;
        throw new ApiError(0, 'unreachable', 'The server can’t be reached. What you typed is kept.', {});
      }
      const offset = response.headers.get('x-live-offset');
      if (method !== 'GET' && offset !== null) told.change(offset);
      let parsed: unknown;
      try {
        parsed = text === '' ? undefined : JSON.parse(text);
      } catch {
        parsed = undefined;
      }
      if (!response.ok) {
        if (response.status === 401 && !path.startsWith('/sign-in')) onSessionEnd();
        throw toError(response.status, parsed);
      }
      if (method !== 'GET' && isCopied(path)) last = { method, path, body };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API holds its answers against its schemas
      return { body: parsed as T, offset };
    },
  };
};
