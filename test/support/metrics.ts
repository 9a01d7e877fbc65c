/** API and workers as processes with their metrics, which are read as Prometheus reads them. */
import { freePort } from '../../shared/tools/services/ports.mjs';
import { request } from './http.ts';
import { startProgram, type Program } from './processes.ts';
import type { World } from './world.ts';

export interface Metrics {
  /** Type and help of each metric, by name. */
  readonly families: ReadonlyMap<string, { readonly type: string; readonly help: string }>;
  /** Returns the sum of the samples of a name that have these labels; undefined without one. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const parseSample = (line: string): Sample => {
  const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === '') throw new Error(`This is no sample: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [key, text]);
  return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) };
};

const parseMetrics = (text: string): Metrics => {
  const lines = text.split('\n').filter((line) => line !== '');
  const helps = new Map(
    lines.flatMap((line) => {
      const [, name = '', help = ''] = /^# HELP (\w+) (.*)$/.exec(line) ?? [];
      return name === '' ? [] : [[name, help] as const];
    }),
  );
  const families = new Map(
    lines.flatMap((line) => {
      const [, name = '', type = ''] = /^# TYPE (\w+) (\w+)$/.exec(line) ?? [];
      return name === '' ? [] : [[name, { type, help: helps.get(name) ?? '' }] as const];
    }),
  );
  const samples = lines.filter((line) => !line.startsWith('#')).map(parseSample);
  const find = (name: string, labels: Readonly<Record<string, string>>): Sample[] =>
    samples.filter(
      (sample) =>
        sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    );
  return {
    families,
    value: (name, labels = {}) => {
      const found = find(name, labels);
      return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
    },
    samples,
  };
};

export const scrape = async (port: number): Promise<Metrics> => {
  const { status, text } = await request('GET', `http://127.0.0.1:${String(port)}/metrics`, undefined, null);
  if (status !== 200) throw new Error(`/metrics answers ${String(status)}: ${text}`);
  return parseMetrics(text);
};

export interface MeasuredProgram extends Program {
  scrape(): Promise<Metrics>;
  /** Where it serves its probes. */
  readonly probePort: number;
}

/** Starts an API or a worker process with a port for its probes. */
export const startMeasured = async (
  world: Pick<World, 'config'>,
  path: 'workers/main.ts' | 'api/main.ts',
  more: Readonly<Record<string, string>> = {},
): Promise<MeasuredProgram> => {
  const probePort = await freePort();
  const variable = path === 'api/main.ts' ? 'PROBE_PORT' : 'WORKER_PORT';
  const program = await startProgram(world, path, { ...more, [variable]: String(probePort) });
  return { ...program, probePort, scrape: () => scrape(probePort) };
};
