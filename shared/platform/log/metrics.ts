/** The registry of metrics that every kind of process has, and how counters begin. Its folder's neighbours add theirs; health/probes.ts serves them. */
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { Gauge, Registry, type Counter, type LabelValues } from 'prom-client';

export const platformRegistry = new Registry();

new Gauge({
  name: 'console_heap_limit_bytes',
  help: 'The limit of the process’s heap, at which it ends: --max-old-space-size, or what Node takes for it.',
  registers: [platformRegistry],
}).set(getHeapStatistics().heap_size_limit);
new Gauge({
  name: 'console_memory_limit_bytes',
  help: 'The memory that the process’s container or machine has.',
  registers: [platformRegistry],
}).set(Math.min(totalmem(), process.constrainedMemory() || Infinity));

/**
 * Begins a counter at 0 for each of these labels. Without that a series begins with its first count, and Prometheus'
 * `increase`, which compares samples, sees nothing of what came before the second scrape.
 */
export const beginAtZero = <L extends string>(counter: Counter<L>, series: readonly LabelValues<L>[]): void => {
  for (const labels of series) counter.inc(labels, 0);
};
