/** Sends one request within a time limit. Used by http.ts. */
import { ApiError } from './apiError.ts';
import { timeLimitMs } from './base.ts';
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
export const readResponse = async (
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
