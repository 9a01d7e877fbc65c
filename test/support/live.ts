/** A subscriber that records every message of its stream and checks that the `prev` chain has no hole. */
import { WebSocket } from 'ws';
import type { Client } from './http.ts';
import { until } from './until.ts';

// Messages are read by tests that state what they expect of them.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Message = any;

export interface Recorder {
  readonly messages: Message[];
  readonly socket: WebSocket;
  /** The close code, once it is closed. */
  readonly closed: Promise<number>;
  /** The first recorded message that fits, now or later. */
  next(what: string, fits: (message: Message) => boolean, ms?: number): Promise<Message>;
  /** The offset to resume from. */
  offset(): string;
  close(): Promise<void>;
}

const passing = new Set(['counts', 'app', 'pong', 'error', 'narrowed', 'read', 'view']);

export const openLive = async (client: Client, query = '', base = client.base): Promise<Recorder> => {
  const socket = new WebSocket(`${base.replace('http', 'ws')}/live${query}`, {
    headers: { authorization: `Bearer ${client.token}` },
  });
  const messages: Message[] = [];
  let last: string | null = null;
  const holes: string[] = [];
  socket.on('message', (data) => {
    const message = JSON.parse((data as Buffer).toString()) as Message;
    if (message.offset === message.prev || passing.has(message.type as string)) {
      if (message.offset !== last || message.prev !== last)
        holes.push(`passing ${String(message.type)} moved the chain`);
    } else if (message.type !== 'hello' && message.prev !== last) holes.push(`hole before ${String(message.offset)}`);
    last = message.offset as string;
    messages.push(message);
  });
  const closed = new Promise<number>((resolve) =>
    socket.on('close', (code) => {
      resolve(code);
    }),
  );
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => {
      resolve();
    });
    socket.once('error', reject);
    socket.once('unexpected-response', (_request, response) => {
      reject(new Error(String(response.statusCode)));
    });
  });
  socket.on('error', () => undefined);
  await until('hello', () => messages.length > 0);
  const check = (): void => {
    if (holes.length > 0) throw new Error(holes.join('; '));
  };
  return {
    messages,
    socket,
    closed,
    next: (what, fits, ms) =>
      until<Message>(
        what,
        () => {
          check();
          return messages.find((message) => fits(message)) as Message;
        },
        ms,
      ),
    offset: () => {
      check();
      return last ?? '';
    },
    close: async () => {
      socket.close();
      await closed;
      check();
    },
  };
};
