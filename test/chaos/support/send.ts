/** One HTTP request over kept-alive connections. Reports of a request without a response whether it can have arrived. */
import { Agent, request, type IncomingHttpHeaders } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // The contract's bodies are read by those who state what they expect of them.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly token: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** No response came. `refused`: nobody listened there, so that the request had no effect. */
export class NoAnswer extends Error {
  declare readonly refused: boolean;
  declare readonly code: string;

  constructor(code: string, asked: Asked) {
    super(`${asked.method} ${asked.url}: ${code}`);
    this.code = code;
    this.refused = code === 'ECONNREFUSED';
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: 256, scheduling: 'fifo' });

export const send = (asked: Asked): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { method, url, token, body, headers, timeoutMs = 20_000 } = asked;
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const out = request(url, {
      method,
      agent,
      headers: {
        authorization: `Bearer ${token}`,
        ...(payload === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
        ...headers,
      },
    });
    const late = setTimeout(() => out.destroy(Object.assign(new Error('late'), { code: 'ETIMEDOUT' })), timeoutMs);
    const fail = (error: NodeJS.ErrnoException): void => {
      clearTimeout(late);
      reject(new NoAnswer(error.code ?? error.message, asked));
    };
    out.on('error', fail);
    out.on('response', (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', fail);
      response.on('end', () => {
        clearTimeout(late);
        const text = Buffer.concat(pieces).toString();
        const isJson = response.headers['content-type']?.startsWith('application/json') === true;
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          body: isJson ? (JSON.parse(text) as unknown) : undefined,
        });
      });
    });
    out.end(payload);
  });
