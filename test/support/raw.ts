/** Requests as bytes on a socket, for what `fetch` would tidy up before it is sent. */
import { connect, type Socket } from 'node:net';
import type { Reply } from './http.ts';

export interface RawReply {
  readonly status: number;
  readonly headers: Headers;
  /** Byte by byte (latin1). */
  readonly text: string;
  /** The text as JSON, parsed at the first access. */
  readonly body: Reply['body'];
}

const parse = (bytes: string): RawReply => {
  const split = bytes.indexOf('\r\n\r\n');
  const [start = '', ...lines] = bytes.slice(0, split === -1 ? undefined : split).split('\r\n');
  const text = split === -1 ? '' : bytes.slice(split + 4);
  const headers = new Headers();
  for (const line of lines) headers.append(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim());
  return {
    status: Number(start.split(' ')[1] ?? 0),
    headers,
    text,
    get body() {
      return JSON.parse(text) as unknown;
    },
  };
};

export interface RawOptions {
  /** Called once connected, after the bytes were written. */
  readonly connected?: (socket: Socket) => void;
}

/** Sends `bytes` and reads until the server closes; `connection: close` is the caller's. */
export const raw = (port: number, bytes: string | Buffer, { connected }: RawOptions = {}): Promise<RawReply> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const received: Buffer[] = [];
    socket.on('data', (data) => received.push(data));
    // The other side may close while this one still sends; what it said counts.
    socket.on('error', (error) => {
      if (received.length === 0) reject(error);
    });
    socket.on('close', () => {
      resolve(parse(Buffer.concat(received).toString('latin1')));
    });
    socket.on('connect', () => {
      socket.write(bytes);
      connected?.(socket);
    });
  });

/** The head of a request; each line ends with CRLF and an empty one follows. */
export const head = (start: string, ...headers: string[]): string =>
  `${[start, 'host: 127.0.0.1', 'connection: close', ...headers].join('\r\n')}\r\n\r\n`;
