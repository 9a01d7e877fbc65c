/** What the service says when it refuses the connection before it is one: an HTTP status and the API's error body. */
import type { IncomingMessage } from 'node:http';
import { LinkProblem } from './problems.ts';

interface ConnectionRefusal {
  readonly problem: LinkProblem;
  /** Only people can change it: the key, the environment, the address. */
  readonly needsPerson: boolean;
  /** As the service asks for; null: it doesn't. */
  readonly waitMs: number | null;
}

const bodyMax = 8_192;
const bodyMs = 3_000;

const readBodyText = (response: IncomingMessage): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    const timer = setTimeout(() => {
      resolve(text);
    }, bodyMs);
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
    const { error } = JSON.parse(body) as { error?: unknown };
    return typeof error === 'string' ? error : '';
  } catch {
    return '';
  }
};

/** Never rejects. */
export const parseRefusal = async (response: IncomingMessage): Promise<ConnectionRefusal> => {
  const status = response.statusCode ?? 0;
  const sentence = parseErrorSentence(await readBodyText(response));
  const people = status >= 400 && status < 500 && status !== 408 && status !== 429;
  const seconds = Number(response.headers['retry-after']);
  const found = new LinkProblem(
    people ? 'unauthorized' : 'connection',
    `The service answered ${String(status)}${sentence === '' ? '' : `: ${sentence}`}`,
  );
  return {
    problem: found,
    needsPerson: people,
    waitMs: Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 60) * 1_000 * (1 + Math.random() / 4) : null,
  };
};
