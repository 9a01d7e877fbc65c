/** Refuses an upgrade with an HTTP response that is written to the socket directly. */
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Fault, fault } from '../../shared/catalogue/errors.ts';
import { isDbUnavailable } from '../../shared/platform/db/errors.ts';
import { newId } from '../../shared/platform/ids.ts';
import type { Log } from '../../shared/platform/log/log.ts';
import type { ResponseHeaders } from '../http/rateLimiter.ts';
import { toFaultResponse } from '../http/response.ts';

/** A client's request id: 1 to 128 printable characters. */
const requestIdForm = /^[\x20-\x7e]{1,128}$/;

export const readUpgradeRequestId = ({ headers }: IncomingMessage): string => {
  const given = headers['x-request-id'];
  return typeof given === 'string' && requestIdForm.test(given) ? given : newId('req');
};

/** Sends a fault as JSON and ends the connection; `headers` are those that every response has. */
export const refuseUpgrade = (socket: Duplex, failure: Fault, headers: ResponseHeaders): void => {
  const { status, body, headers: own } = toFaultResponse(failure);
  const text = JSON.stringify(body);
  const lines = Object.entries({
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    connection: 'close',
    ...headers,
    ...own,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${text}`);
};

/** Returns a thrown value as a fault; logs a bug. */
export const toUpgradeFault = (error: unknown, log: Log, requestId: string): Fault => {
  if (error instanceof Fault) return error;
  if (isDbUnavailable(error)) return fault('unavailable');
  log.error({ err: error, requestId }, 'an upgrade failed');
  return fault('internal');
};
