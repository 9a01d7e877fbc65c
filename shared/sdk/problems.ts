/** What goes wrong and how it is told: handlers throw `ActionFailed`, the client hands a `LinkProblem` to `onError`. */
import { rpcCodes, type RpcError } from '../applink/protocol.ts';

/** Thrown by a handler to refuse: its message reaches whoever asked. */
export class ActionFailed extends Error {
  /** Whether the service may hand the same run over again, up to five times, the first after a second. */
  readonly retryable: boolean;

  constructor(message: string, options: { readonly retryable?: boolean } = {}) {
    super(message);
    this.name = 'ActionFailed';
    this.retryable = options.retryable ?? false;
  }
}

/**
 * `refused`: the service doesn't take what the app declares. `unauthorized`: the key or the address is not accepted.
 * `connection`: the service can't be reached. `request`: a report or record was refused. `full`, `closed`: a report was
 * not taken. `handler`, `listener`, `store`: what the app's own code threw.
 */
export type ProblemKind =
  'refused' | 'unauthorized' | 'connection' | 'request' | 'full' | 'closed' | 'handler' | 'listener' | 'store';

export class LinkProblem extends Error {
  readonly kind: ProblemKind;
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

/** The service answered a request of ours with an error. */
export class RpcFailed extends Error {
  readonly error: RpcError;

  constructor(error: RpcError) {
    super(error.message);
    this.name = 'RpcFailed';
    this.error = error;
  }
}

/** No answer will come: the connection ended, or it took too long. */
export class NoAnswer extends Error {
  constructor() {
    super('The service did not answer.');
    this.name = 'NoAnswer';
  }
}

/** The problems of a manifest or a report, one per line, each with its path. */
export const rpcErrorDetails = (error: RpcError): LinkProblem['details'] =>
  error.data?.problems ?? error.data?.details ?? [];

export const formatProblem = (message: string, details: LinkProblem['details']): string =>
  [message, ...details.map(({ path, message: text }) => `  ${path}: ${text}`)].join('\n');

export const errorText = (error: unknown): string => {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return 'an error without a message';
  }
};

/** By name too, as an app may have two copies of this package. */
const isActionFailed = (error: unknown): error is ActionFailed =>
  error instanceof ActionFailed || (error instanceof Error && error.name === 'ActionFailed');

/** What the service is told of something thrown: the app's own words only where it chose them. */
export const toRpcError = (error: unknown): { readonly error: RpcError; readonly expected: boolean } => {
  if (isActionFailed(error)) {
    const message = errorText(error).slice(0, 2_000);
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
