/**
 * The tracer of a process by OpenTelemetry's libraries, which are loaded here, and only when traces are configured. Opened by
 * shared/deps.ts.
 */
import type * as apiModule from '@opentelemetry/api';
import type { Context, Span as RecordedSpan, SpanContext } from '@opentelemetry/api';
import type * as sdkModule from '@opentelemetry/sdk-trace';
import type { Sampler, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Log } from '../core/log.ts';
import type { TracingConfig } from '../core/tracingConfig.ts';
import { createInterval, settlesWithin } from '../core/wait.ts';
import type { Span, SpanStart, Tracer } from './span.ts';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';

type Api = typeof apiModule;
type Sdk = typeof sdkModule;

/** ms that the last spans have when a process stops: it is out within DRAIN_MS and a moment. */
const closeMs = 1_000;
/** ms after which an export is given up; what waits meanwhile is bounded by the queue. */
const exportMs = 10_000;
/** Spans that wait to be sent, of some 1 KB each: what comes while a collector is slow or away is dropped beyond them. */
const queueSpans = 4_096;
/** ms until spans are sent. */
const delayMs = 1_000;
/** Failures are logged at most once in so many ms. */
const logIntervalMs = 60_000;

const createSampler = (sdk: Sdk, { sampler, ratio }: TracingConfig): Sampler => {
  const name = sampler.replace('parentbased_', '');
  const root =
    name === 'traceidratio'
      ? new sdk.TraceIdRatioBasedSampler(ratio)
      : name === 'always_off'
        ? new sdk.AlwaysOffSampler()
        : new sdk.AlwaysOnSampler();
  return name === sampler ? root : new sdk.ParentBasedSampler({ root });
};

/** Returns the exporter with its failures in the log: the libraries themselves say nothing of them. */
const withLog = (exporter: SpanExporter, log: Log): SpanExporter => {
  const isDue = createInterval(logIntervalMs);
  return {
    export: (spans, done) => {
      exporter.export(spans, (result) => {
        // What a collector answered stays out of the log: it may repeat the request.
        if (result.code !== 0 && isDue())
          log.warn({ spans: spans.length, error: result.error?.name }, 'traces could not be sent and are dropped');
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
};

const spanKinds = { server: 1, client: 2, producer: 3, consumer: 4 } as const satisfies Record<
  SpanStart['kind'],
  number
>;
const errorStatus = 2;

/** Begins spans below a span context, or new traces without one. */
class SpanFactory {
  readonly #api: Api;
  readonly #tracer: apiModule.Tracer;

  constructor(api: Api, tracer: apiModule.Tracer) {
    this.#api = api;
    this.#tracer = tracer;
  }

  start(name: string, parent: SpanContext | null, { kind, attributes, agoMs = 0 }: SpanStart): TracedSpan {
    const { ROOT_CONTEXT, trace } = this.#api;
    const context: Context = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    const since = performance.now() - agoMs;
    const startTime = Date.now() - agoMs;
    const span = this.#tracer.startSpan(name, { kind: spanKinds[kind], attributes, startTime }, context);
    return new TracedSpan(this, span, startTime - since);
  }
}

class TracedSpan implements Span {
  readonly #factory: SpanFactory;
  readonly #span: RecordedSpan;
  readonly #context: SpanContext;
  /** ms from the clock of `performance.now()` to that of the day, as they were when it began. */
  readonly #clockOffset: number;

  constructor(factory: SpanFactory, span: RecordedSpan, clockOffset: number) {
    this.#factory = factory;
    this.#span = span;
    this.#context = span.spanContext();
    this.#clockOffset = clockOffset;
  }

  get isRecording(): boolean {
    return this.#span.isRecording();
  }
  get traceId(): string {
    return this.#context.traceId;
  }
  get traceparent(): string {
    return formatTraceparent(this.#context);
  }
  child(name: string, start: SpanStart): Span {
    return this.#factory.start(name, this.#context, start);
  }
  rename(name: string): void {
    this.#span.updateName(name);
  }
  set(attributes: SpanStart['attributes']): void {
    this.#span.setAttributes(attributes);
  }
  end(failure?: string): void {
    if (failure !== undefined) this.#span.setStatus({ code: errorStatus }).setAttribute('error.type', failure);
    this.#span.end(performance.now() + this.#clockOffset);
  }
}

const openProcessor = async (sdk: Sdk, { endpoint, headers }: TracingConfig, log: Log): Promise<SpanProcessor> => {
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const exporter = new OTLPTraceExporter({ url: endpoint, headers, timeoutMillis: exportMs });
  return new sdk.BatchSpanProcessor({
    exporter: withLog(exporter, log),
    maxQueueSize: queueSpans,
    scheduledDelayMillis: delayMs,
    exportTimeoutMillis: exportMs,
  });
};

/** Opens the tracer of the process part `part` (`api`, `workers`). The caller closes it. */
export const openTracer = async (
  config: TracingConfig,
  { part, processName, log }: { readonly part: string; readonly processName: string; readonly log: Log },
): Promise<Tracer> => {
  const [api, sdk, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
  ]);
  const provider = new sdk.TracerProvider({
    sampler: createSampler(sdk, config),
    resource: resourceFromAttributes({
      'service.name': config.serviceName ?? `console-${part}`,
      'service.instance.id': processName,
    }),
    spanProcessors: [await openProcessor(sdk, config, log)],
  });
  const spans = new SpanFactory(api, provider.getTracer('console'));
  return {
    start: (name, parent, start) => {
      const span = spans.start(name, parent === null ? null : parseTraceparent(parent), start);
      return span.isRecording ? span : null;
    },
    close: async () => {
      await settlesWithin(
        closeMs,
        provider.shutdown().catch(() => undefined),
      );
    },
  };
};
