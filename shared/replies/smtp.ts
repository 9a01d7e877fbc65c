/**
 * Sends mails to a mail server (RFC 5321). A mail is dispatched when the server has accepted DATA: before that nothing was
 * sent, after it only the server's reply shows the outcome. Idle connections stay open for a few seconds, for replies that
 * follow each other. For deliverReply.ts and the doctor.
 */
import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { isObject } from '../platform/json/jsonLimits.ts';
import { describeTlsRefusal } from '../platform/log/refusals.ts';
import type { MailEnvelope } from './composeMail.ts';

export type MailOutcome =
  | { readonly kind: 'sent' }
  /** The server refused the mail for good. */
  | { readonly kind: 'refused'; readonly error: string }
  /** The mail was not accepted; a retry may succeed. */
  | { readonly kind: 'later'; readonly error: string }
  /** The text was sent, in whole or in part, and no reply came. */
  | { readonly kind: 'unknown'; readonly error: string };

interface Mail {
  readonly envelope: MailEnvelope;
  readonly body: Buffer;
  /** Called when the server has accepted DATA. The text is sent once it resolves; when it rejects, `send` rejects with its error. */
  readonly onDispatch: () => Promise<void>;
}

export interface MailServer {
  send(mail: Mail): Promise<MailOutcome>;
}

/** Milliseconds until the connection is open, until the server greets, and of silence at any later time. */
const connectTimeoutMs = 10_000;
const greetingTimeoutMs = 10_000;
const silenceTimeoutMs = 60_000;
/** Milliseconds that an idle connection stays open: long enough for a queue of replies, short enough not to burden the server. */
const idleMs = 3_000;
const mailsPerConnectionMax = 100;

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/;

const newConnection = (url: URL): SMTPConnection => {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return new SMTPConnection({
    host,
    ...(url.port === '' ? {} : { port: Number(url.port) }),
    secure: url.protocol === 'smtps:',
    // Passwords are never sent over a network without TLS.
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
      // First, as closing ends the connection for a reason of its own.
      reject(error);
      connection.close();
    };
    // The listener stays after the promise has settled, as an 'error' event without a listener ends the process.
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
  const known = isObject(error) ? [error['response'], error['message'], error['code']] : [];
  const text = known.find((value) => typeof value === 'string') ?? 'no reason given';
  return text.replace(/\s+/g, ' ').trim().slice(0, 500);
};

/** Returns why no connection came about. */
const unconnectedError = (error: unknown): string => {
  const refusal = error instanceof Error ? describeTlsRefusal(error) : null;
  const what =
    isObject(error) && error['code'] === 'EAUTH'
      ? 'refuses the name or the password of SMTP_URL'
      : refusal === null
        ? 'can’t be reached'
        : `refuses us: ${refusal}`;
  return `The mail server ${what}: ${errorSentence(error)}`;
};

const mailOutcomeOf = (error: unknown, dispatched: boolean): MailOutcome => {
  const [responseCode, code] = isObject(error) ? [error['responseCode'], error['code']] : [];
  if (typeof responseCode === 'number')
    return responseCode >= 500
      ? { kind: 'refused', error: `The mail server refused it: ${errorSentence(error)}` }
      : { kind: 'later', error: `The mail server didn’t take it: ${errorSentence(error)}` };
  if (dispatched)
    return { kind: 'unknown', error: `The mail server was given it and gave no answer: ${errorSentence(error)}` };
  if (code === 'EENVELOPE' || code === 'EMESSAGE')
    return { kind: 'refused', error: `It can’t be sent: ${errorSentence(error)}` };
  return { kind: 'later', error: `The connection to the mail server broke: ${errorSentence(error)}` };
};

interface SendResult {
  readonly outcome: MailOutcome;
  readonly dispatched: boolean;
}

const sendOnConnection = ({ connection }: MailConnection, { envelope, body, onDispatch }: Mail): Promise<SendResult> =>
  new Promise((resolve, reject) => {
    let started = false;
    let dispatched = false;
    const text = new Readable({
      read() {
        if (started) return;
        started = true;
        onDispatch().then(
          () => {
            dispatched = true;
            this.push(body);
            this.push(null);
          },
          (error: unknown) => {
            // The server discards a mail whose text has no end.
            connection.close();
            reject(error instanceof Error ? error : new Error(String(error)));
          },
        );
      },
    });
    connection.send({ from: envelope.from, to: [envelope.to], size: body.length }, text, (error) => {
      resolve({
        outcome: error === null ? { kind: 'sent' } : mailOutcomeOf(error, dispatched),
        dispatched,
      });
    });
  });

/** Connects and signs in as for a mail, and returns what `look` finds of the connection. Throws in an operator's words. */
export const visitMailServer = async <T>(address: string, look: (socket: unknown) => T): Promise<T> => {
  try {
    const { connection } = await openMailConnection(new URL(address));
    const found = look(connection._socket);
    connection.quit();
    return found;
  } catch (error) {
    throw new Error(unconnectedError(error), { cause: error });
  }
};

/** Returns the mail server at `address` (`smtp://user:password@host:port`, `smtps://…`); connects when a mail is sent. */
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
        const { outcome, dispatched } = await over(known, mail);
        // Servers close idle connections; a mail that was not dispatched is then sent on a new one.
        if (outcome.kind !== 'later' || dispatched) return outcome;
      }
      let line: MailConnection;
      try {
        line = await openMailConnection(url);
      } catch (error) {
        return { kind: 'later', error: unconnectedError(error) };
      }
      return (await over(line, mail)).outcome;
    },
  };
};
