/** A worker process for tests that kill or freeze one: the real publisher or crew, with a probe job that writes to a table. */
import { once } from 'node:events';
import { closeDeps, openDeps } from '../../shared/deps.ts';
import { readConfig } from '../../shared/platform/config/config.ts';
import { done, type HandlerTable } from '../../workers/handler.ts';
import { startPublisher } from '../../workers/outbox/publisher.ts';
import { createWorkerProcess, type WorkerProcess } from '../../workers/workerProcess.ts';
import { probeJobs } from './probe.ts';

const deps = await openDeps(readConfig(), 'child');
const handlers: HandlerTable = {
  /** Notes that it began, then works until it is stopped; the parent's own worker does the rest. */
  probe: async ({ id, fence, signal }) => {
    await deps.db.raw('insert into probe values (?, ?, ?)', [id, fence, `begun in ${String(process.pid)}`]);
    // A process that was frozen right after the insert hears of its lost lease before it hears of the insert.
    if (!signal.aborted) await once(signal, 'abort');
    await deps.db.raw('insert into probe values (?, ?, ?)', [id, fence, 'told to stop']);
    return done();
  },
};
const parts =
  process.argv[2] === 'publisher' ? startPublisher(deps) : createWorkerProcess(deps, { jobs: probeJobs, handlers });
if (process.argv[2] !== 'publisher') await (parts as WorkerProcess).start();
process.send?.('ready');
process.on('SIGTERM', () => {
  void parts
    .stop()
    .then(() => closeDeps(deps))
    .then(() => process.exit(0));
});
