/** The headers that make a change conditional. A step of api/app.ts and api/mcp/serveEndpoint.ts. */
import { fault, type Fault } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { isObject } from '../../shared/platform/core/jsonLimits.ts';
import { requestFingerprint, type IdempotencyKey } from '../../shared/platform/journal/idempotency.ts';
import type { Endpoint, EndpointCall, RequestSource } from '../endpoint.ts';
import { headerValues } from '../http/headers.ts';
import { withoutMember } from '../http/jsonMember.ts';
import type { RequestBody } from '../http/requestBody.ts';
import type { EndpointContext, Next } from './state.ts';

const keyForm = /^[\x20-\x7e]{1,255}$/;
const matchForm = /^"(0|[1-9]\d{0,14})"$/;

const singleHeader = (from: RequestSource, name: string): string | undefined => {
  const given = headerValues(from, name);
  if (given.length > 1)
    throw fault('invalid', `${name} is given more than once.`, {
      details: [{ path: name, message: 'is given more than once' }],
    });
  return given[0];
};

/**
 * Returns the body to be fingerprinted: without a password, because a fingerprint is quick to compute for a guess, and
 * without the reason, which does not make another request.
 */
const fingerprinted = ({ raw, value }: RequestBody): string => {
  if (!isObject(value)) return raw;
  if ('password' in value) return Buffer.from(JSON.stringify({ ...value, password: null })).toString('latin1');
  return 'reason' in value ? withoutMember(raw, 'reason') : raw;
};

const parseIdempotencyKey = (
  { from, caller, session }: EndpointCall,
  endpoint: Endpoint,
  body: RequestBody,
): IdempotencyKey | null => {
  const key = singleHeader(from, 'idempotency-key');
  if (key === undefined) return null;
  const refuse = (message: string): Fault =>
    fault('invalid', `idempotency-key ${message}.`, { details: [{ path: 'idempotency-key', message }] });
  if (!endpoint.acceptsIdempotencyKey) throw refuse('is not taken here');
  if (!keyForm.test(key) || key.trim() === '')
    throw refuse(`must be 1 to ${String(limits.idempotencyKeyMax)} printable characters`);
  return {
    principal: caller.principal.id ?? session.credential,
    key,
    fingerprint: requestFingerprint(from.method, from.url, fingerprinted(body)),
  };
};

const parseIfMatch = (from: RequestSource, endpoint: Endpoint): number | undefined => {
  const given = singleHeader(from, 'if-match');
  if (given === undefined || given === '*') return undefined;
  const version = matchForm.exec(given)?.[1];
  if (version === undefined || !endpoint.conditional) {
    const message = endpoint.conditional ? 'must be "<version>" in quotes, or *' : 'is not taken here';
    throw fault('invalid', `if-match ${message}.`, { details: [{ path: 'if-match', message }] });
  }
  return Number(version);
};

/** Parses `idempotency-key` and `if-match` of a change. Throws `400 invalid`. */
export const changeHeaders = ({ state }: EndpointContext, next: Next): Promise<unknown> => {
  const { call, mounted, body } = state;
  if (body === null) return next();
  const key = parseIdempotencyKey(call, mounted.endpoint, body);
  call.ifMatch = parseIfMatch(call.from, mounted.endpoint);
  if (key !== null) {
    state.idempotencyKey = key;
    call.save = (status, text, etag) => ({ ...key, status, body: text, etag: etag ?? null });
  }
  return next();
};
