/**
 * Evaluates one flag, or all that the role sees, in the form of the OpenFeature Remote Evaluation Protocol 0.2
 * (https://github.com/open-feature/protocol, service/openapi.yaml). Used by the OFREP endpoints.
 */
import { createHash } from 'node:crypto';
import type { Caller } from '../access/principal.ts';
import { Fault, fault, type ErrorCode } from '../catalogue/errors.ts';
import { strictObject, Type } from '../platform/core/schema.ts';
import { compileCheck } from '../platform/core/validate.ts';
import { requireVisibleFlag } from './changeFlag.ts';
import type { FlagDeps } from './deps.ts';
import type { EvaluationContext } from './evaluate.ts';
import type { CachedFlag } from './flagCache.ts';

export const evaluationBody = strictObject({
  context: Type.Optional(
    Type.Object(
      { targetingKey: Type.Optional(Type.String({ maxLength: 1000, description: 'The record id.' })) },
      { description: 'The record id, and attributes for rules.' },
    ),
  ),
});
const checkForm = compileCheck(evaluationBody);

const errorCodes: Readonly<Partial<Record<ErrorCode, string>>> = {
  bad_json: 'PARSE_ERROR',
  invalid: 'INVALID_CONTEXT',
  not_found: 'FLAG_NOT_FOUND',
};

/** Returns the fault with the members that OFREP's clients read: `key`, `errorCode`, `errorDetails`. */
export const ofrepFault = (failure: Fault, key: string | null): Fault => {
  const { body } = failure.extra;
  const errorCode = body?.['errorCode'] ?? errorCodes[failure.code] ?? 'GENERAL';
  return new Fault(failure.code, failure.message, {
    ...failure.extra,
    body: { ...(key === null ? {} : { key }), ...body, errorCode, errorDetails: failure.message },
  });
};

export const parseEvaluationContext = (body: unknown): EvaluationContext => checkForm(body).context ?? {};

const noKey = 'The flag has a percentage: give the record id as targetingKey.';

const evaluationJson = (
  key: string,
  { flag, evaluate }: CachedFlag,
  context: EvaluationContext,
): Readonly<Record<string, unknown>> => {
  const { value, reason, variant, keyMissing, decidedBy, rule } = evaluate(context);
  if (keyMissing) return { key, errorCode: 'TARGETING_KEY_MISSING', errorDetails: noKey };
  const metadata = { version: flag.version, decidedBy, ...(rule === null ? {} : { rule }) };
  return { key, value, reason, ...(variant === null ? {} : { variant }), metadata };
};

const readCachedFlag = async (deps: FlagDeps, caller: Caller, key: string): Promise<CachedFlag> => {
  const cached = await deps.flags.get(caller.env, key);
  if (cached === undefined) throw fault('not_found');
  return cached;
};

/** Returns the evaluation of one flag. Throws `not_found`, and `invalid` when a rollout is evaluated without a record id. */
export const evaluateFlag = async (
  deps: FlagDeps,
  caller: Caller,
  key: string,
  context: EvaluationContext,
): Promise<object> => {
  requireVisibleFlag(caller, key);
  const found = evaluationJson(key, await readCachedFlag(deps, caller, key), context);
  if ('errorCode' in found)
    throw fault('invalid', noKey, {
      details: [{ path: 'context.targetingKey', message: 'is required' }],
      body: { errorCode: found['errorCode'] },
    });
  return found;
};

interface EvaluatedFlags {
  readonly text: string;
  readonly etag: string;
}

export const evaluateFlags = async (
  deps: FlagDeps,
  caller: Caller,
  context: EvaluationContext,
): Promise<EvaluatedFlags> => {
  const { env, principal } = caller;
  const keys = [...env.definition.flags.keys()].filter((key) => principal.access.sees('flag', key)).sort();
  const flags: object[] = [];
  for (const key of keys) flags.push(evaluationJson(key, await readCachedFlag(deps, caller, key), context));
  const text = JSON.stringify({ flags });
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
};

/** Returns whether `if-none-match` names this ETag or is `*` (RFC 9110, section 13.1.2). */
export const matchesEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  ifNoneMatch.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
