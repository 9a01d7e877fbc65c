/** Reads the HTTP response of a refused WebSocket handshake, for link.ts: a status and the API's error body. */
import type { IncomingMessage } from 'node:http';
import { isObject } from './peer.ts';
import { LinkProblem } from './problems.ts';

interface ConnectionRefusal {
  readonly problem: LinkProblem;
  /** Whether only a person can mend the cause: the key, the environment, the address. */
  readonly needsPerson: boolean;
  /** How long to wait by `retry-after`, in ms, at most 60 s plus up to a quarter at random; null: the response names no time. */
  readonly waitMs: number | null;
}

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
const hintFor = (status: number): string => {
  if (status === 401) return ' Is the key whole, and neither revoked nor replaced?';
  if (status === 403) return ' An app key (capp_…) is needed; an agent’s token can’t connect an app.';
  if (status === 404) return ' Is the environment in the URL the right one, and the key one of that environment?';
  return status < 400 ? ' Is the URL that of an environment, https://<host>/api/env/<environment>?' : '';
};

/** Resolves with the reason of the refusal. Never rejects. */
export const parseRefusal = async (response: IncomingMessage): Promise<ConnectionRefusal> => {
  const status = response.statusCode ?? 0;
  const sentence = parseErrorSentence(await readBodyText(response));
  const needsPerson = status >= 400 && status < 500 && status !== 408 && status !== 429;
  const seconds = Number(response.headers['retry-after']);
  const found = new LinkProblem(
    needsPerson ? 'unauthorized' : 'connection',
    `The service answered ${String(status)}${sentence === '' ? '.' : `: ${sentence}`}${hintFor(status)}`,
  );
  return {
    problem: found,
    needsPerson,
    waitMs: Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 60) * 1_000 * (1 + Math.random() / 4) : null,
  };
};
