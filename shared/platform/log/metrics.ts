/**
 * The registry of metrics that every kind of process has, and how counters begin; others add theirs, and health/probes.ts serves them.
 * Watches the event loop too: one that is blocked by work of the process itself answers nobody. That is logged at `warn`, and fails
 * every test that runs real processes.
 */
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { type LabelValues, Gauge, Registry, Counter, Histogram } from 'prom-client';

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

/** ms from which a delay counts, and of processor time that the process itself used in it: others may have stopped it. */
const delayMs = 500;
const ownMs = 400;

/** Returns whether the process blocked its loop itself: a delay to which its own work can't have contributed the most is the machine's. */
const isOwn = (ms: number, own: number): boolean => ms > delayMs && own >= ownMs && (own >= delayMs || own >= ms / 2);

/** ms between two looks: few, as each wakes a process that has nothing to do. */
const lookMs = 250;

const registers = [platformRegistry];
const blockedCounter = new Counter({
  name: 'console_event_loop_blocked_total',
  help: 'How often the event loop was blocked for more than 500 ms by work of the process itself.',
  registers,
});
const delaySeconds = new Histogram({
  name: 'console_event_loop_delay_seconds',
  help: 'How late a timer of 250 ms was, each time.',
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
  registers,
});
/** Begins to watch, for as long as the process lives. */
export const watchEventLoop = (log: { warn(facts: object, sentence: string): void }): void => {
  let longestMs = 0;
  new Gauge({
    name: 'console_event_loop_delay_max_seconds',
    help: 'The longest delay of the event loop since the last reading of this, whatever its cause.',
    registers,
    collect() {
      this.set(longestMs / 1_000);
      longestMs = 0;
    },
  });
  let [lookedAt, used] = [performance.now(), process.cpuUsage()];
  setInterval(() => {
    const [now, total] = [performance.now(), process.cpuUsage()];
    const ms = Math.max(0, now - lookedAt - lookMs);
    const own = (total.user + total.system - used.user - used.system) / 1_000;
    [lookedAt, used] = [now, total];
    longestMs = Math.max(longestMs, ms);
    delaySeconds.observe(ms / 1_000);
    if (!isOwn(ms, own)) return;
    blockedCounter.inc();
    log.warn({ ms: Math.round(ms), processorMs: Math.round(own) }, 'the event loop was blocked');
  }, lookMs).unref();
};
