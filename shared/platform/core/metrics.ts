/** The registry of metrics that every kind of process has, and how counters begin. Its folder's neighbours add theirs; health/probes.ts serves them. */
import { Registry, type Counter, type LabelValues } from 'prom-client';

export const platformRegistry = new Registry();

/**
 * Begins a counter at 0 for each of these labels. Without that a series begins with its first count, and Prometheus'
 * `increase`, which compares samples, sees nothing of what came before the second scrape.
 */
export const beginAtZero = <L extends string>(counter: Counter<L>, series: readonly LabelValues<L>[]): void => {
  for (const labels of series) counter.inc(labels, 0);
};
