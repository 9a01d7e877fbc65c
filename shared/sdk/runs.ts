/** Runs an action's handler and makes of whatever it does an answer that can be sent; called by serve.ts. */
import { rpcCodes, type ServiceCalls } from '../applink/protocol.ts';
import type { AnyAction } from './defineApp.ts';
import type { Item, RunCall, RunResult } from './handlers.ts';
import { encodeFrame, type RpcAnswer } from './peer.ts';
import { toRpcError, LinkProblem } from './problems.ts';
import type { HandlerLimiter } from './handlerLimiter.ts';

export type RunParams = ServiceCalls['action.run']['params'];

export interface RunDeps {
  readonly limiter: HandlerLimiter;
  readonly onProblem: (problem: LinkProblem) => void;
  readonly onProgress: (run: string, progress: number | null, message: string | undefined) => void;
}

/** As the service fills them in. */
const handlerTimeoutMs = ({ timeout, background }: AnyAction): number =>
  timeout ?? (background === true ? 3_600_000 : 60_000);
const progressEveryMs = 100;
const messageMax = 10_000;

const toRunResult = (returned: RunResult): ServiceCalls['action.run']['result'] => {
  if (typeof returned === 'string') return { message: returned };
  if (typeof returned !== 'object' || returned === null) return null;
  const { message, blocks } = returned;
  return { message: typeof message === 'string' ? message : null, ...(Array.isArray(blocks) ? { blocks } : {}) };
};

/** The effect is done, so what can't be sent of its result is left out instead of calling it failed. */
const toSendableAnswer = (result: ServiceCalls['action.run']['result'], tell: (message: string) => void): RpcAnswer => {
  if (encodeFrame({ id: 0, result }) !== undefined) return { result };
  tell('its blocks are no JSON or larger than 4 MiB and were left out');
  const text = 'The result was too large to show and was left out.';
  return {
    result: { message: result?.message?.slice(0, messageMax) ?? null, blocks: [{ type: 'text', title: null, text }] },
  };
};

/** Sends at most ten a second, and always the last one. */
const createProgressThrottle = (
  send: (fraction: number | null, message?: string) => void,
): { progress: RunCall<never>['progress']; end: () => void } => {
  let timer: NodeJS.Timeout | undefined;
  let next: [number | null, string?] | undefined;
  let ended = false;
  const flush = (): void => {
    timer = undefined;
    if (next === undefined || ended) return;
    const [fraction, message] = next;
    next = undefined;
    send(fraction, message);
    timer = setTimeout(flush, progressEveryMs);
  };
  const progress: RunCall<never>['progress'] = (fraction, message) => {
    const known = typeof fraction === 'number' && Number.isFinite(fraction) ? Math.min(1, Math.max(0, fraction)) : null;
    next = message === undefined ? [known, next?.[1]] : [known, String(message).slice(0, messageMax)];
    if (timer === undefined) flush();
  };
  const end = (): void => {
    ended = true;
    clearTimeout(timer);
  };
  return { progress, end };
};

/** Never rejects. */
export const runAction = async (
  action: AnyAction | undefined,
  params: RunParams,
  { limiter: slots, onProblem: problem, onProgress: progress }: RunDeps,
): Promise<RpcAnswer> => {
  const { run, action: name, record, input, item, actor, attempt } = params;
  if (action === undefined)
    return { error: { code: rpcCodes.invalidParams, message: `The app has no action ${name}.` } };
  const sender = createProgressThrottle((fraction, message) => {
    progress(run, fraction, message);
  });
  try {
    const returned = await slots.run(handlerTimeoutMs(action), async (signal) =>
      action.run({
        run,
        action: name,
        record,
        input: input as never,
        item: item as Item | null,
        actor,
        attempt,
        signal,
        progress: sender.progress,
      }),
    );
    return toSendableAnswer(toRunResult(returned), (message) => {
      problem(new LinkProblem('handler', `Of the action ${name}, ${message}.`));
    });
  } catch (error) {
    const told = toRpcError(error);
    if (!told.expected)
      problem(new LinkProblem('handler', `The action ${name} failed in run ${run}.`, { cause: error }));
    return { error: told.error };
  } finally {
    sender.end();
  }
};
