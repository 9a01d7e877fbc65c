/** What the clients of a run were promised: every write with a 2xx answer, and every answer that should never come. */
import type { Answer } from './send.ts';

/** The names in a 2xx answer: all that a write is judged by, as the answers of hours would not fit into memory. */
interface Promised {
  readonly item?: { readonly id: string };
  readonly bulk?: { readonly id: string };
  readonly run?: string | { readonly id: string };
  readonly changed?: boolean;
}

export interface Written {
  readonly path: string;
  /** Sent with every try, so that the audit entry bears it. */
  readonly requestId: string;
  readonly principal: string;
  readonly status: number;
  readonly promised: Promised;
}

const idOf = (thing: { readonly id: string }): { readonly id: string } => ({ id: thing.id });

export class Journal {
  readonly writes: Written[] = [];
  /** Responses that a client of a working service never gets: 500, another server error, a 503 without retry-after. */
  readonly violations: string[] = [];
  /** Requests that got no response, or one with retry-after. */
  readonly retries = new Map<string, number>();

  /** Keeps what a 2xx answer promised. */
  wrote({ path, requestId, principal }: Pick<Written, 'path' | 'requestId' | 'principal'>, answer: Answer): void {
    const { item, bulk, run, changed } = answer.body ?? {};
    const promised: Promised = {
      ...(item === undefined ? {} : { item: idOf(item) }),
      ...(bulk === undefined ? {} : { bulk: idOf(bulk) }),
      ...(run === undefined ? {} : { run: typeof run === 'object' ? idOf(run) : run }),
      ...(changed === undefined ? {} : { changed }),
    };
    this.writes.push({ path, requestId, principal, status: answer.status, promised });
  }

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
