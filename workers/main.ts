/** The worker process: config → deps → crew; stops on SIGTERM and SIGINT. */
import { readConfigOrExit } from '../shared/platform/core/config.ts';
import { readOptions } from '../shared/tools/cli/options.mjs';
import { closeDeps, openDeps } from '../shared/deps.ts';
import { createWorkerProcess } from './workerProcess.ts';

readOptions('workers');
const config = readConfigOrExit();
const deps = await openDeps(config, 'workers');
const crew = createWorkerProcess(deps);
await crew.start();
deps.log.info('the workers are ready');

let stopping = false;
const stop = async (signal: string): Promise<void> => {
  // A terminal signals the whole group, and the launcher once more.
  if (stopping) return;
  stopping = true;
  deps.log.info({ signal }, 'the workers stop');
  await crew.stop();
  await closeDeps(deps);
  deps.log.info('the workers have stopped');
  deps.log.flush();
  // What still holds a socket then (a Redis that is away) must not keep the process.
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
