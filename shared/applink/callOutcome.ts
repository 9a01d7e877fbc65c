/** What an app's answer says: checked for being one of JSON-RPC, never for what the method would want. */
import { isObject, jsonProblem } from '../platform/core/jsonLimits.ts';
import type { CallOutcome } from './link.ts';

/** A longer message helps nobody. */
const messageMax = 2_000;

/** Of a parsed message whose `id` fits. A value that couldn't be kept (NUL, 1e400, 50 levels) is no answer either. */
export const parseCallOutcome = (message: unknown): CallOutcome<unknown> => {
  if (!isObject(message)) return { kind: 'garbled' };
  const { result, error } = message;
  if ('result' in message && !('error' in message))
    return jsonProblem(result) === null ? { kind: 'answer', result } : { kind: 'garbled' };
  if (
    !isObject(error) ||
    !Number.isSafeInteger(error['code']) ||
    typeof error['message'] !== 'string' ||
    'result' in message
  )
    return { kind: 'garbled' };
  const { code, data } = error;
  const text = error['message'].slice(0, messageMax).toWellFormed().replaceAll('\0', '');
  return {
    kind: 'error',
    code: code as number,
    message: text,
    retryable: isObject(data) && data['retryable'] === true,
  };
};
