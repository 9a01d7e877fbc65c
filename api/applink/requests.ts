/** Serves the requests of apps: checks that the app is registered and the values can be stored, then calls the method. Used by hub.ts. */
import type { Caller } from '../../shared/accounts/access/principal.ts';
import { parseRunAnswer } from '../../shared/app/link/callOutcome.ts';
import { requestCounter } from '../../shared/app/link/metrics.ts';
import { narrowConnection } from '../../shared/app/link/presence.ts';
import { linkCloseCodes, rpcCodes, type RpcError, type RunAnswer } from '../../shared/app/link/protocol.ts';
import { fault, type FaultDetail, Fault } from '../../shared/catalogue/errors.ts';
import { isDbUnavailable } from '../../shared/platform/db/errors.ts';
import { newId } from '../../shared/platform/ids.ts';
import { inspectJson } from '../../shared/platform/json/jsonLimits.ts';
import { invalidFault } from '../../shared/platform/json/validate.ts';
import type { Log } from '../../shared/platform/log/log.ts';
import { settleRunAnswers } from '../../shared/runs/call/runAnswers.ts';
import { appMethods, appNotifications, type AppRequestContext } from './calls.ts';
import type { AppContext } from './context.ts';
import { linkCopies, ManifestRefusedError, registerApp } from './register.ts';
import type { AppFrameHandler, AppRequest, AppSession } from './session.ts';

/** The first code of the range that JSON-RPC 2.0 reserves for the server (-32000 to -32099). */
const refusedCode = -32000;

const faultOfRequest = (error: unknown, log: Log): Fault => {
  if (error instanceof Fault) return error;
  if (isDbUnavailable(error))
    return fault('unavailable', 'The service is not available right now; try again in a moment.');
  log.error({ err: error }, 'a request of an app failed');
  return fault('internal');
};

const toAppRpcError = (error: unknown, log: Log): RpcError => {
  const { code, message, status, extra } = faultOfRequest(error, log);
  return {
    code: status === 400 ? rpcCodes.invalidParams : refusedCode,
    message,
    data: { code, ...(extra.details === undefined ? {} : { details: extra.details }) },
  };
};

class UnknownMethod extends Error {}

/** Called with the connections that a registration has replaced, to close their sockets. */
type OnReplaced = (sockets: readonly { readonly id: string; readonly process: string }[]) => void;

const knownMethods = new Set([...Object.keys(appMethods), ...Object.keys(appNotifications), 'app.register']);

const toCaller = ({ deps }: AppContext, { envId, who, address }: AppSession): Caller => {
  const environment = deps.directory.environmentById(envId);
  if (environment === undefined) throw fault('not_found');
  return { env: environment, principal: who.principal, requestId: newId('req'), address };
};

/** Returns the problem of a value that can't be kept, or null. Throws `bad_json` where the text has more members than the value: one is named twice. */
const requireMembersOnce = ({ params, names: written }: AppRequest): FaultDetail | null => {
  const { problem, names } = inspectJson(params);
  if (problem === null && names !== written)
    throw fault('bad_json', 'A member of the message is named twice in one object.');
  return problem;
};

/** The methods by which an app fills its environment. */
const writingMethods = new Set(['items.report', 'records.put']);

const callMethod = async (asking: AppRequestContext, asked: AppRequest): Promise<unknown> => {
  const { method, params, notified } = asked;
  // Answers of runs are checked one by one: one that can't be stored must not refuse the others.
  const problem = method === 'run.answers' ? null : requireMembersOnce(asked);
  if (problem !== null) throw invalidFault([problem]);
  if (notified && Object.hasOwn(appNotifications, method)) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `hasOwn` has found the method
    appNotifications[method as keyof typeof appNotifications](asking, params);
    return null;
  }
  if (!Object.hasOwn(appMethods, method)) throw new UnknownMethod(`There is no method ${JSON.stringify(method)}.`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `hasOwn` has found the method
  const call = () => appMethods[method as keyof typeof appMethods](asking, params);
  if (!writingMethods.has(method)) return call();
  const { deps, caller } = asking;
  const owner = caller.principal.id ?? '';
  await deps.meter.require(owner, caller.env.id, true);
  const result = await call();
  deps.meter.count(owner, caller.env.id, linkCopies * asked.length);
  return result;
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
      // What can't be kept in a manifest is among the problems that the registration names.
      requireMembersOnce(asked);
      replaced(await registerApp(context, session, toCaller(context, session), asked, answer));
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
