/** Metrics for Prometheus: requests by route and status, and those of the process. */
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

export interface HttpMetrics {
  observe(method: string, route: string, status: number, ms: number): void;
  readonly registry: Registry;
}

export const createHttpMetrics = (): HttpMetrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'console_http_requests_total',
    help: 'Requests answered, by `method`, `route` and `status`.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'console_http_request_seconds',
    help: 'Time from a request to its answer, by `method` and `route`; `/changes` and calls of an app wait.',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
    registers: [registry],
  });
  const known = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
  return {
    observe: (method, route, status, ms) => {
      const verb = known.has(method) ? method : 'other';
      requests.inc({ method: verb, route, status });
      seconds.observe({ method: verb, route }, ms / 1000);
    },
    registry,
  };
};
