/** The service's end of the app link, as little as the SDK's tests need: a real socket that speaks the protocol. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { subprotocol, type RpcError } from '../../shared/app/link/protocol.ts';
import { until } from '../support/until.ts';

// Frames are read by tests that state what they expect of them.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Any = any;

export interface Heard {
  readonly method: string;
  readonly params: Any;
  readonly connection: number;
}
export type Reply = { readonly result: unknown } | { readonly error: RpcError } | 'nothing';

export interface FakeService {
  readonly url: string;
  readonly heard: Heard[];
  /** Every connection that was ever opened, oldest first. */
  readonly sockets: WebSocket[];
  /** Its answers by method; other methods get an empty result. */
  answers: Record<string, (params: Any, connection: number) => Reply>;
  /** An HTTP status instead of an upgrade; null: connections are accepted. */
  refusal: { status: number; body?: string; headers?: Record<string, string> } | null;
  /** Whether pings of the app are answered. */
  deaf: boolean;
  readonly tried: number[];
  /** Waits for the nth registration and returns its socket. */
  registered(n?: number): Promise<WebSocket>;
  /** Calls the app on its newest connection. */
  call(method: string, params: unknown): Promise<{ result?: Any; error?: RpcError }>;
  notify(method: string, params: unknown): void;
  of(method: string): Heard[];
  close(): Promise<void>;
}

const standard: FakeService['answers'] = {
  'app.register': (_params, connection) => ({
    result: { environment: 'demo', connection: `c${String(connection)}`, warnings: [] },
  }),
  'items.report': (params: { delivery: string }) => ({ result: { item: `item of ${params.delivery}`, created: true } }),
  'records.put': (params: { records: unknown[] }) => ({ result: { stored: params.records.length } }),
  'records.delete': (params: { ids: unknown[] }) => ({ result: { deleted: params.ids.length } }),
  'run.answers': (params: { answers: { run: string }[] }) => ({
    result: { settled: params.answers.map(({ run }) => run) },
  }),
};

export const fakeService = async (): Promise<FakeService> => {
  const http = createServer();
  const wss = new WebSocketServer({
    noServer: true,
    maxPayload: 4 * 1024 * 1024,
    handleProtocols: () => subprotocol,
    autoPong: false,
  });
  const waiting = new Map<string, (frame: Any) => void>();
  const upgraded = new Set<number>();
  let calls = 0;
  http.on('upgrade', (request, socket, head) => {
    service.tried.push(Date.now());
    // An app that has read a refusal may reset the socket; nothing else listens to it then.
    socket.on('error', () => undefined);
    const { refusal } = service;
    if (refusal !== null) {
      const body = refusal.body ?? '';
      const headers = Object.entries({
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        ...refusal.headers,
      });
      socket.end(
        `HTTP/1.1 ${String(refusal.status)} Refused\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
      );
      return;
    }
    wss.handleUpgrade(request, socket, head, (ws) => {
      take(ws);
    });
  });

  const take = (ws: WebSocket): void => {
    const connection = service.sockets.push(ws) - 1;
    ws.on('error', () => undefined);
    ws.on('ping', (data) => {
      if (!service.deaf && ws.readyState === ws.OPEN) ws.pong(data);
    });
    ws.on('message', (data) => {
      const frame = JSON.parse((data as Buffer).toString()) as Any;
      if (frame.method === undefined) return waiting.get(frame.id as string)?.(frame);
      service.heard.push({ method: frame.method as string, params: frame.params, connection });
      if (frame.id === undefined) return;
      const reply = (
        service.answers[frame.method as string] ??
        standard[frame.method as string] ??
        (() => ({ result: {} }))
      )(frame.params, connection);
      if (reply === 'nothing') return;
      ws.send(JSON.stringify({ jsonrpc: '2.0', id: frame.id, ...reply }));
      if (frame.method === 'app.register' && 'result' in reply) upgraded.add(connection);
    });
  };

  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const newest = (): WebSocket => {
    const ws = service.sockets.at(-1);
    if (ws === undefined) throw new Error('No app is connected.');
    return ws;
  };
  const service: FakeService = {
    url: `http://127.0.0.1:${String((http.address() as AddressInfo).port)}/api/env/demo`,
    heard: [],
    sockets: [],
    answers: {},
    refusal: null,
    deaf: false,
    tried: [],
    registered: (n = 1) =>
      until(`registration ${String(n)}`, () => upgraded.size >= n && service.sockets[[...upgraded][n - 1] ?? -1]),
    call: (method, params) => {
      calls += 1;
      const id = `s${String(calls)}`;
      const answer = new Promise<Any>((resolve) => waiting.set(id, resolve));
      newest().send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      return answer;
    },
    notify: (method, params) => {
      newest().send(JSON.stringify({ jsonrpc: '2.0', method, params }));
    },
    of: (method) => service.heard.filter((heard) => heard.method === method),
    close: async () => {
      for (const ws of service.sockets) ws.terminate();
      wss.close();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return service;
};

/** Quick enough for tests. */
export const quick = { retryMinMs: 5, retryMaxMs: 50, refusedMs: 40, restartMs: 10 } as const;

export const runCall = (run: string, action: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  run,
  action,
  record: null,
  input: {},
  item: null,
  actor: { type: 'agent', id: 'agt_1', name: 'bot' },
  attempt: 1,
  background: false,
  ...more,
});
