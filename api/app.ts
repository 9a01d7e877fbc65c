/**
 * The HTTP side of the API: the middleware in the order in which each request passes it. Called by server.ts. Why a chain,
 * and what it costs: docs/decisions/0015-http-is-a-chain-of-koa-middleware.md.
 */
import Koa from 'koa';
import { createPresenceMetrics, linkRegistry } from '../shared/app/link/metrics.ts';
import type { Deps } from '../shared/deps.ts';
import { createStandbyMetrics, createDatabaseMetrics } from '../shared/platform/health/databaseMetrics.ts';
import { createProbes, type Probes } from '../shared/platform/health/probes.ts';
import { createReadiness } from '../shared/platform/health/readiness.ts';
import { securityHeaders } from '../shared/platform/http.ts';
import { endpoints } from './endpoints.ts';
import type { RateLimiter } from './http/rateLimiter.ts';
import { type Live, createLiveMetrics } from './live/index.ts';
import { callEndpoint, body, changeHeaders, endpointAccess, foreground, query, writeLimit } from './middleware/call.ts';
import {
  authentication,
  environmentAccess,
  environmentPath,
  ofrepOrigins,
  publicEndpoints,
  rateLimit,
} from './middleware/caller.ts';
import { errors, requestId, respond } from './middleware/envelope.ts';
import { refusalAudit, watchedReads } from './middleware/observers.ts';
import { idempotency } from './middleware/once.ts';
import { consolePages, hostPages, openIdCallback } from './middleware/pages.ts';
import { type RequestTracker, createHttpMetrics, createRequestTracker, requestRecord } from './middleware/requests.ts';
import { routing, streamOffset } from './middleware/route.ts';

interface Api {
  readonly koa: Koa;
  /** Begins the drain; resolves when no request is under way. */
  readonly idle: RequestTracker['idle'];
  readonly probes: Probes;
}

export const createApi = (deps: Deps, live: Live, limiter: RateLimiter): Api => {
  const metrics = createHttpMetrics();
  const probes = createProbes(createReadiness(deps), [
    metrics.registry,
    createLiveMetrics(live),
    createDatabaseMetrics(deps),
    createStandbyMetrics(deps),
    createPresenceMetrics(deps),
    linkRegistry,
  ]);
  const requests = createRequestTracker(metrics);
  const koa = new Koa();
  koa.use(requests.middleware);
  if (deps.config.accessLog || deps.tracer !== null) koa.use(requestRecord(deps));
  koa
    .use(requestId(securityHeaders(deps.config)))
    .use(respond(deps.config, requests.isStopping))
    .use(errors(deps.log))
    .use(hostPages({ config: deps.config, limiter, probes, endpoints }))
    .use(consolePages(deps.config))
    .use(openIdCallback(deps, limiter))
    .use(environmentPath(deps))
    .use(ofrepOrigins(deps.config, limiter))
    .use(publicEndpoints(deps, limiter, endpoints))
    .use(authentication(deps, limiter))
    .use(rateLimit(limiter))
    .use(environmentAccess(deps))
    .use(streamOffset(deps, live))
    .use(routing(deps, live, requests, endpoints))
    .use(refusalAudit)
    .use(watchedReads)
    .use(endpointAccess)
    .use(foreground)
    .use(writeLimit)
    .use(query)
    .use(body)
    .use(changeHeaders)
    .use(idempotency(callEndpoint));
  koa.on('error', (error: unknown) => {
    deps.log.debug({ err: error }, 'a connection failed');
  });
  return { koa, idle: requests.idle, probes };
};
