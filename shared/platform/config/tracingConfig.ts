/** The variables of traces by OpenTelemetry, under the names that its specification gives them. Read by config.ts. */
import { matching, url, type Read } from './configValues.ts';

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export interface TracingConfig {
  /** Where spans are sent: the collector's address with `/v1/traces`. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sampler: (typeof samplers)[number];
  /** Of the samplers by ratio. */
  readonly ratio: number;
  /** null: `console-api` and `console-workers`. */
  readonly serviceName: string | null;
}

const collector = (value: string): string | undefined => {
  const base = url('http:', 'https:')(value);
  if (base === undefined || new URL(base).search !== '' || new URL(base).username !== '') return undefined;
  return `${base.replace(/\/+$/, '')}/v1/traces`;
};

/** Names and values as the specification writes them: `name=value` with commas between them, values percent-encoded. */
const headerList = (value: string): Record<string, string> | undefined => {
  try {
    const pairs = value.split(',').map((pair) => {
      const [, name = '', text = ''] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
      return [name, decodeURIComponent(text)] as const;
    });
    return pairs.every(([name, text]) => name !== '' && /^[\x20-\x7e]*$/.test(text))
      ? Object.fromEntries(pairs)
      : undefined;
  } catch {
    return undefined;
  }
};

const fraction = (value: string): number | undefined =>
  /^(?:0|1|1\.0+|0?\.\d+)$/.test(value) ? Number(value) : undefined;

/** Returns where traces go and which; null when no collector is named. */
export const readTracing = (env: NodeJS.ProcessEnv, read: Read): TracingConfig | null => {
  const endpoint = read<string | null>(env, {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    takes: 'the address of a collector, without /v1/traces',
    example: 'http://127.0.0.1:4318',
    fallback: () => null,
    parse: collector,
  });
  if (endpoint === null) return null;
  return {
    endpoint,
    headers: read<Record<string, string>>(env, {
      name: 'OTEL_EXPORTER_OTLP_HEADERS',
      takes: 'name=value with commas between them, values percent-encoded',
      example: 'authorization=Bearer%20secret',
      fallback: () => ({}),
      parse: headerList,
    }),
    sampler: read<TracingConfig['sampler']>(env, {
      name: 'OTEL_TRACES_SAMPLER',
      takes: samplers.join(', '),
      example: 'parentbased_traceidratio',
      fallback: () => 'parentbased_always_on',
      parse: (value) => samplers.find((sampler) => sampler === value),
    }),
    ratio: read(env, {
      name: 'OTEL_TRACES_SAMPLER_ARG',
      takes: 'a number from 0 to 1',
      example: '0.1',
      fallback: () => 1,
      parse: fraction,
    }),
    serviceName: read<string | null>(env, {
      name: 'OTEL_SERVICE_NAME',
      example: 'console',
      fallback: () => null,
      parse: matching(/^[\x21-\x7e]{1,100}$/),
    }),
  };
};
