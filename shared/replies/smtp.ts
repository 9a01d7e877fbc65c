/**
 * Hands letters to a mail server and says honestly what became of them. A letter is handed over once the server has
 * asked for its text: before that nothing was sent, after it only the server's answer tells. Connections are kept for a
 * few seconds, for replies that come one after the other. Called by deliverReply.ts.
 */
import { Readable } from 'node:stream';
import type { NodemailerError } from 'nodemailer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { MailEnvelope } from './composeMail.ts';

type MailOutcome =
  | { readonly kind: 'sent' }
  /** The server will not have it. */
  | { readonly kind: 'refused'; readonly error: string }
  /** It was not taken, and may be another time. */
  | { readonly kind: 'later'; readonly error: string }
  /** Its text was sent, in whole or in part, and no answer came. */
  | { readonly kind: 'unknown'; readonly error: string };

interface Mail {
  readonly envelope: MailEnvelope;
  readonly body: Buffer;
  /** Called when the server has asked for the text: nothing is sent unless it resolves, and what it throws is thrown. */
  readonly onDispatch: () => Promise<void>;
}

export interface MailServer {
  send(mail: Mail): Promise<MailOutcome>;
}

/** ms: until a connection stands; until the server greets; without a sign of it, the answer to the text included. */
const connectTimeoutMs = 10_000;
const greetingTimeoutMs = 10_000;
const silenceTimeoutMs = 60_000;
/** Kept this long without work; long enough for a queue of replies, short enough to be no burden to the server. */
const idleMs = 3_000;
const mailsPerConnectionMax = 100;

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/;

const newConnection = (url: URL): SMTPConnection => {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return new SMTPConnection({
    host,
    ...(url.port === '' ? {} : { port: Number(url.port) }),
    secure: url.protocol === 'smtps:',
    // A password never goes over a network in the clear.
    requireTLS: url.protocol === 'smtp:' && url.password !== '' && !loopback.test(host),
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: greetingTimeoutMs,
    dnsTimeout: connectTimeoutMs,
    socketTimeout: silenceTimeoutMs,
    socketCloseTimeout: 1_000,
  });
};

interface MailConnection {
  readonly connection: SMTPConnection;
  mails: number;
  ended: boolean;
}

const openMailConnection = (url: URL): Promise<MailConnection> =>
  new Promise((resolve, reject) => {
    const line: MailConnection = { connection: newConnection(url), mails: 0, ended: false };
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
      else
        connection.login(
          { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
          (denied) => {
            if (denied === null) resolve(line);
            else fail(denied);
          },
        );
    });
  });

const errorSentence = (error: unknown): string => {
  const { response, message, code } = error as Partial<NodemailerError> & { response?: string };
  return (response ?? message ?? code ?? 'no reason given').replace(/\s+/g, ' ').trim().slice(0, 500);
};

const mailOutcomeOf = (error: unknown, handedOver: boolean): MailOutcome => {
  const { responseCode, code } = error as { responseCode?: number; code?: string };
  if (responseCode !== undefined)
    return responseCode >= 500
      ? { kind: 'refused', error: `The mail server refused it: ${errorSentence(error)}` }
      : { kind: 'later', error: `The mail server didn’t take it: ${errorSentence(error)}` };
  if (handedOver)
    return { kind: 'unknown', error: `The mail server was given it and gave no answer: ${errorSentence(error)}` };
  if (code === 'EENVELOPE' || code === 'EMESSAGE')
    return { kind: 'refused', error: `It can’t be sent: ${errorSentence(error)}` };
  return { kind: 'later', error: `The connection to the mail server broke: ${errorSentence(error)}` };
};

interface SendResult {
  readonly outcome: MailOutcome;
  readonly dispatched: boolean;
}

const sendOnConnection = (
  { connection }: MailConnection,
  { envelope, body, onDispatch: onHandOver }: Mail,
): Promise<SendResult> =>
  new Promise((resolve, reject) => {
    let asked = false;
    let handedOver = false;
    const text = new Readable({
      read() {
        if (asked) return;
        asked = true;
        onHandOver().then(
          () => {
            handedOver = true;
            this.push(body);
            this.push(null);
          },
          (error: unknown) => {
            // Without its end the text counts for nothing.
            connection.close();
            reject(error instanceof Error ? error : new Error(String(error)));
          },
        );
      },
    });
    connection.send({ from: envelope.from, to: [envelope.to], size: body.length }, text, (error) => {
      resolve({
        outcome: error === null ? { kind: 'sent' } : mailOutcomeOf(error, handedOver),
        dispatched: handedOver,
      });
    });
  });

/** The mail server at `url` (`smtp://user:password@host:port`, `smtps://…`). Holds nothing open for long. */
export const openMailServer = (address: string): MailServer => {
  const url = new URL(address);
  const idle: { line: MailConnection; timer: NodeJS.Timeout }[] = [];

  const taken = (): MailConnection | null => {
    for (let kept = idle.pop(); kept !== undefined; kept = idle.pop()) {
      clearTimeout(kept.timer);
      if (!kept.line.ended) return kept.line;
    }
    return null;
  };
  const keep = (line: MailConnection): void => {
    if (line.mails >= mailsPerConnectionMax) {
      line.connection.quit();
      return;
    }
    const kept = {
      line,
      timer: setTimeout(() => {
        idle.splice(idle.indexOf(kept), 1);
        line.connection.quit();
      }, idleMs),
    };
    idle.push(kept);
  };
  const over = async (line: MailConnection, mail: Mail): Promise<SendResult> => {
    line.mails += 1;
    const sending = await sendOnConnection(line, mail);
    if (sending.outcome.kind === 'sent' && !line.ended) keep(line);
    else line.connection.close();
    return sending;
  };

  return {
    send: async (mail) => {
      const known = taken();
      if (known !== null) {
        const { outcome, dispatched: handedOver } = await over(known, mail);
        // Servers end connections that were idle; what was not handed over then goes over a new one.
        if (outcome.kind !== 'later' || handedOver) return outcome;
      }
      let line: MailConnection;
      try {
        line = await openMailConnection(url);
      } catch (error) {
        return { kind: 'later', error: `The mail server can’t be reached: ${errorSentence(error)}` };
      }
      return (await over(line, mail)).outcome;
    },
  };
};
