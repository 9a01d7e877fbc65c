/** The address of the link, and why a WebSocket handshake fails: the API's error body, or what the network says. For link.ts and command/compare.ts. */
import type { IncomingMessage } from 'node:http';
import { isObject } from './peer.ts';
import { LinkProblem } from './problems.ts';
import { errorText } from './texts.ts';

interface ConnectionRefusal {
  readonly problem: LinkProblem;
  /** Whether only a person can mend the cause: the key, the environment, the address. */
  readonly needsPerson: boolean;
  /** How long to wait by `retry-after`, in ms, at most 60 s plus up to a quarter at random; null: the response names no time. */
  readonly waitMs: number | null;
}

/** Returns the address of the link below an environment's base URL. Throws `TypeError` when `url` is not a URL. */
export const linkAddress = (url: string): URL => {
  const address = new URL(`${url.replace(/\/+$/, '')}/app`);
  address.protocol = address.protocol.replace(/^http/, 'ws');
  return address;
};

/** Returns the problem of a service that gives no answer at all. */
export const unreachable = (cause: Error): LinkProblem => {
  const isPlain = 'code' in cause && /^(?:EPROTO|ERR_SSL_)/.test(String(cause.code));
  const hint = isPlain ? '. Does the service speak http:// at this port, rather than https://?' : '';
  return new LinkProblem('connection', `The service can’t be reached: ${errorText(cause)}${hint}`, { cause });
};

/** Characters of the body that are read, and for how many ms: the error body of the API is far shorter. */
const bodyMax = 8_192;
const bodyTimeoutMs = 3_000;

const readBodyText = (response: IncomingMessage): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    const timer = setTimeout(() => {
      resolve(text);
    }, bodyTimeoutMs);
    const done = (): void => {
      clearTimeout(timer);
      resolve(text);
    };
    response.setEncoding('utf8');
    response.on('data', (piece: string) => {
      text = (text + piece).slice(0, bodyMax);
    });
    response.on('end', done);
    response.on('close', done);
    response.on('error', done);
  });

const parseErrorSentence = (body: string): string => {
  try {
    const parsed: unknown = JSON.parse(body);
    return isObject(parsed) && typeof parsed['error'] === 'string' ? parsed['error'] : '';
  } catch {
    return '';
  }
};

/** Returns what to look at, as the service tells nobody what is there; nothing where its own sentence says it. */
const hintFor = (status: number, url: string): string => {
  if (!/\/api\/env\/[^/]+\/*$/.test(url))
    return ` Is ${JSON.stringify(url)} the address of an environment, https://<host>/api/env/<environment>?`;
  if (status === 401) return ' Is the key whole, and neither revoked nor replaced?';
  if (status === 403) return ' An app key (capp_…) is needed; an agent’s token can’t connect an app.';
  if (status === 404) return ' Is the environment in the URL the right one, and the key one of that environment?';
  return status < 400 ? ' Is this the service at all, and does its proxy let WebSockets pass?' : '';
};

/** Resolves with the reason of the refusal. Never rejects. */
export const parseRefusal = async (response: IncomingMessage, url: string): Promise<ConnectionRefusal> => {
  const status = response.statusCode ?? 0;
  const sentence = parseErrorSentence(await readBodyText(response));
  const needsPerson = status >= 400 && status < 500 && status !== 408 && status !== 429;
  const seconds = Number(response.headers['retry-after']);
  const found = new LinkProblem(
    needsPerson ? 'unauthorized' : 'connection',
    `The service answered ${String(status)}${sentence === '' ? '.' : `: ${sentence}`}${hintFor(status, url)}`,
  );
  return {
    problem: found,
    needsPerson,
    waitMs: Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 60) * 1_000 * (1 + Math.random() / 4) : null,
  };
};
