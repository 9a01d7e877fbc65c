/** What the clients of a run were promised: every write with a 2xx answer, and every answer that should never come. */
import type { Answer } from './send.ts';

export interface Written {
  readonly path: string;
  readonly body: unknown;
  readonly key: string;
  /** Sent with every try, so that the audit entry bears it. */
  readonly requestId: string;
  readonly principal: string;
  readonly answer: Answer;
  readonly tries: number;
}

export class Journal {
  readonly writes: Written[] = [];
  /** Responses that a client of a working service never gets: 500, another server error, a 503 without retry-after. */
  readonly violations: string[] = [];
  /** Requests that got no response, or one with retry-after. */
  readonly retries = new Map<string, number>();

  retried(why: string): void {
    this.retries.set(why, (this.retries.get(why) ?? 0) + 1);
  }

  get retriesText(): string {
    return [...this.retries].map(([why, n]) => `${why} ${String(n)}`).join(', ') || 'none';
  }
}

/** A 503 must be ours, with retry-after. */
export const problemOf = ({ status, headers, text }: Answer): string | null => {
  if (status < 500) return null;
  const isPolite = status === 503 && text.includes('"unavailable"') && headers['retry-after'] !== undefined;
  return isPolite ? null : `${String(status)} ${text.slice(0, 300)}`;
};
