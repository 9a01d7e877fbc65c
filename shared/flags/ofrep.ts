/**
 * Evaluates one flag, or all that the role sees, in the form of the OpenFeature Remote Evaluation Protocol 0.2
 * (https://github.com/open-feature/protocol, service/openapi.yaml). Used by the OFREP endpoints.
 */
import { createHash } from 'node:crypto';
import type { Caller } from '../accounts/access/principal.ts';
import { Fault, fault, invalidAt, type ErrorCode } from '../catalogue/errors.ts';
import { exceedsPartCount } from '../platform/json/jsonLimits.ts';
import { strictObject, Type } from '../platform/json/schema.ts';
import { compileCheck } from '../platform/json/validate.ts';
import { createTurns } from '../platform/turns/turns.ts';
import { requireVisibleFlag } from './changeFlag.ts';
import type { EvaluationContext } from './evaluate.ts';
import type { FlagDeps, CachedFlag } from './flagCache.ts';

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

/**
 * Members and elements of a context on all its levels, as exceedsPartCount counts them, and characters of each of its texts: each of
 * thousands of conditions may look at all of them.
 */
const contextLimits = { parts: 1_000, text: 4_000 } as const;

/** Returns the path of the first text that is too long, or null. */
const longText = (value: unknown, path: string): string | null => {
  if (typeof value === 'string') return value.length > contextLimits.text ? path : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    const found = longText(inner, `${path}.${name}`);
    if (found !== null) return found;
  }
  return null;
};

/** Throws `invalid` for a context with more than `contextLimits`. */
const requireContextLimits = (context: EvaluationContext): void => {
  const { parts, text } = contextLimits;
  if (exceedsPartCount(context, parts))
    throw invalidAt(
      'context',
      `must have at most ${String(parts)} members and elements; 16 characters of a text count as one`,
    );
  const path = longText(context, 'context');
  if (path !== null) throw invalidAt(path.slice(0, 300).toWellFormed(), `must have at most ${String(text)} characters`);
};

export const parseEvaluationContext = (body: unknown): EvaluationContext => {
  const { context = {} } = checkForm(body);
  requireContextLimits(context);
  return context;
};

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
  const flag = await readCachedFlag(deps, caller, key);
  const found = await createTurns(null)(() => evaluationJson(key, flag, context));
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
  const inTurn = createTurns({ path: 'flags', message: 'evaluate those that you need one by one' });
  const flags: string[] = [];
  for (const key of keys) {
    const flag = await readCachedFlag(deps, caller, key);
    flags.push(await inTurn(() => JSON.stringify(evaluationJson(key, flag, context))));
  }
  const text = `{"flags":[${flags.join(',')}]}`;
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
};
