/** Runs an action's handler and turns its outcome into an answer that can be sent. Called by requestHandler.ts. */
import { rpcCodes, type RpcError, type ServiceCalls } from '../app/link/protocol.ts';
import type { AnyAction } from './defineApp.ts';
import { formatProblem } from './formatProblem.ts';
import { isStopped, type HandlerLimiter } from './handlerLimiter.ts';
import type { Item, RunCall } from './handlers.ts';
import type { RpcAnswer } from './peer.ts';
import { LinkProblem, toRpcError } from './problems.ts';
import { runResultProblems, toRunResult, toSendableResult } from './runResult.ts';
import { cutText } from './texts.ts';

export type RunParams = ServiceCalls['action.run']['params'];

export interface RunDeps {
  readonly limiter: HandlerLimiter;
  readonly onProblem: (problem: LinkProblem) => void;
  readonly onProgress: (run: string, progress: number | null, message: string | undefined) => void;
}

/** How long a handler may take, in ms; the defaults are those of the service. */
const handlerTimeoutMs = ({ timeout, background }: AnyAction): number =>
  timeout ?? (background === true ? 3_600_000 : 60_000);
const progressIntervalMs = 100;
const stoppedError: RpcError = {
  code: rpcCodes.actionFailed,
  message: 'The app was stopped before it was done.',
  data: { retryable: false },
};
/** Characters of a message of progress. */
const messageMax = 10_000;

/** Returns a `progress` that sends at most ten times a second, and always the last value. */
const createProgressThrottle = (
  send: (fraction: number | null, message?: string) => void,
): { progress: RunCall['progress']; end: () => void } => {
  let timer: NodeJS.Timeout | undefined;
  let next: readonly [number | null, string | undefined] | undefined;
  let ended = false;
  const flush = (): void => {
    timer = undefined;
    if (next === undefined || ended) return;
    const [fraction, message] = next;
    next = undefined;
    send(fraction, message);
    timer = setTimeout(flush, progressIntervalMs);
  };
  const progress: RunCall['progress'] = (fraction, message) => {
    const known = typeof fraction === 'number' && Number.isFinite(fraction) ? Math.min(1, Math.max(0, fraction)) : null;
    next = [known, message === undefined ? next?.[1] : cutText(String(message), messageMax)];
    if (timer === undefined) flush();
  };
  const end = (): void => {
    ended = true;
    clearTimeout(timer);
  };
  return { progress, end };
};

/** Runs the handler of an action. Resolves with its result or with the error for what it threw; never rejects. */
export const runAction = async (
  action: AnyAction | undefined,
  params: RunParams,
  { limiter, onProblem, onProgress }: RunDeps,
): Promise<RpcAnswer> => {
  const { run, action: name, record, input, item, actor, attempt, reason, approvedBy, traceparent } = params;
  if (action === undefined)
    return { error: { code: rpcCodes.invalidParams, message: `The app has no action ${name}.` } };
  const sender = createProgressThrottle((fraction, message) => {
    onProgress(run, fraction, message);
  });
  let heeded: AbortSignal | undefined;
  try {
    const returned = await limiter.run(handlerTimeoutMs(action), async (signal) => {
      heeded = signal;
      const call: RunCall = {
        run,
        action: name,
        record,
        input,
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service sends whole items
        item: item as Item | null,
        actor,
        attempt,
        reason: reason ?? null,
        approvedBy: approvedBy ?? null,
        traceparent: traceparent ?? null,
        signal,
        progress: sender.progress,
      };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service has checked input and record by the declaration
      return action.run(call as never);
    });
    const details = runResultProblems(returned);
    if (details.length > 0) {
      const text = `The action ${name} succeeded in run ${run}; what its handler returned is not valid and was left out.`;
      onProblem(new LinkProblem('answer', formatProblem(text, details), { details }));
    }
    const result = toSendableResult(toRunResult(returned), (text) => {
      onProblem(new LinkProblem('handler', `The action ${name} succeeded in run ${run}; ${text}.`));
    });
    return { result };
  } catch (error) {
    if (heeded !== undefined && isStopped(heeded, error)) {
      onProblem(new LinkProblem('handler', `The action ${name} was stopped in run ${run}, as the client closes.`));
      return { error: stoppedError };
    }
    const answered = toRpcError(error);
    if (!answered.expected)
      onProblem(new LinkProblem('handler', `The action ${name} failed in run ${run}.`, { cause: error }));
    return { error: answered.error };
  } finally {
    sender.end();
  }
};
