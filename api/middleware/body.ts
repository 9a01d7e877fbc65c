/** Reads a JSON body through koa-body: at most 1 MiB, uncompressed, valid UTF-8, nothing in it that can't be kept. */
import { HttpMethodEnum, koaBody } from 'koa-body';
import type { Context } from 'koa';
import { Fault, fault } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { jsonProblem } from '../../shared/core/guard.ts';
import { invalidDetails } from '../../shared/core/validate.ts';

/**
 * Bytes are taken as latin1 and decoded here, as koa-body would turn invalid UTF-8 into replacement characters. Only
 * text of ASCII alone is used as koa-body parsed it.
 */
const parse = koaBody({
  encoding: 'latin1',
  json: true,
  jsonLimit: limits.bodyBytes,
  jsonStrict: false,
  includeUnparsed: true,
  urlencoded: false,
  text: false,
  multipart: false,
  parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.PUT, HttpMethodEnum.PATCH, HttpMethodEnum.DELETE],
  onError: (error) => {
    const { status, type } = error as { status?: number; type?: string };
    if (status === 413 || type === 'entity.too.large') throw fault('too_large', undefined, { headers: { connection: 'close' } });
    if (status === 415) throw fault('unsupported_media_type');
    throw fault('bad_json');
  },
});

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
const contentType = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

const beyondAscii = /[\u0080-\uffff]/;

const parseUtf8 = (raw: string): unknown => {
  let text: string;
  try {
    text = decoder.decode(Buffer.from(raw, 'latin1'));
  } catch {
    throw fault('bad_json', 'The body is not valid UTF-8.');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw fault('bad_json');
  }
};

const isEmpty = ({ headers }: Context['req']): boolean =>
  headers['transfer-encoding'] === undefined && (headers['content-length'] === undefined || headers['content-length'] === '0');

export interface ReadBody {
  readonly value: unknown;
  /** The bytes as latin1 text: what an idempotency key's request is told apart by. */
  readonly raw: string;
}

/** The body of a request; an absent one is `{}` where `optional`. Throws 400, 413 or 415. */
export const readBody = async (ctx: Context, optional: boolean): Promise<ReadBody> => {
  const empty = (): ReadBody => {
    if (!optional) throw fault('bad_json', 'A JSON body is required.');
    return { value: {}, raw: '' };
  };
  if (isEmpty(ctx.req)) return empty();
  const { headers } = ctx.req;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') throw fault('unsupported_media_type', undefined, { headers: { connection: 'close' } });
  if (Number(headers['content-length'] ?? 0) > limits.bodyBytes) throw fault('too_large', undefined, { headers: { connection: 'close' } });
  if (!contentType.test(headers['content-type'] ?? '') && !(optional && headers['content-type'] === undefined)) {
    throw fault('unsupported_media_type', undefined, { headers: { connection: 'close' } });
  }
  if (headers['content-type'] === undefined) headers['content-type'] = 'application/json';
  try {
    await parse(ctx as never, async () => {});
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw fault('bad_json');
  }
  const request = ctx.request as unknown as { body: unknown; rawBody?: string };
  const raw = request.rawBody ?? '';
  if (raw.trim() === '') return empty();
  const value = beyondAscii.test(raw) ? parseUtf8(raw) : request.body;
  const problem = jsonProblem(value);
  if (problem !== null) throw invalidDetails([problem]);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidDetails([{ path: '', message: 'must be a JSON object' }]);
  return { value, raw };
};
