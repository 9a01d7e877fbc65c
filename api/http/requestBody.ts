/** Reads a JSON body through koa-body: at most 1 MiB, uncompressed, valid UTF-8, no values that PostgreSQL can't store; and the reason that a principal may give in it with any change. */
import type { Context } from 'koa';
import { HttpMethodEnum, koaBody } from 'koa-body';
import { Fault, fault, invalidAt } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { inspectJson, inspectJsonText, isObject } from '../../shared/platform/json/jsonLimits.ts';
import { type TObject, type TSchema, Type } from '../../shared/platform/json/schema.ts';
import { invalidFault } from '../../shared/platform/json/validate.ts';
import { isLongerThan } from '../../shared/platform/words/texts.ts';
import { findRepeatedMember } from './jsonMember.ts';

/** Reads the body as latin1 text, which is decoded and parsed below: koa-body would turn invalid UTF-8 into replacement characters. */
const textReader = (textLimit: number): ReturnType<typeof koaBody> =>
  koaBody({
    encoding: 'latin1',
    text: true,
    textTypes: ['application/json'],
    textLimit,
    json: false,
    urlencoded: false,
    multipart: false,
    parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.PUT, HttpMethodEnum.PATCH, HttpMethodEnum.DELETE],
    onError: (error) => {
      const status = 'status' in error ? error.status : undefined;
      if (status === 413 || ('type' in error && error.type === 'entity.too.large'))
        throw fault('too_large', undefined, { headers: { connection: 'close' } });
      if (status === 415) throw fault('unsupported_media_type');
      throw fault('bad_json');
    },
  });

/** How large a body may be. */
interface BodyLimits {
  readonly bytes: number;
  /** Members and elements of its JSON; undefined: as of any JSON. */
  readonly parts?: number;
  /** Whether the endpoint itself looks for values that can't be kept; by default not. */
  readonly takesAnyValue?: boolean;
  readonly read: ReturnType<typeof koaBody>;
}

export const usualBody: BodyLimits = { bytes: limits.bodyBytes, read: textReader(limits.bodyBytes) };
/** With room for the ids of a bulk. */
export const largeBody: BodyLimits = {
  bytes: limits.bulkBodyBytes,
  parts: limits.bulkIds + 1_000,
  read: textReader(limits.bulkBodyBytes),
};

/** Of a message of another protocol, whose faults name it. */
export const messageBody: BodyLimits = { ...usualBody, takesAnyValue: true };

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
const contentType = /^application\/json\s*(?:;\s*charset\s*=\s*(["']?)utf[-_]?8\1\s*)?$/i;

const beyondAscii = /[\u0080-\uffff]/;

const decode = (raw: string): string => {
  try {
    return beyondAscii.test(raw) ? decoder.decode(Buffer.from(raw, 'latin1')) : raw;
  } catch {
    throw fault('bad_json', 'The body is not valid UTF-8.');
  }
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw fault('bad_json');
  }
};

/** Returns the fault of a text in which one object names a member twice: which of both counts would be up to each reader. */
export const repeatedMemberFault = (text: string): Fault => {
  const path = findRepeatedMember(text) ?? '';
  return fault('bad_json', `The member ${path} is named twice in one object.`, {
    details: [{ path, message: 'is named twice in one object' }],
  });
};

/** Characters from which on a body takes long at each step: to be parsed, looked through and checked by its schema. */
const longBody = 256 * 1024;

/**
 * Lets the requests of others go on between two steps of a long body. By a timer: an immediate still belongs to the turn of the event
 * loop in which the body was read.
 */
const giveWay = (raw: string): Promise<void> | undefined =>
  raw.length < longBody ? undefined : new Promise((resolve) => void setTimeout(resolve, 0));

const isEmpty = ({ headers }: Context['req']): boolean =>
  headers['transfer-encoding'] === undefined &&
  (headers['content-length'] === undefined || headers['content-length'] === '0');

export interface RequestBody {
  readonly value: unknown;
  /** The bytes as latin1 text, from which the fingerprint of a request with an idempotency key is made. */
  readonly raw: string;
}

/** Returns the body of a request; an absent one is `{}` where `optional`. Throws 400, 413 or 415. */
export const readRequestBody = async (
  ctx: Context,
  optional: boolean,
  { bytes, parts, takesAnyValue = false, read }: BodyLimits = usualBody,
): Promise<RequestBody> => {
  const empty = (): RequestBody => {
    if (!optional) throw fault('bad_json', 'A JSON body is required.');
    return { value: {}, raw: '' };
  };
  if (isEmpty(ctx.req)) return empty();
  const { headers } = ctx.req;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw fault('unsupported_media_type', undefined, { headers: { connection: 'close' } });
  if (Number(headers['content-length'] ?? 0) > bytes)
    throw fault('too_large', undefined, { headers: { connection: 'close' } });
  if (!contentType.test(headers['content-type'] ?? '') && !(optional && headers['content-type'] === undefined)) {
    throw fault('unsupported_media_type', undefined, { headers: { connection: 'close' } });
  }
  if (headers['content-type'] === undefined) headers['content-type'] = 'application/json';
  try {
    await read(ctx, async () => {});
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw fault('bad_json');
  }
  const body: unknown = Reflect.get(ctx.request, 'body');
  const raw = typeof body === 'string' ? body : '';
  if (raw.trim() === '') return empty();
  const written = inspectJsonText(raw, parts);
  if (written.problem !== null) throw invalidFault([written.problem]);
  const text = decode(raw);
  const value = parse(text);
  await giveWay(raw);
  const { problem, names } = inspectJson(value);
  await giveWay(raw);
  if (problem === null && names !== written.names) throw repeatedMemberFault(text);
  if (problem !== null && !takesAnyValue) throw invalidFault([problem]);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidFault([{ path: '', message: 'must be a JSON object' }]);
  return { value, raw };
};

const reasonSchema = Type.Optional(
  Type.String({ maxLength: limits.reasonMax, description: 'Why, for the timeline and the audit log.' }),
);

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the bodies of changes are objects
const propertiesOf = (body: TSchema): TObject['properties'] => (body as Partial<TObject>).properties ?? {};

export const hasReason = (body: TSchema): boolean => Object.hasOwn(propertiesOf(body), 'reason');

/** Returns the schema of a body with the member `reason`, unless it has one of its own. */
export const withReasonSchema = (body: TSchema): TSchema =>
  hasReason(body) ? body : { ...body, properties: { ...propertiesOf(body), reason: reasonSchema } };

interface ReasonedBody {
  /** null: none, or a blank one. */
  readonly reason: string | null;
  readonly rest: unknown;
}

/** Returns the reason of a body, and the body without it. Throws `invalid` for one that is no text or too long. */
export const splitReason = (body: unknown): ReasonedBody => {
  if (!isObject(body) || !Object.hasOwn(body, 'reason')) return { reason: null, rest: body };
  const { reason, ...rest } = body;
  if (typeof reason !== 'string') throw invalidAt('reason', 'must be string');
  if (isLongerThan(reason, limits.reasonMax))
    throw invalidAt('reason', `must NOT have more than ${String(limits.reasonMax)} characters`);
  return { reason: reason.trim() === '' ? null : reason, rest };
};
