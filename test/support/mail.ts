/** A real mail server for tests: keeps what it accepted, and refuses, hangs or breaks off as a test sets it. */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** What to do with the next letters: at the recipient or at the text. */
export type Mood =
  | { readonly kind: 'accept' }
  | { readonly kind: 'refuse'; readonly code: number; readonly at: 'recipient' | 'text' }
  | { readonly kind: 'drop'; readonly at: 'recipient' | 'text' }
  | { readonly kind: 'hang' };

export interface Letter {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
}

/** A letter as mail programs read it. */
interface ReadLetter {
  /** By their names in small letters; unfolded. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  readonly html: string;
}

const decoded = (body: string, encoding: string | undefined): string => {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
};

const splitMail = (mail: string) => {
  const end = mail.indexOf('\r\n\r\n');
  const lines = mail
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { headers, body: mail.slice(end + 4) };
};

/** Returns the parts of a letter with text and HTML. */
export const readLetter = ({ text: mail }: Letter): ReadLetter => {
  const { headers, body } = splitMail(mail);
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1];
  const parts =
    boundary === undefined ? [mail] : body.split(`--${boundary}`).map((part) => part.replace(/^\r\n|\r\n$/g, ''));
  const partOf = (type: string): string => {
    const found = parts.map(splitMail).find((part) => part.headers.get('content-type')?.startsWith(type));
    return found === undefined
      ? ''
      : decoded(found.body, found.headers.get('content-transfer-encoding')).replaceAll('\r\n', '\n');
  };
  return { headers, text: partOf('text/plain'), html: partOf('text/html') };
};

export interface MailBox {
  readonly url: string;
  readonly letters: Letter[];
  /** How often a client began to send a text. */
  texts(): number;
  /** How many whole texts it holds without an answer. */
  unanswered(): number;
  /** How often a client named a recipient. */
  tries(): number;
  /** Connections so far. */
  connections(): number;
  mood(mood: Mood): void;
  close(): Promise<void>;
}

const refusal = (code: number): Error =>
  Object.assign(new Error(code < 500 ? 'Try again later' : 'No such user'), { responseCode: code });

export const openMailBox = async (port = 0, more: SMTPServerOptions = {}): Promise<MailBox> => {
  const letters: Letter[] = [];
  const sockets = new Set<Socket>();
  const counts = { texts: 0, unanswered: 0, tries: 0, connections: 0 };
  let mood: Mood = { kind: 'accept' };
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo: (_address, _session, callback) => {
      counts.tries += 1;
      if (mood.kind === 'drop' && mood.at === 'recipient') drop();
      else callback(mood.kind === 'refuse' && mood.at === 'recipient' ? refusal(mood.code) : null);
    },
    onData: (stream, session, callback) => {
      counts.texts += 1;
      if (mood.kind === 'drop') {
        stream.once('data', drop);
        return;
      }
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (mood.kind === 'hang') {
          counts.unanswered += 1;
          return;
        }
        if (mood.kind === 'refuse') {
          callback(refusal(mood.code));
          return;
        }
        const { mailFrom, rcptTo } = session.envelope;
        letters.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString(),
        });
        callback();
      });
    },
    ...more,
  });
  server.on('error', () => undefined);
  server.server.on('connection', (socket: Socket) => {
    counts.connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    url: `smtp://127.0.0.1:${String((server.server.address() as AddressInfo).port)}`,
    letters,
    texts: () => counts.texts,
    unanswered: () => counts.unanswered,
    tries: () => counts.tries,
    connections: () => counts.connections,
    mood: (next) => {
      mood = next;
    },
    close: async () => {
      drop();
      await new Promise<void>(
        (resolve) =>
          void server.close(() => {
            resolve();
          }),
      );
    },
  };
};
