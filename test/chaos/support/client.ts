/** A client as a careful customer writes it: it retries what is safe to retry, on whichever API answers, and keeps a journal. */
import { randomUUID } from 'node:crypto';
import { patience } from '../../support/patience.ts';
import { problemOf, type Journal } from './journal.ts';
import { pause } from './pause.ts';
import { NoAnswer, send, type Answer, type Asked } from './send.ts';

export interface Client {
  readonly id: string;
  readonly token: string;
  /** Base addresses of all APIs of its environment. */
  readonly bases: () => readonly string[];
  /** Sends the request until it gets a response. */
  get(path: string): Promise<Answer>;
  /** Writes under an idempotency key until it is answered with anything but "come again"; journals a 2xx. */
  post(path: string, body: unknown, options?: WriteOptions): Promise<Answer>;
  /** One try at one address, whatever comes of it. */
  once(method: string, url: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

export interface WriteOptions {
  readonly key?: string;
  readonly patienceMs?: number;
  /** How long one try may take. */
  readonly timeoutMs?: number;
}

export interface ClientOptions {
  /** Repeats only what was refused a connection (`mayBeUnanswered`), or came to a process that was starting; anything else that isn't an answer was dropped, which is a violation. */
  readonly strict?: boolean;
}

const comeAgain = new Set([429, 503]);
/** A process that has begun to listen serves nothing yet, as one that doesn't listen: a load balancer leads nobody there. */
const isStarting = ({ status, body }: Answer): boolean =>
  status === 503 && String(body?.error).startsWith('This process is starting');
const persistMs = 120_000;

interface Who {
  readonly id: string;
  readonly token: string;
}

/**
 * Whether a request may get no answer: nobody listened, or, where lanes of tests share the processors, its connection was reset. One
 * that waits in the kernel is reset when the process that closes loses the processor at that moment; what it asked for had no effect.
 */
const mayBeUnanswered = ({ refused, code }: NoAnswer): boolean => refused || (patience > 1 && code === 'ECONNRESET');

/**
 * ms after which a process that has no connection free for a request says so; a busy machine may need as long for those that have
 * one. Who is turned away at once was dropped.
 */
const turnMs = 2_000;

/** The answer that the client goes on with, or why it has to come again. */
const attempt = async (journal: Journal, asked: Asked, strict: boolean): Promise<Answer | string> => {
  const what = `${asked.method} ${asked.url}`;
  const sentAt = performance.now();
  try {
    const answer = await send(asked);
    const problem = problemOf(answer);
    if (problem !== null) journal.violations.push(`${what}: ${problem}`);
    const isRunning = answer.status === 409 && answer.body?.code === 'in_progress';
    if (!comeAgain.has(answer.status) && !isRunning) return answer;
    const afterMs = performance.now() - sentAt;
    if (strict && !isStarting(answer) && (patience === 1 || afterMs < turnMs))
      journal.violations.push(`${what} was put off after ${afterMs.toFixed(0)} ms: ${answer.text.slice(0, 200)}`);
    return isRunning ? 'in progress' : String(answer.status);
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    if (strict && !mayBeUnanswered(error)) journal.violations.push(`${what} was dropped: ${error.code}`);
    return error.code;
  }
};

export const newClient = (
  journal: Journal,
  bases: () => readonly string[],
  { id, token }: Who,
  { strict = false }: ClientOptions = {},
): Client => {
  let turn = 0;

  const persist = async (
    asked: Omit<Asked, 'url' | 'token'>,
    path: string,
    patienceMs = persistMs,
  ): Promise<Answer> => {
    const deadline = Date.now() + patienceMs;
    for (let tries = 1; ; tries++) {
      const all = bases();
      turn += 1;
      const answer = await attempt(journal, { ...asked, url: `${all[turn % all.length] ?? ''}${path}`, token }, strict);
      if (typeof answer === 'object') return answer;
      journal.retried(answer);
      if (Date.now() > deadline)
        throw new Error(`${asked.method} ${path} got no answer within ${String(patienceMs)} ms, last: ${answer}`);
      await pause(Math.min(20 * 2 ** Math.min(tries, 5), 300));
    }
  };

  return {
    id,
    token,
    bases,
    get: (path) => persist({ method: 'GET' }, path),
    post: async (path, body, { key = randomUUID(), patienceMs, timeoutMs = 20_000 } = {}) => {
      const requestId = `chaos-${key}`;
      const headers = { 'idempotency-key': key, 'x-request-id': requestId };
      const answer = await persist({ method: 'POST', body, headers, timeoutMs }, path, patienceMs);
      if (answer.status < 300) journal.wrote({ path, requestId, principal: id }, answer);
      return answer;
    },
    once: (method, url, body, headers) =>
      send({ method, url, token, body, ...(headers === undefined ? {} : { headers }) }),
  };
};
