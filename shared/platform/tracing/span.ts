/**
 * Spans as the service makes them, whatever exports them. null in the place of a tracer or a span: nothing is traced, which
 * costs a comparison. Made by openTracer.ts; HTTP, statements, jobs, calls of apps and the publisher begin them.
 */
import { Fault } from '../../catalogue/errors.ts';

/** Ids, numbers and names of the code: never content, names of people or records, query strings, tokens. */
type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  readonly kind: 'server' | 'client' | 'producer' | 'consumer';
  readonly attributes: SpanAttributes;
  /** ms since it began; 0 unless given. */
  readonly agoMs?: number;
}

export interface Span {
  readonly traceId: string;
  /** W3C Trace Context: what the work that follows from it is found to belong to. */
  readonly traceparent: string;
  child(name: string, start: SpanStart): Span;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** Ends it; `failure` is the kind of its error. */
  end(failure?: string): void;
}

export interface Tracer {
  /** Begins a span below `parent`, a traceparent, or a trace of its own without one. Returns null when the sampler leaves it out. */
  start(name: string, parent: string | null, start: SpanStart): Span | null;
  /** Sends what has not been sent; resolves after a second at the latest. */
  close(): Promise<void>;
}

/** Begins a span in the trace that the work belongs to. Returns null for work that belongs to none. */
export const continueTrace = (
  tracer: Tracer | null,
  parent: string | null | undefined,
  name: string,
  start: SpanStart,
): Span | null =>
  tracer === null || parent === null || parent === undefined ? null : tracer.start(name, parent, start);

/** Returns the kind of an error for a span: the code of a fault, of PostgreSQL or of Node, else the name of its class. */
export const failureOf = (error: unknown): string => {
  if (error instanceof Fault) return error.code;
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : null;
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.name : 'unknown';
};

/** Returns how the span of a statement, or of a group of statements, begins; `summary` names it as in /metrics. */
export const statementSpan = (summary: string): SpanStart => ({
  kind: 'client',
  attributes: { 'db.system.name': 'postgresql', 'db.query.summary': summary },
});

const endWith = async <T>(span: Span, work: Promise<T>): Promise<T> => {
  try {
    const result = await work;
    span.end();
    return result;
  } catch (error) {
    span.end(failureOf(error));
    throw error;
  }
};

/** Runs statements in a span of their own below `parent`. */
export const inStatementSpan = <T>(
  parent: Span | null | undefined,
  summary: string,
  work: () => Promise<T>,
): Promise<T> =>
  parent === null || parent === undefined ? work() : endWith(parent.child(summary, statementSpan(summary)), work());
