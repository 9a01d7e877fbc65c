/** Serves the requests of apps: checks that the app is registered and the values can be stored, then calls the method. Used by hub.ts. */
import type { Caller } from '../../shared/access/principal.ts';
import { settleRunAnswers } from '../../shared/actions/runAnswers.ts';
import { parseRunAnswer } from '../../shared/applink/callOutcome.ts';
import { requestCounter } from '../../shared/applink/metrics.ts';
import { narrowConnection } from '../../shared/applink/presence.ts';
import { linkCloseCodes, rpcCodes, type RpcError, type RunAnswer } from '../../shared/applink/protocol.ts';
import { fault } from '../../shared/catalogue/errors.ts';
import { newId } from '../../shared/platform/core/ids.ts';
import { jsonProblem } from '../../shared/platform/core/jsonLimits.ts';
import { invalidFault } from '../../shared/platform/core/validate.ts';
import { appMethods, appNotifications, type AppRequestContext } from './calls.ts';
import type { AppContext } from './context.ts';
import { toAppRpcError } from './errors.ts';
import { ManifestRefusedError, registerApp } from './register.ts';
import type { AppFrameHandler, AppRequest, AppSession } from './session.ts';

class UnknownMethod extends Error {}

/** Called with the connections that a registration has replaced, to close their sockets. */
type OnReplaced = (sockets: readonly { readonly id: string; readonly process: string }[]) => void;

const knownMethods = new Set([...Object.keys(appMethods), ...Object.keys(appNotifications), 'app.register']);

const toCaller = ({ deps }: AppContext, { envId, who, address }: AppSession): Caller => {
  const environment = deps.directory.environmentById(envId);
  if (environment === undefined) throw fault('not_found');
  return { env: environment, principal: who.principal, requestId: newId('req'), address };
};

const callMethod = async (asking: AppRequestContext, { method, params, notified }: AppRequest): Promise<unknown> => {
  // Answers of runs are checked one by one: one that can't be stored must not refuse the others.
  const problem = method === 'run.answers' ? null : jsonProblem(params);
  if (problem !== null) throw invalidFault([problem]);
  if (notified && Object.hasOwn(appNotifications, method)) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `hasOwn` has found the method
    appNotifications[method as keyof typeof appNotifications](asking, params);
    return null;
  }
  if (!Object.hasOwn(appMethods, method)) throw new UnknownMethod(`There is no method ${JSON.stringify(method)}.`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `hasOwn` has found the method
  return appMethods[method as keyof typeof appMethods](asking, params);
};

const toRpcRefusal = ({ deps }: AppContext, error: unknown): RpcError => {
  if (error instanceof ManifestRefusedError)
    return {
      code: rpcCodes.invalidParams,
      message: error.message,
      data: { code: 'invalid', problems: error.problems },
    };
  if (error instanceof UnknownMethod) return { code: rpcCodes.methodNotFound, message: error.message };
  return toAppRpcError(error, deps.log);
};

export const createFrameHandler = (context: AppContext, replaced: OnReplaced): AppFrameHandler => {
  const { deps } = context;

  const answerRequest = async (
    session: AppSession,
    asked: AppRequest,
    answer: (result: unknown) => void,
  ): Promise<void> => {
    if (asked.method === 'app.register') {
      replaced(await registerApp(context, session, toCaller(context, session), asked.params, answer));
    } else if (session.arrival === null) session.end(linkCloseCodes.notRegistered, 'app.register comes first');
    else answer(await callMethod({ deps, caller: toCaller(context, session), connection: session }, asked));
  };

  const late = async (session: AppSession, given: RunAnswer): Promise<void> => {
    for (const run of await settleRunAnswers(deps, session.envId, session.connection.instance, [given]))
      session.notify('run.settled', { run });
  };

  return {
    request: async (session, asked, answer) => {
      const method = knownMethods.has(asked.method) ? asked.method : 'other';
      try {
        await answerRequest(session, asked, answer);
        requestCounter.inc({ method, outcome: 'ok' });
      } catch (error) {
        requestCounter.inc({ method, outcome: 'refused' });
        throw error;
      }
    },
    toRpcError: (error) => toRpcRefusal(context, error),
    onLateAnswer: (session, run, message) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer of the app, read as the protocol defines it
      const { result, error } = message as Partial<RunAnswer>;
      late(session, parseRunAnswer({ run, result, error }).answer).catch((failure: unknown) => {
        deps.log.debug({ err: failure, run }, 'a late answer could not be written; the app still has it');
      });
    },
    onStopping: async (left) => {
      try {
        await narrowConnection(deps, left);
      } catch (error) {
        deps.log.debug(
          { err: error, env: left.envId },
          'the row of an app that is stopping could not be written; this process gives it no work all the same',
        );
      }
    },
  };
};
