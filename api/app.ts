/**
 * The HTTP side of the API: the middleware in the order in which each request passes it. Called by server.ts. Why a chain,
 * and what it costs: docs/decisions/0015-http-is-a-chain-of-koa-middleware.md.
 */
import Koa from 'koa';
import { linkRegistry } from '../shared/applink/metrics.ts';
import { createPresenceMetrics } from '../shared/applink/presenceMetrics.ts';
import type { Deps } from '../shared/deps.ts';
import { securityHeaders } from '../shared/platform/core/securityHeaders.ts';
import { createDatabaseMetrics } from '../shared/platform/health/databaseMetrics.ts';
import { createProbes, type Probes } from '../shared/platform/health/probes.ts';
import { createReadiness } from '../shared/platform/health/readiness.ts';
import { createStandbyMetrics } from '../shared/platform/health/standbyMetrics.ts';
import { endpoints } from './endpoints.ts';
import { createHttpMetrics } from './http/metrics.ts';
import type { RateLimiter } from './http/rateLimiter.ts';
import type { Live } from './live/index.ts';
import { createLiveMetrics } from './live/metrics.ts';
import { authentication } from './middleware/authentication.ts';
import { body } from './middleware/body.ts';
import { changeHeaders } from './middleware/changeHeaders.ts';
import { consolePages } from './middleware/consolePages.ts';
import { endpointAccess } from './middleware/endpointAccess.ts';
import { environmentAccess } from './middleware/environmentAccess.ts';
import { environmentPath } from './middleware/environmentPath.ts';
import { errors } from './middleware/errors.ts';
import { foreground } from './middleware/foreground.ts';
import { hostPages } from './middleware/hostPages.ts';
import { callEndpoint, idempotency } from './middleware/idempotency.ts';
import { openIdCallback } from './middleware/openIdCallback.ts';
import { publicEndpoints } from './middleware/publicEndpoints.ts';
import { query } from './middleware/query.ts';
import { rateLimit } from './middleware/rateLimit.ts';
import { refusalAudit } from './middleware/refusalAudit.ts';
import { requestId } from './middleware/requestId.ts';
import { requestRecord } from './middleware/requestRecord.ts';
import { createRequestTracker, type RequestTracker } from './middleware/requestTracker.ts';
import { respond } from './middleware/respond.ts';
import { routing } from './middleware/routing.ts';
import { streamOffset } from './middleware/streamOffset.ts';
import { watchedReads } from './middleware/watchedReads.ts';

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
    .use(query)
    .use(body)
    .use(changeHeaders)
    .use(idempotency(callEndpoint));
  koa.on('error', (error: unknown) => {
    deps.log.debug({ err: error }, 'a connection failed');
  });
  return { koa, idle: requests.idle, probes };
};
