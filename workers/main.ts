/** The main file of the worker process: config → deps → services; stops on SIGTERM and SIGINT. */
import { createPresenceMetrics, linkRegistry } from '../shared/app/link/metrics.ts';
import { closeDeps, openDeps, type Deps } from '../shared/deps.ts';
import { readConfigOrExit } from '../shared/platform/config/config.ts';
import { createDatabaseMetrics } from '../shared/platform/health/databaseMetrics.ts';
import { openProbeServer, createProbes, type Probes } from '../shared/platform/health/probes.ts';
import { createReadiness } from '../shared/platform/health/readiness.ts';
import { listenOrExit } from '../shared/platform/http.ts';
import { watchEventLoop } from '../shared/platform/log/metrics.ts';
import { readOptions } from '../shared/tools/cli/options.mjs';
import { createQueueMetrics, jobRegistry } from './metrics.ts';
import { createWorkerProcess } from './workerProcess.ts';

/** The probes of a worker process, which it serves on WORKER_PORT. */
const createWorkerProbes = (deps: Deps): Probes =>
  createProbes(createReadiness(deps), [
    jobRegistry,
    createQueueMetrics(deps.redis),
    createDatabaseMetrics(deps),
    createPresenceMetrics(deps),
    linkRegistry,
  ]);

readOptions('workers');
const config = readConfigOrExit();
const { workerPort } = config;
const probeServer = workerPort === null ? null : await listenOrExit(() => openProbeServer(config, workerPort));
const deps = await openDeps(config, 'workers');
const worker = createWorkerProcess(deps);
await worker.start();
probeServer?.serve(createWorkerProbes(deps));
deps.log.info('the workers are ready');
watchEventLoop(deps.log);

let stopping = false;
const stop = async (signal: string): Promise<void> => {
  // Ctrl-C signals the whole process group, and the launcher signals once more.
  if (stopping) return;
  stopping = true;
  deps.log.info({ signal }, 'the workers stop');
  await worker.stop();
  await probeServer?.close();
  await closeDeps(deps);
  deps.log.info('the workers have stopped');
  // An open socket to an unavailable Redis must not keep the process alive.
  process.exit(0);
};
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    stop(signal).catch((error: unknown) => {
      deps.log.fatal({ err: error }, 'the workers could not stop in order');
      process.exit(1);
    });
  });
}
