/** The API process: configuration → listening → dependencies → HTTP and live streams; drains and stops on SIGTERM or SIGINT. */
import { openDeps } from '../shared/deps.ts';
import { readConfigOrExit } from '../shared/platform/config/config.ts';
import { listenOrExit } from '../shared/platform/http.ts';
import { watchEventLoop } from '../shared/platform/log/metrics.ts';
import { readOptions } from '../shared/tools/cli/options.mjs';
import { openListener } from './listener.ts';
import { startServer } from './server.ts';

readOptions('api');
const config = readConfigOrExit();
// Before PostgreSQL is there, so that whoever asks learns that the process is alive and not ready.
const listener = await listenOrExit(() => openListener(config));
const deps = await openDeps(config, 'api');
const server = await startServer(deps, listener);
deps.log.info({ port: server.port }, 'listening');
watchEventLoop(deps.log);

let stopping = false;
const stop = (signal: string): void => {
  // Ctrl-C signals the whole process group, and the launcher signals once more.
  if (!stopping) deps.log.info({ signal }, 'the API stops');
  stopping = true;
  server.stop().then(
    () => {
      deps.log.info('the API has stopped');
      process.exit(0);
    },
    (error: unknown) => {
      deps.log.error({ err: error }, 'the stop failed');
      process.exit(1);
    },
  );
};
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
