/** Calls the HTTP API of one environment with the session's cookie; used by everything that reads or changes. */
import { ApiError, toError } from './apiError.ts';
import { publicBase, readLagMs } from './base.ts';
import { takeEarly } from './early.ts';
import { readResponse } from './request.ts';
import { createTold } from './told.ts';

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

/** Returns a key by which a repeated request is done once. */
export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

interface HttpEvents {
  /** The session is over; the call fails all the same. */
  onSessionEnd(): void;
  /** A call found no way to the server; it fails all the same. */
  onUnreachable(): void;
}

const unheard: HttpEvents = { onSessionEnd: () => undefined, onUnreachable: () => undefined };

export const createHttp = (environment: string, { onSessionEnd, onUnreachable } = unheard): Http => {
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
      const address = `${base}${path}${queryText(query)}`;
      const read = method === 'GET' ? address : null;
      const early = read === null ? undefined : await takeEarly(read);
      const send = (limited: AbortSignal): Promise<Response> =>
        fetch(address, {
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
          signal: limited,
        });
      const { response, text } = await readResponse(
        (limited) => (early === undefined ? send(limited) : Promise.resolve(early)),
        { read, signal },
      ).catch((error: unknown) => {
        if (error instanceof ApiError && error.code === 'unreachable') onUnreachable();
        throw error;
      });
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
        throw toError({ response, body: parsed, address: read });
      }
      if (method !== 'GET' && isCopied(path)) last = { method, path, body };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API holds its answers against its schemas
      return { body: parsed as T, offset };
    },
  };
};
