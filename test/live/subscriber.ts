/** A client of the live stream that records what it receives and checks the chain. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { until } from '../support/until.ts';

export type Message = Record<string, unknown> & { type: string; offset: string; prev: string | null; at: number };

export class Subscriber {
  readonly ws: WebSocket;
  readonly messages: Message[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly broken: string[] = [];
  isClosed = false;
  #last: string | null = null;

  constructor(url: string, protocols: string[], headers: Record<string, string>) {
    this.ws = new WebSocket(url, protocols, { headers });
    this.ws.on('error', () => undefined);
    this.ws.on('message', (data: Buffer) => {
      this.#hear(JSON.parse(data.toString()) as Message);
    });
    this.closed = new Promise((resolve) => {
      this.ws.on('close', (code, reason) => {
        this.isClosed = true;
        resolve({ code, reason: reason.toString() });
      });
    });
  }

  #hear(message: Message): void {
    const { type, offset, prev } = message;
    const passing = ['counts', 'pong', 'error', 'narrowed'].includes(type) || (type === 'bulk' && offset === prev);
    if (type === 'hello' ? prev !== null : prev !== this.#last)
      this.broken.push(`${type} after ${String(this.#last)} has prev ${String(prev)}`);
    if (type !== 'hello' && passing !== (offset === prev))
      this.broken.push(`${type} has offset ${offset} and prev ${String(prev)}`);
    this.#last = offset;
    this.messages.push(message);
  }

  get last(): string {
    return this.#last ?? '';
  }

  of(type: string): Message[] {
    return this.messages.filter((message) => message.type === type);
  }

  titles(): string[] {
    return this.of('item').map((message) => (message['item'] as { title: string }).title);
  }

  async next(type: string, count = 1, ms = 10_000): Promise<Message> {
    return until(`${String(count)} × ${type}`, () => this.of(type)[count - 1], ms);
  }

  send(message: unknown): void {
    this.ws.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  async close(): Promise<void> {
    this.ws.resume();
    this.ws.terminate();
    await this.closed;
  }
}

export interface Refusal {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: { error?: string; code?: string; details?: { path: string; message: string }[] };
}

/** The response to an upgrade that is refused. */
export const refusal = async (subscriber: Subscriber): Promise<Refusal> => {
  const [, response] = (await once(subscriber.ws, 'unexpected-response')) as [unknown, IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(text) as Refusal['body'] };
};
