/** Keeps a live stream open for `npm run watch`: after a break it resumes at its offset, so that no message is missed. */
import { WebSocket, type RawData } from 'ws';
import type { LiveMessage } from './liveLines.ts';

export interface WatchTarget {
  /** An environment's address: `http://…/api/env/demo`. */
  readonly baseUrl: string;
  readonly token: string;
}

interface WatchOptions {
  /** Called before each connection, as a restarted service may have another address. Throws when there is none. */
  readonly target: () => Promise<WatchTarget>;
  readonly types?: string | undefined;
  readonly inboxes?: string | undefined;
  readonly onMessage: (raw: string, message: LiveMessage) => void;
  /** Called with a line about each change of the connection. */
  readonly onStatus: (line: string) => void;
  readonly signal: AbortSignal;
}

/** How a connection ended. `fatal`: another one would end the same way. */
interface ConnectionEnd {
  readonly sentence: string;
  readonly fatal: boolean;
  /** The offset was refused: begin with what happens from now on. */
  readonly forget?: boolean;
}

/** The server pings every 25 s; a connection that is silent for more than twice that counts as broken. */
const silenceMs = 60_000;
const firstWaitMs = 500;
const longestWaitMs = 5_000;

const closeReasons: Readonly<Record<number, ConnectionEnd>> = {
  4401: { sentence: 'the token was revoked or has expired', fatal: true },
  4403: { sentence: 'the role may not watch any more', fatal: true },
  4429: { sentence: 'too many streams are open with this token', fatal: true },
  4408: { sentence: 'this reader was too slow', fatal: false },
  1012: { sentence: 'the server restarts', fatal: false },
};

const refusalEnd = (status: number, body: string): ConnectionEnd => {
  let answer: { error?: string; code?: string } = {};
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service refuses with such an object
    answer = JSON.parse(body) as typeof answer;
  } catch {
    // Not a response of the service, but a proxy's page.
  }
  const sentence = `${String(status)} ${answer.error ?? ''}`.trim();
  if (answer.code === 'bad_cursor') return { sentence, fatal: false, forget: true };
  return { sentence, fatal: status >= 400 && status < 500 && status !== 429 };
};

const liveAddress = ({ baseUrl }: WatchTarget, { types, inboxes }: WatchOptions, after: string | null): URL => {
  const address = new URL(`${baseUrl.replace(/\/+$/, '')}/live`);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  if (types !== undefined) address.searchParams.set('types', types);
  if (inboxes !== undefined) address.searchParams.set('inboxes', inboxes);
  if (after !== null) address.searchParams.set('after', after);
  return address;
};

/** Opens one connection and resolves when it has ended. `note` gets each message's offset. */
const watchConnection = (
  address: URL,
  token: string,
  { onMessage: hear, signal }: WatchOptions,
  note: (offset: string) => void,
): Promise<ConnectionEnd> =>
  new Promise((resolve) => {
    const socket = new WebSocket(address, { headers: { authorization: `Bearer ${token}` }, handshakeTimeout: 10_000 });
    let end: ConnectionEnd | null = null;
    const silence = setTimeout(() => {
      socket.terminate();
    }, silenceMs);
    const heard = (): void => void silence.refresh();
    const stop = (): void => {
      socket.close(1000);
      // A server that doesn't respond must not delay Ctrl-C.
      setTimeout(() => {
        socket.terminate();
      }, 1_000).unref();
    };
    signal.addEventListener('abort', stop, { once: true });
    socket.on('unexpected-response', (_request, response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (piece: string) => void (body = (body + piece).slice(0, 10_000)));
      response.on('end', () => {
        end = refusalEnd(response.statusCode ?? 0, body);
        socket.terminate();
      });
    });
    socket.on('ping', heard);
    socket.on('message', (data: RawData) => {
      heard();
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- ws gives one Buffer a message unless `binaryType` is set
      const raw = (data as Buffer).toString();
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service sends only live messages on this stream
      const message = JSON.parse(raw) as LiveMessage;
      note(message.offset);
      hear(raw, message);
    });
    socket.on('error', ({ message }) => {
      end ??= { sentence: message === '' ? 'nobody answers' : message, fatal: false };
    });
    socket.on('close', (code, reason) => {
      clearTimeout(silence);
      signal.removeEventListener('abort', stop);
      const other = {
        sentence: `the connection was lost (${String(code)}${reason.length === 0 ? '' : ` ${reason.toString()}`})`,
        fatal: false,
      };
      resolve(closeReasons[code] ?? end ?? other);
    });
  });

const abortableSleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });

/** Watches the stream. Returns true once `signal` aborts, false after an error that a new connection would meet again. */
export const watchLive = async (options: WatchOptions): Promise<boolean> => {
  const { target, onStatus: say, signal } = options;
  let after: string | null = null;
  let wait = firstWaitMs;
  while (!signal.aborted) {
    const { baseUrl, token } = await target();
    const end: ConnectionEnd = await watchConnection(
      liveAddress({ baseUrl, token }, options, after),
      token,
      options,
      (offset) => {
        after = offset;
        wait = firstWaitMs;
      },
    );
    if (signal.aborted) break;
    if (end.fatal) {
      say(`${baseUrl}: ${end.sentence}`);
      return false;
    }
    if (end.forget === true) after = null;
    // Less up to half of it at random, so that the watchers of a restarted server don't connect all at once.
    const ms = Math.round(wait * (1 - Math.random() / 2));
    say(`${end.sentence}; trying again in ${(ms / 1000).toFixed(1)} s${after === null ? '' : ', from where it was'}`);
    await abortableSleep(ms, signal);
    wait = Math.min(wait * 2, longestWaitMs);
  }
  return true;
};
