/** Metrics for Prometheus: requests by route and status, those that the service failed, and metrics of the process. Used by api/app.ts. */
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import { errors, type ErrorCode } from '../../shared/catalogue/errors.ts';
import { beginAtZero } from '../../shared/platform/log/metrics.ts';
import type { ApiResponse } from './apiResponse.ts';

type SentResponse = Pick<ApiResponse, 'status' | 'body'>;

export interface HttpMetrics {
  observe(method: string, route: string, response: SentResponse, ms: number): void;
  readonly registry: Registry;
}

/** Codes of 5xx that say something of the customer's app: whoever runs the service can't mend it. */
const appCodes: ReadonlySet<string> = new Set<ErrorCode>(['app_error', 'app_offline', 'app_timeout']);
/** All other codes of 5xx. They are of a closed table, so that each may be a label. */
const ownCodes = Object.entries(errors).flatMap(([code, { status }]) =>
  status >= 500 && !appCodes.has(code) ? [code] : [],
);

/** Returns the code of a failure of the service itself; undefined for every other response, and for `503` of `/ready`, which has no code. */
const failureCode = ({ status, body }: SentResponse): string | undefined =>
  status >= 500 && typeof body === 'object' && 'code' in body ? ownCodes.find((code) => code === body.code) : undefined;

export const createHttpMetrics = (): HttpMetrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'console_http_requests_total',
    help: 'Requests answered, by `method`, `route` and `status`.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const failures = new Counter({
    name: 'console_http_failures_total',
    help: 'Requests that the service itself failed, by `code`: internal (a bug), unavailable (PostgreSQL, or a pool that is full). Not those that an app failed, and no probes.',
    labelNames: ['code'],
    registers: [registry],
  });
  beginAtZero(
    failures,
    ownCodes.map((code) => ({ code })),
  );
  const seconds = new Histogram({
    name: 'console_http_request_seconds',
    help: 'Time from a request to its answer, by `method` and `route`; `/changes`, reads with `wait` and calls of an app wait.',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
    registers: [registry],
  });
  const known = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
  return {
    observe: (method, route, response, ms) => {
      const verb = known.has(method) ? method : 'other';
      requests.inc({ method: verb, route, status: response.status });
      const code = failureCode(response);
      if (code !== undefined) failures.inc({ code });
      seconds.observe({ method: verb, route }, ms / 1000);
    },
    registry,
  };
};
