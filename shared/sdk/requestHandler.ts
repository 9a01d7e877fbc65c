/** Runs the app's handlers for the requests that the service makes. connect.ts makes one; peer.ts calls it for each request. */
import { linkLimits, rpcCodes, type ServiceCalls, type ServiceMethod } from '../app/link/protocol.ts';
import type { AnswerCache } from './answerCache.ts';
import { callSubject } from './callSubject.ts';
import type { App } from './defineApp.ts';
import { createMethodTable, NotDeclared } from './methodTable.ts';
import type { Peer, RpcAnswer } from './peer.ts';
import { LinkProblem, toRpcError } from './problems.ts';
import { runAction, type RunDeps, type RunParams } from './runs.ts';

interface ServeDeps extends RunDeps {
  readonly app: App;
  readonly runs: AnswerCache;
  readonly replies: AnswerCache;
  readonly isStopping: () => boolean;
  /** Called when a run was answered whose connection has ended meanwhile. */
  readonly onLateAnswer: () => void;
}

/** Methods that act, or whose answer does. An instance that is stopping refuses them, and goes on serving the others, which read. */
export const actingMethods: ReadonlySet<string> = new Set<ServiceMethod>(['action.run', 'triage.answer', 'reply.send']);

/** How long handlers of `triage.answer` and `reply.send` may run before their signal aborts: longer than those of reads. */
const effectTimeoutMs = 60_000;

/** Returns the function that answers one request. It never rejects: errors become JSON-RPC errors. */
export const createRequestHandler = (
  parts: ServeDeps,
): ((method: string, params: unknown, peer: Peer) => Promise<RpcAnswer>) => {
  const { app, runs, replies, limiter, onProblem, isStopping } = parts;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service sends the params of the method that it names
  const served = new Map(Object.entries(createMethodTable(app))) as Map<
    string,
    (params: unknown, signal: AbortSignal) => unknown
  >;
  let deliveries = 0;
  /** `stopping` makes the service take the call for not sent; a service that does not know it calls again after a while. */
  const stoppingRefusal: RpcAnswer = {
    error: { code: rpcCodes.actionFailed, message: 'The app is stopping.', data: { retryable: true, stopping: true } },
  };

  const read = async (method: string, params: unknown): Promise<RpcAnswer> => {
    const handler = served.get(method);
    if (handler === undefined)
      return { error: { code: rpcCodes.methodNotFound, message: `There is no method ${method}.` } };
    const deadline = actingMethods.has(method) ? effectTimeoutMs : linkLimits.readMs;
    try {
      return { result: (await limiter.run(deadline, async (signal) => handler(params, signal))) ?? null };
    } catch (error) {
      if (error instanceof NotDeclared) return { error: { code: rpcCodes.invalidParams, message: error.message } };
      const answered = toRpcError(error);
      if (!answered.expected)
        onProblem(
          new LinkProblem('handler', `The handler of ${callSubject(method, params)} failed.`, { cause: error }),
        );
      return { error: answered.error };
    }
  };

  return async (method, params, peer) => {
    if (method === 'action.run') {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service sends the params of the method that it names
      const run = params as RunParams;
      if (isStopping() && !runs.has(run.run)) return stoppingRefusal;
      const answer = await runs.answer(run.run, run.attempt, () => runAction(app.actions.get(run.action), run, parts));
      if (peer.ended) parts.onLateAnswer();
      return answer;
    }
    if (method !== 'reply.send')
      return isStopping() && actingMethods.has(method) ? stoppingRefusal : read(method, params);
    // The counter stands for the attempt, which the service does not send: a delivery that failed is sent once more, one that succeeded never.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service sends the params of the method that it names
    const { delivery } = params as ServiceCalls['reply.send']['params'];
    if (isStopping() && !replies.has(delivery)) return stoppingRefusal;
    const answer = await replies.answer(delivery, ++deliveries, () => read(method, params));
    replies.settle(delivery);
    return answer;
  };
};
