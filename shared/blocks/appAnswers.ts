/** What became of a call to the app, as what a reader of blocks gets: its answer, or the fault that is told. */
import type { CallOutcome } from '../applink/link.ts';
import { rpcCodes, type Block } from '../applink/protocol.ts';
import { Fault, fault } from '../catalogue/errors.ts';
import { isDbUnavailable } from '../platform/db/errors.ts';
import type { Log } from '../platform/core/log.ts';
import { errorBlock } from './validateBlocks.ts';

/** Longer sentences of an app don't help anybody. */
const messageMax = 500;

/** The answer, or throws `app_offline`, `app_timeout` or `app_error`. Only a refusal's own message is passed on: others may tell of the app's inside. */
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
      throw outcome.code === rpcCodes.actionFailed
        ? fault('app_error', outcome.message.slice(0, messageMax).toWellFormed())
        : fault('app_error');
    case 'garbled':
      throw fault('app_error');
  }
};

/** The block in place of one that failed. What no fault explains is a bug of ours and is logged. */
export const errorBlockFor = (log: Log, title: string | null, error: unknown): Block => {
  if (error instanceof Fault) return errorBlock(title, error.code, error.message);
  if (isDbUnavailable(error)) return errorBlock(title, 'unavailable');
  log.error({ err: error }, 'a block failed');
  return errorBlock(title, 'internal');
};
