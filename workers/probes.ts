/** The probes of a worker process, which it serves on WORKER_PORT. Used by main.ts. */
import { collectDefaultMetrics, Registry } from 'prom-client';
import { linkRegistry } from '../shared/applink/metrics.ts';
import { createPresenceMetrics } from '../shared/applink/presenceMetrics.ts';
import type { Deps } from '../shared/deps.ts';
import { createDatabaseMetrics } from '../shared/platform/health/databaseMetrics.ts';
import { createProbes, type Probes } from '../shared/platform/health/probes.ts';
import { createReadiness } from '../shared/platform/health/readiness.ts';
import { createQueueMetrics, jobRegistry } from './metrics.ts';

export const createWorkerProbes = (deps: Deps): Probes => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return createProbes(createReadiness(deps), [
    registry,
    jobRegistry,
    createQueueMetrics(deps.redis),
    createDatabaseMetrics(deps),
    createPresenceMetrics(deps),
    linkRegistry,
  ]);
};
