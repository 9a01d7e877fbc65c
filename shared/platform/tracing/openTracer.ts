/**
 * The tracer of a process by OpenTelemetry's libraries, which are loaded here, and only when traces are configured: they decide
 * what is sampled, and batch and send what ends. Opened by shared/deps.ts.
 */
import type * as sdkModule from '@opentelemetry/sdk-trace';
import type { Sampler, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import type { TracingConfig } from '../config/tracingConfig.ts';
import type { Log } from '../log/log.ts';
import { createInterval, settlesWithin } from '../time/clock.ts';
import { type Recorder, parseTraceparent, RecordedSpan, spanKinds } from './recordedSpan.ts';
import type { Tracer } from './span.ts';

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
        // The collector's answer stays out of the log: it may repeat the request.
        if (result.code !== 0 && isDue())
          log.warn({ spans: spans.length, error: result.error?.name }, 'traces could not be sent and are dropped');
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
};

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
  const sampler = createSampler(sdk, config);
  const ids = new sdk.RandomIdGenerator();
  const processor = await openProcessor(sdk, config, log);
  const recorder: Recorder = {
    newSpanId: ids.generateSpanId,
    onEnd: (span) => {
      processor.onEnd(span);
    },
    resource: resourceFromAttributes({
      'service.name': config.serviceName ?? `console-${part}`,
      'service.instance.id': processName,
    }),
  };
  const { ROOT_CONTEXT, trace } = api;
  return {
    start: (name, parent, start) => {
      const above = parent === null ? null : parseTraceparent(parent);
      const context = above === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, above);
      const traceId = above?.traceId ?? ids.generateTraceId();
      const kind = spanKinds[start.kind];
      const { decision } = sampler.shouldSample(context, traceId, name, kind, start.attributes, []);
      return decision === sdk.SamplingDecision.RECORD_AND_SAMPLED
        ? new RecordedSpan(recorder, name, start, { traceId, above })
        : null;
    },
    close: async () => {
      await settlesWithin(
        closeMs,
        processor.shutdown().catch(() => undefined),
      );
    },
  };
};
