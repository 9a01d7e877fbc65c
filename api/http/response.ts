/** Sends a response in one write of head and body, compressed when the client accepts it and it saves bytes. Used by middleware/envelope.ts. */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context } from 'koa';
import type { Fault } from '../../shared/catalogue/errors.ts';
import type { ApiResponse } from './apiResponse.ts';

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);
const compressFrom = 1024;

/** Returns whether `accept-encoding` names a coding with a weight above 0 (RFC 9110, 12.5.3). */
export const acceptsEncoding = (accepts: string, coding: string): boolean =>
  accepts.split(',').some((part) => {
    const [name = '', ...parameters] = part
      .toLowerCase()
      .split(';')
      .map((text) => text.trim());
    return name === coding && !parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter));
  });

const compress = async (accepts: string, body: string): Promise<{ encoding: string; bytes: Buffer } | null> => {
  if (body.length < compressFrom) return null;
  if (acceptsEncoding(accepts, 'br'))
    return { encoding: 'br', bytes: await brotliAsync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }) };
  if (acceptsEncoding(accepts, 'gzip')) return { encoding: 'gzip', bytes: await gzipAsync(body, { level: 1 }) };
  return null;
};

/** Sends `answer` with the headers that the steps have added; Koa itself writes nothing. */
export const sendResponse = async (
  ctx: Context,
  answer: ApiResponse,
  headers: Record<string, string>,
): Promise<void> => {
  ctx.respond = false;
  const { res, req } = ctx;
  if (res.headersSent || res.destroyed) return;
  Object.assign(headers, answer.headers);
  if (answer.etag !== undefined) headers['etag'] = answer.etag;
  ctx.res.statusCode = answer.status;
  if (answer.bytes !== undefined) {
    headers['content-length'] = String(answer.bytes.length);
    res.writeHead(answer.status, headers).end(ctx.method === 'HEAD' ? undefined : answer.bytes);
    return;
  }
  if (answer.body === undefined) {
    res.writeHead(answer.status, headers).end();
    return;
  }
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
  headers['content-type'] ??= 'application/json; charset=utf-8';
  const accepts = req.headers['accept-encoding'];
  const packed = accepts === undefined ? null : await compress(accepts, text);
  if (accepts !== undefined)
    headers['vary'] = headers['vary'] === undefined ? 'accept-encoding' : `${headers['vary']}, accept-encoding`;
  if (packed !== null) headers['content-encoding'] = packed.encoding;
  headers['content-length'] = String(packed === null ? Buffer.byteLength(text) : packed.bytes.length);
  res.writeHead(answer.status, headers);
  res.end(ctx.method === 'HEAD' ? undefined : (packed?.bytes ?? text));
};

/** Returns the response to a fault. */
export const toFaultResponse = (failure: Fault): ApiResponse => {
  const { details, body, headers } = failure.extra;
  return {
    status: failure.status,
    body: { error: failure.message, code: failure.code, ...(details === undefined ? {} : { details }), ...body },
    headers: {
      ...(failure.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
      ...(failure.status === 503 ? { 'retry-after': '1' } : {}),
      ...headers,
    },
  };
};
