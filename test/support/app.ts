/** A customer's app as bare JSON-RPC on a socket: what tests of the link, of records and of actions connect with. */
import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';
import { subprotocol, type RpcError } from '../../shared/app/link/protocol.ts';
import type { Client } from './http.ts';
import { testManifest } from './manifest.ts';

// Messages are read by tests that state what they expect of them.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Any = any;

export type Handler = (params: Any) => unknown;

export interface AppOptions {
  readonly manifest?: unknown;
  readonly instance?: string;
  readonly startedAt?: number;
  readonly handlers?: Readonly<Record<string, Handler>>;
  /** false: connects and sends nothing. */
  readonly register?: boolean;
  /** Another server's address of the environment. */
  readonly base?: string;
  /** Of the upgrade, beside its token. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FakeApp {
  /** All calls and notifications of the service, in order. */
  readonly received: { readonly method: string; readonly params: Any }[];
  readonly registered: {
    readonly environment: string;
    readonly connection: string;
    readonly warnings: readonly string[];
  };
  readonly instance: string;
  readonly socket: WebSocket;
  /** The close code, once it is closed. */
  readonly closed: Promise<number>;
  /** Sets the handler of a method. A handler that throws `rpcError` answers with that error. */
  handle(method: string, handler: Handler): void;
  /** Calls the service; throws the `RpcFailed` that it answered. */
  request(method: string, params: unknown): Promise<Any>;
  notify(method: string, params: unknown): void;
  /** Sends a text as it is. */
  raw(text: string): void;
  close(): Promise<void>;
  /** Destroys the connection without a close frame. */
  kill(): void;
}

export class RpcFailed extends Error {
  declare readonly code: number;
  declare readonly data: RpcError['data'];

  constructor({ code, message, data }: RpcError) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Returns an error for a handler to throw, which answers the call with that JSON-RPC error. */
export const rpcError = (code: number, message: string, data?: RpcError['data']): RpcFailed =>
  new RpcFailed({ code, message, ...(data === undefined ? {} : { data }) });

/** For a handler that never answers. */
export const never = (): Promise<never> => new Promise(() => undefined);

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

const opened = (socket: WebSocket): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.once('open', () => {
      resolve();
    });
    socket.once('error', reject);
    socket.once('unexpected-response', (_request, response) => {
      reject(new Error(String(response.statusCode)));
    });
  });

export const connectApp = async (client: Client, options: AppOptions = {}): Promise<FakeApp> => {
  const {
    manifest = testManifest,
    instance = randomUUID(),
    startedAt = Date.now(),
    register = true,
    base = client.base,
    headers = {},
  } = options;
  const socket = new WebSocket(`${base.replace('http', 'ws')}/app`, subprotocol, {
    headers: { authorization: `Bearer ${client.token}`, ...headers },
  });
  const handlers = new Map<string, Handler>(Object.entries(options.handlers ?? {}));
  const received: { method: string; params: Any }[] = [];
  const waiting = new Map<number, Waiting>();
  let calls = 0;

  const raw = (text: string): void => {
    if (socket.readyState === socket.OPEN) socket.send(text);
  };
  const send = (message: object): void => {
    raw(JSON.stringify({ jsonrpc: '2.0', ...message }));
  };
  const serve = async (id: unknown, method: string, params: unknown): Promise<void> => {
    try {
      const handler = handlers.get(method);
      if (handler === undefined) throw rpcError(-32601, `There is no method ${method}.`);
      send({ id, result: (await handler(params)) ?? null });
    } catch (error) {
      const failed = error instanceof RpcFailed ? error : rpcError(-32603, String(error));
      send({ id, error: { code: failed.code, message: failed.message, data: failed.data } });
    }
  };
  const settle = (id: number, result: unknown, error: RpcError | undefined): void => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) call?.resolve(result);
    else call?.reject(new RpcFailed(error));
  };
  const closed = new Promise<number>((resolve) =>
    socket.on('close', (code) => {
      for (const call of waiting.values()) call.reject(new Error(`The socket was closed with ${String(code)}.`));
      resolve(code);
    }),
  );
  socket.on('message', (data) => {
    const message = JSON.parse((data as Buffer).toString()) as Any;
    if (typeof message.method !== 'string')
      settle(message.id as number, message.result, message.error as RpcError | undefined);
    else {
      received.push({ method: message.method as string, params: message.params });
      if (message.id !== undefined) void serve(message.id, message.method as string, message.params);
      else void handlers.get(message.method as string)?.(message.params);
    }
  });
  await opened(socket);
  socket.on('error', () => undefined);

  const request = (method: string, params: unknown): Promise<Any> =>
    new Promise((resolve, reject) => {
      const id = ++calls;
      waiting.set(id, { resolve, reject });
      send({ id, method, params });
    });
  const registered = register
    ? ((await request('app.register', { manifest, instance, startedAt, sdk: 'test/1.0.0' })) as FakeApp['registered'])
    : { environment: '', connection: '', warnings: [] };

  return {
    received,
    registered,
    instance,
    socket,
    closed,
    handle: (method, handler) => void handlers.set(method, handler),
    request,
    notify: (method, params) => {
      send({ method, params });
    },
    raw,
    close: async () => {
      socket.close();
      await closed;
    },
    kill: () => {
      socket.terminate();
    },
  };
};

/** Returns a function that registers manifests, each as an instance that starts after all others and leaves at once; it returns the warnings. */
export const newRegistrar = (client: Client): ((manifest: object) => Promise<readonly string[]>) => {
  let startedAt = Date.now();
  return async (manifest) => {
    startedAt += 1;
    const connected = await connectApp(client, { manifest, startedAt });
    await connected.close();
    return connected.registered.warnings;
  };
};
