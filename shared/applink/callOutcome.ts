/** Parses an app's answer by JSON-RPC 2.0, for redisLink.ts. The callers of each method check its result. */
import { isObject, jsonProblem } from '../platform/core/jsonLimits.ts';
import type { CallOutcome } from './link.ts';

/** Characters that are kept of an error message. */
const messageMax = 2_000;

/** Returns the outcome of a parsed answer. A result that can't be stored (NUL, 1e400, too many levels) is `garbled`. */
export const parseCallOutcome = (message: unknown): CallOutcome<unknown> => {
  if (!isObject(message)) return { kind: 'garbled' };
  const { result, error } = message;
  if ('result' in message && !('error' in message))
    return jsonProblem(result) === null ? { kind: 'answer', result } : { kind: 'garbled' };
  if (
    !isObject(error) ||
    typeof error['code'] !== 'number' ||
    !Number.isSafeInteger(error['code']) ||
    typeof error['message'] !== 'string' ||
    'result' in message
  )
    return { kind: 'garbled' };
  const { data } = error;
  const code = error['code'];
  const text = error['message'].slice(0, messageMax).toWellFormed().replaceAll('\0', '');
  return {
    kind: 'error',
    code,
    message: text,
    retryable: isObject(data) && data['retryable'] === true,
  };
};
