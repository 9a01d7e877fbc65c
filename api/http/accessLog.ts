/**
 * The access log: a line for each request, and for each socket that opens, closes or is refused, while ACCESS_LOG is on. Used
 * by middleware/requests.ts, live/ and applink/. Members are ids, numbers and names of the code; never a path, a query
 * string, a header but the request's id, or a body.
 */
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { type FaultDetail, Fault, fault } from '../../shared/catalogue/errors.ts';
import type { Deps } from '../../shared/deps.ts';
import { isDbUnavailable } from '../../shared/platform/db/errors.ts';
import { newId } from '../../shared/platform/ids.ts';
import type { Log } from '../../shared/platform/log/log.ts';
import type { ApiResponse } from './apiResponse.ts';
import type { ResponseHeaders } from './rateLimiter.ts';
import { toFaultResponse } from './response.ts';

type Event = 'request' | 'socket opened' | 'socket closed' | 'socket refused';

interface RequestMembers {
  readonly requestId: string;
  /** The pattern of an endpoint's row; null: the path is none that is served. */
  readonly route: string | null;
  readonly address: string | null;
}

interface AccessMembers extends RequestMembers {
  readonly method?: string;
  readonly status?: number;
  /** The error's code, or the number with which a socket closed. */
  readonly code?: string | number;
  /** Where a request that is not valid is not. */
  readonly fields?: readonly string[];
  readonly ms?: number;
  readonly bytes?: number;
  readonly environment?: string | null;
  readonly principal?: string | null;
  readonly tool?: string;
  readonly trace?: string;
}

export const accessLine = (log: Log, event: Event, members: AccessMembers): void => {
  log.info({ access: event, ...members }, event);
};

/** Places of a request that is not valid which its line names. */
const fieldsMax = 5;
/** A place without anything but names. */
const fieldForm = /^[\w.[\]-]{1,100}$/;

interface ErrorBody {
  readonly code?: unknown;
  readonly details?: readonly FaultDetail[];
}

/** Returns the body of an error; that of a replayed request is JSON. */
const errorBody = ({ body }: Pick<ApiResponse, 'body'>): ErrorBody => {
  if (body === undefined) return {};
  if (typeof body !== 'string') return body;
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members are looked at one by one
    return Object(JSON.parse(body)) as ErrorBody;
  } catch {
    return {};
  }
};

/** Returns why a request failed: the code, and of a `400` the places, but for names that only the client knows. */
export const failureMembers = (
  response: Pick<ApiResponse, 'status' | 'body'>,
): Pick<AccessMembers, 'code' | 'fields'> => {
  if (response.status < 400) return {};
  const { code, details = [] } = errorBody(response);
  if (typeof code !== 'string') return {};
  const fields = details
    .filter(({ path, message }) => fieldForm.test(path) && !message.includes('is not known here'))
    .slice(0, fieldsMax)
    .map(({ path }) => path);
  return { code, ...(response.status === 400 && fields.length > 0 ? { fields } : {}) };
};

interface SocketMembers extends RequestMembers {
  readonly environment: string;
  readonly principal: string | null;
}

/** Writes that a socket has opened, and its close with the code and how long it was open. */
export const logSocket = (
  { config, log }: Pick<Deps, 'config' | 'log'>,
  ws: WebSocket,
  members: SocketMembers,
): void => {
  if (!config.accessLog) return;
  const openedAt = performance.now();
  accessLine(log, 'socket opened', members);
  ws.once('close', (code) => {
    accessLine(log, 'socket closed', { ...members, code, ms: Math.round(performance.now() - openedAt) });
  });
};

export const logRefusedSocket = (
  { config, log }: Pick<Deps, 'config' | 'log'>,
  { status, code }: Pick<Fault, 'status' | 'code'>,
  members: RequestMembers,
): void => {
  if (config.accessLog) accessLine(log, 'socket refused', { ...members, status, code });
};

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
