/** The SDK's errors: `ActionFailed` for handlers to throw, `LinkProblem` for `onError`, and those between its own files. */
import { rpcCodes, type RpcError } from '../app/link/protocol.ts';
import { formatProblem } from './formatProblem.ts';
import { cutText, errorText } from './texts.ts';

/**
 * Thrown by a handler to refuse a call. The run or reply ends `failed`, and the caller reads the message (at most 2,000
 * characters). Any other error ends a run `failed` too, with a neutral message, and a reply `unknown`. `failed` reads as
 * not done: catch what may be thrown after the effect, and return what was done.
 *
 * @example
 * throw new ActionFailed('The card has expired.');
 * throw new ActionFailed('The bank is busy.', { retryable: true });
 */
export class ActionFailed extends Error {
  /**
   * Whether the service may call the handler again for the same run: up to five times, first after 1 s, each wait twice the
   * one before. Say so only when nothing was done. False by default.
   */
  readonly retryable: boolean;

  constructor(message: string, options: { readonly retryable?: boolean } = {}) {
    super(message);
    this.name = 'ActionFailed';
    this.retryable = options.retryable ?? false;
  }
}

/**
 * What kind of problem a `LinkProblem` is.
 *
 * - `refused`: the service does not accept the declarations, or they lack handlers; `details` lists every problem.
 * - `unauthorized`: the service does not accept the key or the address.
 * - `connection`: the service can't be reached, or the connection ended.
 * - `request`: the service does not accept a report or a record; `details` names the paths.
 * - `full`: `queueLimit` reports and batches of records wait already.
 * - `closed`: the client was closed before the service had the report.
 * - `answer`: what a handler returned is not valid and was not taken; `details` names the places.
 * - `handler`, `listener`, `store`: the app's own code threw `cause`.
 */
export type ProblemKind =
  | 'refused'
  | 'unauthorized'
  | 'connection'
  | 'request'
  | 'full'
  | 'closed'
  | 'answer'
  | 'handler'
  | 'listener'
  | 'store';

/** A problem of the connection, of a report or of the app's own code, as `onError` gets it; reports reject with it. */
export class LinkProblem extends Error {
  readonly kind: ProblemKind;
  /** The offending places of what was sent, each a dotted path with what is wrong there; often empty. */
  readonly details: readonly { readonly path: string; readonly message: string }[];

  constructor(
    kind: ProblemKind,
    message: string,
    more: { readonly cause?: unknown; readonly details?: LinkProblem['details'] } = {},
  ) {
    super(message, more.cause === undefined ? {} : { cause: more.cause });
    this.name = 'LinkProblem';
    this.kind = kind;
    this.details = more.details ?? [];
  }
}

/** The service answered a request of the SDK with an error. */
export class RpcFailed extends Error {
  readonly error: RpcError;

  constructor(error: RpcError) {
    super(error.message);
    this.name = 'RpcFailed';
    this.error = error;
  }
}

/** No answer will come: the connection ended, or the answer took too long. */
export class NoAnswer extends Error {
  constructor() {
    super('The service did not answer.');
    this.name = 'NoAnswer';
  }
}

/** Error codes of refusals after which the same request may succeed. */
const transientCodes = new Set(['unavailable', 'rate_limited', 'in_progress']);

/** Returns whether the same request may succeed later. */
export const isTransientRefusal = ({ data }: RpcError): boolean => transientCodes.has(data?.code ?? '');

/** Returns the problems that an error of the service lists, of a manifest or of a report. */
export const rpcErrorDetails = (error: RpcError): LinkProblem['details'] =>
  error.data?.problems ?? error.data?.details ?? [];

/** Compares the name too, as an app may have two copies of this package. */
const isActionFailed = (error: unknown): error is ActionFailed =>
  error instanceof ActionFailed || (error instanceof Error && error.name === 'ActionFailed');

/**
 * Returns the JSON-RPC error for something that a handler threw. Only the message of `ActionFailed` goes over the wire, as
 * others may reveal the app's inside; `expected` is false for those.
 */
export const toRpcError = (error: unknown): { readonly error: RpcError; readonly expected: boolean } => {
  if (isActionFailed(error)) {
    const message = cutText(errorText(error), 2_000);
    return {
      error: {
        code: rpcCodes.actionFailed,
        message: message === '' ? 'The app refused.' : message,
        data: { retryable: error.retryable === true },
      },
      expected: true,
    };
  }
  return { error: { code: rpcCodes.internalError, message: 'The app failed; its log says more.' }, expected: false };
};

/** Returns the problem of a run's answer that the service refuses. */
export const refusedAnswer = (run: string, refused: RpcError): LinkProblem => {
  const details = rpcErrorDetails(refused);
  const text = `The service refuses the answer of the run ${run}, which is kept: ${refused.message}`;
  return new LinkProblem('answer', formatProblem(text, details), { details });
};

/** Returns the problem of an answer that can't be sent. `subject` names the call. */
export const unsendableAnswer = (subject: string, found: LinkProblem['details'][number]): LinkProblem => {
  const details = [{ ...found, path: found.path === '' ? 'result' : found.path }];
  return new LinkProblem('answer', formatProblem(`The answer to ${subject} was not sent.`, details), { details });
};

/** Returns the problem of an `app.problem` of the service: a handler's answer that it could not take. */
export const answerProblem = ({ method, about, problems }: Readonly<Record<string, unknown>>): LinkProblem => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service sends a list of paths and messages
  const details = (Array.isArray(problems) ? problems : []) as LinkProblem['details'];
  const names = Object.entries(about ?? {}).map(([kind, name]) => `${kind} ${String(name)}`);
  const subject = names.length === 0 ? '' : ` (${names.join(', ')})`;
  const text = `The service could not take the answer to ${String(method)}${subject}.`;
  return new LinkProblem('answer', formatProblem(text, details), { details });
};
