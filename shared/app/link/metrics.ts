/** Metrics of the app link in this process. Served by API and workers. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { CallOutcome } from './link.ts';

export const linkRegistry = new Registry();
const registers = [linkRegistry];

export const connectionGauge = new Gauge({
  name: 'console_app_connections',
  help: 'Sockets of apps that this process holds.',
  registers,
});
export const droppedFrameCounter = new Counter({
  name: 'console_app_dropped_total',
  help: 'Frames of apps that had no effect, by `why`: late or unknown (nobody waited for the answer), garbage.',
  labelNames: ['why'],
  registers,
});
export const requestCounter = new Counter({
  name: 'console_app_requests_total',
  help: 'Requests of apps, by `method` and `outcome`: ok or refused.',
  labelNames: ['method', 'outcome'],
  registers,
});
const callCounter = new Counter({
  name: 'console_app_calls_total',
  help: 'Calls to apps, by `method` and `outcome`: answer, error, garbled, offline, timeout, lost.',
  labelNames: ['method', 'outcome'],
  registers,
});
const callSeconds = new Histogram({
  name: 'console_app_call_seconds',
  help: 'Time from a call to an app to its outcome, by `method`. Of `action.run` from handing the run over to its answer, also in the background.',
  labelNames: ['method'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 10, 60],
  registers,
});

/** Counts a call and its duration. */
export const observeCall = (method: string, outcome: CallOutcome<unknown>['kind'], ms: number): void => {
  callCounter.inc({ method, outcome });
  callSeconds.observe({ method }, ms / 1000);
};
