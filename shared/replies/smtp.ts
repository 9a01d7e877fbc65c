/**
 * Hands letters to a mail server and says honestly what became of them. A letter is handed over once the server has
 * asked for its text: before that nothing was sent, after it only the server's answer tells. Connections are kept for a
 * few seconds, for replies that come one after the other. Called by deliver.ts.
 */
import { Readable } from 'node:stream';
import type { NodemailerError } from 'nodemailer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Envelope } from './message.ts';

export type MailOutcome =
  | { readonly kind: 'sent' }
  /** The server will not have it. */
  | { readonly kind: 'refused'; readonly error: string }
  /** It was not taken, and may be another time. */
  | { readonly kind: 'later'; readonly error: string }
  /** Its text was sent, in whole or in part, and no answer came. */
  | { readonly kind: 'unknown'; readonly error: string };

export interface Mail {
  readonly envelope: Envelope;
  readonly body: Buffer;
  /** Called when the server has asked for the text: nothing is sent unless it resolves, and what it throws is thrown. */
  readonly onHandOver: () => Promise<void>;
}

export interface MailServer {
  send(mail: Mail): Promise<MailOutcome>;
}

/** ms: until a connection stands; until the server greets; without a sign of it, the answer to the text included. */
const connectMs = 10_000;
const greetMs = 10_000;
const silentMs = 60_000;
/** Kept this long without work; long enough for a queue of replies, short enough to be no burden to the server. */
const idleMs = 3_000;
const lettersMost = 100;

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/;

const newConnection = (url: URL): SMTPConnection => {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return new SMTPConnection({
    host,
    ...(url.port === '' ? {} : { port: Number(url.port) }),
    secure: url.protocol === 'smtps:',
    // A password never goes over a network in the clear.
    requireTLS: url.protocol === 'smtp:' && url.password !== '' && !loopback.test(host),
    connectionTimeout: connectMs,
    greetingTimeout: greetMs,
    dnsTimeout: connectMs,
    socketTimeout: silentMs,
    socketCloseTimeout: 1_000,
  });
};

interface Line {
  readonly connection: SMTPConnection;
  letters: number;
  ended: boolean;
}

const open = (url: URL): Promise<Line> =>
  new Promise((resolve, reject) => {
    const line: Line = { connection: newConnection(url), letters: 0, ended: false };
    const { connection } = line;
    const fail = (error: Error): void => {
      connection.close();
      reject(error);
    };
    // Also later ones must be heard: an error that nobody hears ends the process.
    connection.on('error', reject);
    connection.once('end', () => {
      line.ended = true;
      reject(new Error('The mail server closed the connection.'));
    });
    connection.connect((refused) => {
      if (refused !== undefined) fail(refused);
      else if (url.username === '') resolve(line);
      else connection.login({ user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }, (denied) => {
        if (denied === null) resolve(line);
        else fail(denied);
      });
    });
  });

const sentence = (error: unknown): string => {
  const { response, message, code } = error as Partial<NodemailerError> & { response?: string };
  return (response ?? message ?? code ?? 'no reason given').replace(/\s+/g, ' ').trim().slice(0, 500);
};

const outcomeOf = (error: unknown, handedOver: boolean): MailOutcome => {
  const { responseCode, code } = error as { responseCode?: number; code?: string };
  if (responseCode !== undefined) return responseCode >= 500 ? { kind: 'refused', error: `The mail server refused it: ${sentence(error)}` } : { kind: 'later', error: `The mail server didn’t take it: ${sentence(error)}` };
  if (handedOver) return { kind: 'unknown', error: `The mail server was given it and gave no answer: ${sentence(error)}` };
  if (code === 'EENVELOPE' || code === 'EMESSAGE') return { kind: 'refused', error: `It can’t be sent: ${sentence(error)}` };
  return { kind: 'later', error: `The connection to the mail server broke: ${sentence(error)}` };
};

interface Sending {
  readonly outcome: MailOutcome;
  readonly handedOver: boolean;
}

const sendOver = ({ connection }: Line, { envelope, body, onHandOver }: Mail): Promise<Sending> =>
  new Promise((resolve, reject) => {
    let asked = false;
    let handedOver = false;
    const text = new Readable({
      read() {
        if (asked) return;
        asked = true;
        onHandOver().then(() => {
          handedOver = true;
          this.push(body);
          this.push(null);
        }, (error: unknown) => {
          // Without its end the text counts for nothing.
          connection.close();
          reject(error instanceof Error ? error : new Error(String(error)));
        });
      },
    });
    connection.send({ from: envelope.from, to: [envelope.to], size: body.length }, text, (error) => {
      resolve({ outcome: error === null ? { kind: 'sent' } : outcomeOf(error, handedOver), handedOver });
    });
  });

/** The mail server at `url` (`smtp://user:password@host:port`, `smtps://…`). Holds nothing open for long. */
export const openMailServer = (address: string): MailServer => {
  const url = new URL(address);
  const idle: { line: Line; timer: NodeJS.Timeout }[] = [];

  const taken = (): Line | null => {
    for (let kept = idle.pop(); kept !== undefined; kept = idle.pop()) {
      clearTimeout(kept.timer);
      if (!kept.line.ended) return kept.line;
    }
    return null;
  };
  const keep = (line: Line): void => {
    if (line.letters >= lettersMost) {
      line.connection.quit();
      return;
    }
    const kept = { line, timer: setTimeout(() => {
      idle.splice(idle.indexOf(kept), 1);
      line.connection.quit();
    }, idleMs) };
    idle.push(kept);
  };
  const over = async (line: Line, mail: Mail): Promise<Sending> => {
    line.letters += 1;
    const sending = await sendOver(line, mail);
    if (sending.outcome.kind === 'sent' && !line.ended) keep(line);
    else line.connection.close();
    return sending;
  };

  return {
    send: async (mail) => {
      const known = taken();
      if (known !== null) {
        const { outcome, handedOver } = await over(known, mail);
        // Servers end connections that were idle; what was not handed over then goes over a new one.
        if (outcome.kind !== 'later' || handedOver) return outcome;
      }
      let line: Line;
      try {
        line = await open(url);
      } catch (error) {
        return { kind: 'later', error: `The mail server can’t be reached: ${sentence(error)}` };
      }
      return (await over(line, mail)).outcome;
    },
  };
};
