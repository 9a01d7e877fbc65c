/** Calls the HTTP API of one environment with the session's cookie; used by everything that reads or changes. */
import { ApiError, toError } from './apiError.ts';
import { publicBase, readLagMs, timeLimitMs } from './base.ts';
import { takeEarly } from './early.ts';
import { parsed } from './json.ts';
import { wireTexts } from './texts.ts';

interface ReadResponse {
  readonly response: Response;
  readonly text: string;
}

const lost = (read: string | null, isLate: boolean): ApiError => {
  const seconds = timeLimitMs / 1000;
  const [code, ofRead, ofChange] = isLate
    ? ['no_answer', wireTexts.late(seconds), wireTexts.lateChange(seconds)]
    : ['unreachable', wireTexts.unreachable, wireTexts.unreachableChange];
  return new ApiError(0, code, read === null ? ofChange : ofRead, { address: read });
};

interface RequestOptions {
  /** The address of a read; null: it is a change. */
  readonly read: string | null;
  readonly signal: AbortSignal | undefined;
}

/** Returns the whole response of `send`. Throws an ApiError with status 0 without one, and what `signal` was aborted with. */
const readResponse = async (
  send: (signal: AbortSignal) => Promise<Response>,
  { read, signal }: RequestOptions,
): Promise<ReadResponse> => {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeLimitMs);
  try {
    const response = await send(signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]));
    return { response, text: await response.text() };
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw lost(read, limit.signal.aborted);
  } finally {
    clearTimeout(timer);
  }
};

interface Told {
  /** Takes over the offset of a message. */
  hear(offset: string): void;
  /** Takes over the offset of the answer to a change. */
  change(offset: string): void;
  /** Returns the offset that the next request tells; null: none is known yet. */
  newest(): string | null;
}

/**
 * `lagMs`: how far a standby that serves reads may be behind. So long after a change its own offset is told, whatever the stream
 * brings meanwhile: the message of the change may come after it, and offsets can't be compared.
 */
const createTold = (lagMs: number): Told => {
  let newest: string | null = null;
  let changed: { readonly offset: string; readonly until: number } | null = null;
  return {
    hear: (offset) => {
      newest = offset;
    },
    change: (offset) => {
      newest = offset;
      changed = { offset, until: performance.now() + lagMs };
    },
    newest: () => {
      if (changed !== null && performance.now() > changed.until) changed = null;
      return changed?.offset ?? newest;
    },
  };
};

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
  readonly signal?: AbortSignal | undefined;
}

/** A change as it was sent, to be copied. */
interface SentChange {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** Requests that may be copied: none of sign-in, account and settings, which carry credentials. */
const isCopied = (path: string): boolean => /^\/(items|bulk|actions|runs|flags|approvals)\b/.test(path);

const isDryRun = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'dryRun' in body && body.dryRun === true;

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
      const answer = parsed(text);
      if (!response.ok) {
        if (response.status === 401 && !path.startsWith('/sign-in')) onSessionEnd();
        throw toError({ response, body: answer, address: read });
      }
      if (method !== 'GET' && isCopied(path) && !isDryRun(body)) last = { method, path, body };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API holds its answers against its schemas
      return { body: answer as T, offset };
    },
  };
};
