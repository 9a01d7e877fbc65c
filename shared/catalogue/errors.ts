/** The closed table of error codes, for every layer: what fails throws `fault(code)`, and docs/agents.md prints the table. */

interface ErrorRow {
  /** HTTP status (RFC 9110). */
  readonly status: number;
  readonly message: string;
  /** Whether the same request, unchanged, may succeed later. */
  readonly retry: boolean;
}

const rows = {
  bad_json: { status: 400, message: 'The body is not valid JSON.', retry: false },
  invalid: { status: 400, message: 'The request is not valid; see details.', retry: false },
  bad_cursor: {
    status: 400,
    message: 'The cursor does not belong to this query; start again without it.',
    retry: false,
  },
  unauthorized: {
    status: 401,
    message: 'A valid token is required in the header: authorization: Bearer <token>.',
    retry: false,
  },
  forbidden: { status: 403, message: 'Your role does not allow this.', retry: false },
  person_required: { status: 403, message: 'Only a signed-in person may do this.', retry: false },
  fresh_sign_in_required: { status: 403, message: 'This needs a fresh sign-in by a person.', retry: false },
  not_found: { status: 404, message: 'There is nothing here that you can see.', retry: false },
  method_not_allowed: {
    status: 405,
    message: 'This address does not take that method; see the allow header.',
    retry: false,
  },
  confirmation_required: { status: 409, message: 'This is dangerous and needs "confirmed": true.', retry: false },
  already_decided: { status: 409, message: 'The approval is not pending any more.', retry: false },
  stale: {
    status: 409,
    message: 'What the approval is for has changed since; see details, and request it again.',
    retry: false,
  },
  changed_since_seen: {
    status: 409,
    message: 'What the approval is for has changed since you read it; look at approval, and decide again.',
    retry: false,
  },
  claimed: { status: 409, message: 'Another works on this item; see details, and take another one.', retry: true },
  claim_required: { status: 409, message: 'Claim the item before you change it.', retry: false },
  unseen: {
    status: 409,
    message: 'Others have written since you read this item; see details, and read it again.',
    retry: false,
  },
  in_progress: { status: 409, message: 'A request with this idempotency key is still running.', retry: true },
  conflict: { status: 409, message: 'Its present state does not allow this; the error names the state.', retry: false },
  version_conflict: {
    status: 412,
    message: 'It has changed since the version that you named; see current.',
    retry: false,
  },
  too_large: { status: 413, message: 'The body is larger than 1 MiB, or 4 MiB for a bulk.', retry: false },
  uri_too_long: { status: 414, message: 'The address is too long.', retry: false },
  unsupported_media_type: {
    status: 415,
    message: 'Send an uncompressed body with content-type: application/json in UTF-8.',
    retry: false,
  },
  invalid_transition: {
    status: 422,
    message: 'That state cannot be reached from the current one; see details.',
    retry: false,
  },
  action_failed: { status: 422, message: 'The action failed.', retry: false },
  too_many: {
    status: 422,
    message: 'The query matches more items than a bulk may have; details has their number.',
    retry: false,
  },
  too_broad: {
    status: 422,
    message: 'Finding this takes too long; narrow the filters that details names.',
    retry: false,
  },
  idempotency_mismatch: { status: 422, message: 'This idempotency key was used with another request.', retry: false },
  upgrade_required: { status: 426, message: 'Open this address as a WebSocket.', retry: false },
  rate_limited: { status: 429, message: 'Too many requests; wait for retry-after seconds.', retry: true },
  headers_too_large: { status: 431, message: 'The request headers are too large.', retry: false },
  internal: {
    status: 500,
    message: 'Something went wrong on our side; the request id helps us to find it.',
    retry: true,
  },
  app_error: { status: 502, message: 'The app gave an answer that is not valid.', retry: true },
  app_offline: { status: 503, message: 'The app is offline.', retry: true },
  unavailable: {
    status: 503,
    message: 'The service is not available right now; try again after retry-after seconds.',
    retry: true,
  },
  app_timeout: { status: 504, message: 'The app did not answer in time.', retry: true },
  quota_exceeded: {
    status: 507,
    message: 'The environment is full; remove something, or ask the operator for a larger quota.',
    retry: true,
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof rows;
export const errors: Readonly<Record<ErrorCode, ErrorRow>> = rows;

/** One offending place of a request: a dotted path (`operation.state`, `ids.3`) and what to do about it. */
export interface FaultDetail {
  readonly path: string;
  readonly message: string;
}

interface FaultExtra {
  readonly details?: readonly FaultDetail[];
  /** Further members of the response's body: `current`, `approval`. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A failure that becomes an error response. Any other thrown value is a bug and becomes `500 internal`. */
export class Fault extends Error {
  declare readonly code: ErrorCode;
  declare readonly extra: FaultExtra;

  /** Without a stack: nobody reads that of an expected error, and taking it is most of what refusing 100,000 items costs. */
  constructor(code: ErrorCode, message: string, extra: FaultExtra) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.extra = extra;
  }

  get status(): number {
    return errors[this.code].status;
  }
}

/** Returns the fault of `code`, with the table's message unless another is given. */
export const fault = (code: ErrorCode, message?: string, extra: FaultExtra = {}): Fault =>
  new Fault(code, message ?? errors[code].message, extra);

/** Returns `404 not_found` that says which path of the request names nothing. */
export const notFoundAt = (path: string, message: string): Fault =>
  fault('not_found', undefined, { details: [{ path, message }] });

/** Returns `400 invalid` for one path of the request. */
export const invalidAt = (path: string, message: string): Fault =>
  fault('invalid', `${path}: ${message}`, { details: [{ path, message }] });
