/** Parses an app's answer by JSON-RPC 2.0, for redisLink.ts and api/applink. The callers of each method check its result. */
import { isObject, jsonProblem } from '../../platform/json/jsonLimits.ts';
import type { CallOutcome } from './link.ts';
import { linkLimits, rpcCodes, type RunAnswer, type ServiceCalls } from './protocol.ts';

/** Characters that are kept of an error message. */
const messageMax = 2_000;

/** Returns the outcome of a parsed answer. A result that can't be stored (NUL, 1e400, too many levels or members) is `garbled`. */
export const parseCallOutcome = (message: unknown): CallOutcome<unknown> => {
  if (!isObject(message)) return { kind: 'garbled' };
  const { result, error } = message;
  if ('result' in message && !('error' in message)) {
    const problem = jsonProblem(result, linkLimits.objectMembers);
    return problem === null ? { kind: 'answer', result } : { kind: 'garbled', problem };
  }
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

type RunResult = ServiceCalls['action.run']['result'];

/** An answer of `run.answers`, whose result and error are not checked. */
interface GivenRunAnswer {
  readonly run: string;
  readonly attempt?: number;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** The result in place of a garbled answer: no object, so that its run ends as after a garbled answer to the call itself. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no app can give it, and what settles the run checks it
const garbledResult = 'garbled' as unknown as RunResult;

/** Returns the answer of a run as it would count for the call itself, and whether it is garbled there. Without result and error it is null. */
export const parseRunAnswer = ({
  result = null,
  error,
  ...of
}: GivenRunAnswer): { readonly answer: RunAnswer; readonly isGarbled: boolean } => {
  const outcome = parseCallOutcome(error === undefined ? { result } : { error });
  if (outcome.kind === 'error') {
    const { code, message, retryable } = outcome;
    return { answer: { ...of, error: { code, message, data: { retryable } } }, isGarbled: false };
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what settles the run checks it
  if (outcome.kind === 'answer') return { answer: { ...of, result: result as RunResult }, isGarbled: false };
  return { answer: { ...of, result: garbledResult }, isGarbled: true };
};

/** Returns whether an answer says that its instance is stopping and has done nothing: the call counts as not sent. */
export const isStoppingRefusal = (message: unknown): boolean => {
  const error = isObject(message) && !('result' in message) ? message['error'] : undefined;
  return (
    isObject(error) &&
    error['code'] === rpcCodes.actionFailed &&
    isObject(error['data']) &&
    error['data']['stopping'] === true
  );
};
