/** A request of an app from its envelope to its answer: registered first, nothing in it that can't be kept, then its method. */
import { takeAnswers } from '../../shared/actions/answers.ts';
import type { Caller } from '../../shared/access/principal.ts';
import { requests } from '../../shared/applink/metrics.ts';
import { linkCloseCodes, rpcCodes, type AppCalls, type RpcError, type RunAnswer } from '../../shared/applink/protocol.ts';
import { fault } from '../../shared/catalogue/errors.ts';
import { jsonProblem } from '../../shared/platform/core/guard.ts';
import { newId } from '../../shared/platform/core/ids.ts';
import { invalidDetails } from '../../shared/platform/core/validate.ts';
import { methods, notifications, type Asking } from './calls.ts';
import type { AppContext } from './context.ts';
import { rpcErrorOf } from './errors.ts';
import { ManifestRefused, register } from './register.ts';
import type { AppSession, Asked, Hearing } from './session.ts';

class UnknownMethod extends Error {}

/** What registering has put in the place of: told to the processes that hold them. */
export type Replaced = (sockets: readonly { readonly id: string; readonly process: string }[]) => void;

const known = new Set([...Object.keys(methods), ...Object.keys(notifications), 'app.register']);

const callerOf = ({ deps }: AppContext, { env, who, address }: AppSession): Caller => {
  const environment = deps.directory.environmentById(env);
  if (environment === undefined) throw fault('not_found');
  return { env: environment, principal: who.principal, requestId: newId('req'), address };
};

const serve = async (asking: Asking, { method, params, notified }: Asked): Promise<unknown> => {
  const problem = jsonProblem(params);
  if (problem !== null) throw invalidDetails([problem]);
  if (notified && Object.hasOwn(notifications, method)) {
    notifications[method as keyof typeof notifications](asking, params);
    return null;
  }
  if (!Object.hasOwn(methods, method)) throw new UnknownMethod(`There is no method ${JSON.stringify(method)}.`);
  return methods[method as keyof typeof methods](asking, params);
};

const refusalOf = ({ deps }: AppContext, error: unknown): RpcError => {
  if (error instanceof ManifestRefused) return { code: rpcCodes.invalidParams, message: error.message, data: { code: 'invalid', problems: error.problems } };
  if (error instanceof UnknownMethod) return { code: rpcCodes.methodNotFound, message: error.message };
  return rpcErrorOf(error, deps.log);
};

export const createHearing = (context: AppContext, replaced: Replaced): Hearing => {
  const { deps } = context;

  const answerRequest = async (session: AppSession, asked: Asked, answer: (result: unknown) => void): Promise<void> => {
    if (asked.method === 'app.register') {
      replaced(await register(context, session, callerOf(context, session), asked.params, answer as (result: AppCalls['app.register']['result']) => void));
    } else if (session.arrival === null) session.end(linkCloseCodes.notRegistered, 'app.register comes first');
    else answer(await serve({ deps, caller: callerOf(context, session), held: session }, asked));
  };

  const late = async (session: AppSession, given: RunAnswer): Promise<void> => {
    for (const run of await takeAnswers(deps, session.env, session.connection.instance, [given])) session.notify('run.settled', { run });
  };

  return {
    request: async (session, asked, answer) => {
      const method = known.has(asked.method) ? asked.method : 'other';
      try {
        await answerRequest(session, asked, answer);
        requests.inc({ method, outcome: 'ok' });
      } catch (error) {
        requests.inc({ method, outcome: 'refused' });
        throw error;
      }
    },
    failed: (error) => refusalOf(context, error),
    late: (session, run, message) => {
      const { result, error } = message as Partial<RunAnswer>;
      late(session, { run, ...(error === undefined ? { result: result ?? null } : { error }) }).catch((failure: unknown) => {
        deps.log.debug({ err: failure, run }, 'a late answer could not be written; the app still has it');
      });
    },
  };
};
