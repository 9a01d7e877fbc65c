/**
 * Watches the event loop of a process: a loop that is blocked by work of the process itself answers nobody. Measured in
 * /metrics, logged at `warn`, and fails every test that runs real processes. Started by the main files of API and workers.
 */
import { Counter, Gauge, Histogram } from 'prom-client';
import type { Log } from './log.ts';
import { platformRegistry } from './metrics.ts';

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
export const watchEventLoop = (log: Log): void => {
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
