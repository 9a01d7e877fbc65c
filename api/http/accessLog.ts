/**
 * The access log: a line for each request, and for each socket that opens, closes or is refused, while ACCESS_LOG is on. Used
 * by middleware/requestRecord.ts, live/ and applink/. Members are ids, numbers and names of the code; never a path, a query
 * string, a header but the request's id, or a body.
 */
import type { WebSocket } from 'ws';
import type { Deps } from '../../shared/deps.ts';
import type { Log } from '../../shared/platform/core/log.ts';

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
  readonly code?: number;
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
  status: number,
  members: RequestMembers,
): void => {
  if (config.accessLog) accessLine(log, 'socket refused', { ...members, status });
};
