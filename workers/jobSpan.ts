/** The spans of a job: how long it waited, and its start. For worker.ts. */
import type { JobLease } from '../shared/platform/outbox/jobLease.ts';
import { continueTrace, failureOf, type Span, type Tracer } from '../shared/platform/tracing/span.ts';

/** Begins the span of a start, below the request that staged the job; the first start also shows how long the job waited for it. */
export const beginJobSpan = (
  tracer: Tracer | null,
  { id, name, fence, tries, createdAt, traceparent }: JobLease,
  queue: string,
): Span | null => {
  const attributes = {
    'messaging.system': 'bullmq',
    'messaging.destination.name': queue,
    'messaging.message.id': id,
    'console.job': name,
  };
  if (fence === 1)
    continueTrace(tracer, traceparent, `wait ${name}`, {
      kind: 'producer',
      attributes: { ...attributes, 'messaging.operation.name': 'wait', 'messaging.operation.type': 'send' },
      agoMs: Math.max(0, Date.now() - createdAt),
    })?.end();
  return continueTrace(tracer, traceparent, `process ${name}`, {
    kind: 'consumer',
    attributes: {
      ...attributes,
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'console.attempt': tries,
    },
  });
};

/** Ends the span with the outcome of the start. */
export const endJobSpan = (span: Span, result: { readonly kind: string; readonly error?: unknown }): void => {
  span.set({ 'console.outcome': result.kind });
  span.end(result.kind === 'failed' ? failureOf(result.error) : undefined);
};
