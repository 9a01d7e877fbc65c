/**
 * A span that is recorded, in the form that OpenTelemetry's processors take (`ReadableSpan`). Their library's own spans cost half
 * as much again, as they check every attribute and know contexts, events and limits that are not used here. Made by
 * openTracer.ts.
 */
import type { HrTime, SpanContext, SpanStatus } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { Span, SpanStart } from './span.ts';

/** The header `traceparent` of W3C Trace Context (https://www.w3.org/TR/trace-context). */
interface TraceContext {
  /** 32 and 16 hexadecimal digits. */
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

/** Versions above 00 may have more behind the flags; ff is none. */
const traceparentForm =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.{0,200})?$/;
/** The one flag of a traceparent that is known. */
const sampledFlag = 1;

/** Returns what a traceparent says; null for one that is not valid, which counts as none. */
export const parseTraceparent = (text: string): (TraceContext & { readonly isRemote: true }) | null => {
  const [, version, traceId = '', spanId = '', flags = '', more] = traceparentForm.exec(text) ?? [];
  if (version === undefined || (version === '00' && more !== undefined)) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & sampledFlag, isRemote: true };
};

const formatTraceparent = ({ traceId, spanId, traceFlags }: TraceContext): string =>
  `00-${traceId}-${spanId}-0${String(traceFlags & sampledFlag)}`;

/** The parts that all spans of a process share. */
export interface Recorder {
  readonly resource: Resource;
  newSpanId(): string;
  onEnd(span: ReadableSpan): void;
}

interface Place {
  readonly traceId: string;
  /** null: the span is the root of its trace. */
  readonly above: SpanContext | null;
}

/** As OpenTelemetry numbers them. */
export const spanKinds = { server: 1, client: 2, producer: 3, consumer: 4 } as const satisfies Record<
  SpanStart['kind'],
  number
>;
const unset: SpanStatus = { code: 0 };
const failed: SpanStatus = { code: 2 };
const instrumentationScope = { name: 'console' };

/** Returns a time in ms since 1970 as seconds and nanoseconds. */
const toHrTime = (ms: number): HrTime => {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1_000_000)];
};

export class RecordedSpan implements Span, ReadableSpan {
  name: string;
  readonly kind: number;
  attributes: SpanStart['attributes'] & ReadableSpan['attributes'];
  readonly startTime: HrTime;
  endTime: HrTime = [0, 0];
  duration: HrTime = [0, 0];
  status = unset;
  ended = false;
  readonly parentSpanContext?: SpanContext;
  readonly links: ReadableSpan['links'] = [];
  readonly events: ReadableSpan['events'] = [];
  readonly droppedAttributesCount = 0;
  readonly droppedEventsCount = 0;
  readonly droppedLinksCount = 0;
  readonly instrumentationScope = instrumentationScope;
  readonly resource: Resource;
  readonly #recorder: Recorder;
  readonly #context: SpanContext;
  /** On the clock of the day and on that of `performance.now()`, in ms. */
  readonly #startMs: number;
  readonly #startedAt: number;

  constructor(recorder: Recorder, name: string, { kind, attributes, agoMs = 0 }: SpanStart, { traceId, above }: Place) {
    this.name = name;
    this.kind = spanKinds[kind];
    this.attributes = attributes;
    this.resource = recorder.resource;
    if (above !== null) this.parentSpanContext = above;
    this.#recorder = recorder;
    this.#context = { traceId, spanId: recorder.newSpanId(), traceFlags: sampledFlag };
    this.#startMs = Date.now() - agoMs;
    this.#startedAt = performance.now() - agoMs;
    this.startTime = toHrTime(this.#startMs);
  }

  get traceId(): string {
    return this.#context.traceId;
  }
  get traceparent(): string {
    return formatTraceparent(this.#context);
  }
  spanContext(): SpanContext {
    return this.#context;
  }
  child(name: string, start: SpanStart): Span {
    return new RecordedSpan(this.#recorder, name, start, { traceId: this.traceId, above: this.#context });
  }
  rename(name: string): void {
    this.name = name;
  }
  set(attributes: SpanStart['attributes']): void {
    this.attributes = { ...this.attributes, ...attributes };
  }
  end(failure?: string): void {
    if (this.ended) return;
    this.ended = true;
    const ms = performance.now() - this.#startedAt;
    this.duration = toHrTime(ms);
    this.endTime = toHrTime(this.#startMs + ms);
    if (failure !== undefined) {
      this.status = failed;
      this.set({ 'error.type': failure });
    }
    this.#recorder.onEnd(this);
  }
}
