/** Turns the outcome of a call to the app into its answer, a fault or an `error` block, for reads of records and pages. */
import { Fault, fault } from '../../catalogue/errors.ts';
import { isDbUnavailable } from '../../platform/db/errors.ts';
import type { Log } from '../../platform/log/log.ts';
import type { CallOutcome } from '../link/link.ts';
import { rpcCodes, type Block } from '../link/protocol.ts';
import { errorBlock } from './validateBlocks.ts';

/** Characters that are kept of an app's message. */
const messageMax = 500;

/** What people read when the app's own code failed: its message may reveal the app's inside. */
export const brokenAppMessage = 'Something went wrong inside the app.';

/** Returns what people read of an error of the app; undefined: the usual message, as the app answers no such call. */
const failureMessage = ({ code, message }: { readonly code: number; readonly message: string }): string | undefined => {
  if (code === rpcCodes.actionFailed) return message.slice(0, messageMax).toWellFormed();
  return code === rpcCodes.methodNotFound ? undefined : brokenAppMessage;
};

/** Returns the answer. Throws `app_offline`, `app_timeout` or `app_error`. Only the message of a refusal is passed on, as others may reveal the app's inside. */
export const requireAnswer = <R>(outcome: CallOutcome<R>): R => {
  switch (outcome.kind) {
    case 'answer':
      return outcome.result;
    case 'offline':
    case 'lost':
      throw fault('app_offline');
    case 'timeout':
      throw fault('app_timeout');
    case 'error':
      throw fault('app_error', failureMessage(outcome));
    case 'garbled':
      throw fault('app_error');
  }
};

/** Returns the `error` block in place of a block that failed. Logs an error that is no fault, as it is a bug. */
export const errorBlockFor = (log: Log, title: string | null, error: unknown): Block => {
  if (error instanceof Fault) return errorBlock(title, error.code, error.message);
  if (isDbUnavailable(error)) return errorBlock(title, 'unavailable');
  log.error({ err: error }, 'a block failed');
  return errorBlock(title, 'internal');
};
