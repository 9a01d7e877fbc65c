/** Failures of requests, with the sentence that people read. Made by http.ts and request.ts. */
import { wireTexts } from './texts.ts';

interface ErrorExtra {
  /** The whole answer, with `details` or the `current` object of a conflict. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** ms after which the same request may succeed; null: the answer does not say. */
  readonly retryAfterMs?: number | null;
  /** Of a read, which can be asked for again; null: it was a change. */
  readonly address?: string | null;
}

/** Statuses of failures that the same request may not meet later. */
const transient: ReadonlySet<number> = new Set([0, 429, 500, 502, 503, 504]);

/** An answer that is no success, with the API's own sentence; status 0: there is no answer. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly retryAfterMs: number | null;
  readonly address: string | null;
  constructor(
    status: number,
    code: string,
    message: string,
    { body = {}, retryAfterMs = null, address = null }: ErrorExtra = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.body = body;
    this.retryAfterMs = retryAfterMs;
    this.address = address;
  }
  /** Each place of the request that is wrong, and what is wrong there. */
  get details(): readonly { readonly path: string; readonly message: string }[] {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API holds its answers against its schemas
    return (this.body['details'] ?? []) as ApiError['details'];
  }
  /** Whether the same request may succeed later. */
  get isTransient(): boolean {
    return transient.has(this.status);
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Returns seconds of a `retry-after` header; null: there is none, or it is a date. */
const secondsOf = (retryAfter: string | null): number | null =>
  retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : null;

const inWords = (seconds: number | null): string =>
  seconds === null ? wireTexts.waitUnknown : wireTexts.wait(seconds);

interface Refused {
  readonly response: Response;
  /** The answer as it was parsed. */
  readonly body: unknown;
  readonly address: string | null;
}

/** What people do about a refusal, where the API's sentence says it to programs only. */
const withRemedy: Readonly<Record<string, (refusal: string) => string>> = { too_large: wireTexts.tooLarge };

/** Returns the error of an answer; where its sentence names the header `retry-after`, the time stands in its place. */
export const toError = ({ response: { status, headers }, body, address }: Refused): ApiError => {
  const known = isRecord(body) ? body : {};
  const text = (name: string, otherwise: string): string => (typeof known[name] === 'string' ? known[name] : otherwise);
  const seconds = secondsOf(headers.get('retry-after'));
  const message = text('error', wireTexts.noSentence(status));
  const code = text('code', 'internal');
  const sentence = message.replace(/retry-after seconds/, inWords(seconds));
  return new ApiError(status, code, withRemedy[code]?.(sentence) ?? sentence, {
    body: known,
    retryAfterMs: seconds === null ? null : seconds * 1000,
    address,
  });
};

const retriesMost = 2;
const retryMostMs = 30_000;

/** Returns whether a read that failed so often is tried again: what the same request can't change is not. */
export const isRetried = (failures: number, error: Error): boolean =>
  failures < retriesMost && (!(error instanceof ApiError) || error.isTransient);

/** Returns ms until a read is tried again: what the answer says, or longer each time. */
export const retryDelay = (failures: number, error: Error): number => {
  const given = error instanceof ApiError ? error.retryAfterMs : null;
  return Math.min(given ?? 1_000 * 2 ** failures, retryMostMs);
};

/** Returns the text of an error. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
