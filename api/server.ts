/** The server with HTTP, live streams and app link, and its drain, which drops no accepted request. Started by main.ts. */
import { closeDeps, type Deps } from '../shared/deps.ts';
import { subscribeToRunChanges } from '../shared/runs/runSignals.ts';
import { createApi } from './app.ts';
import { createAppServer } from './applink/index.ts';
import { drainServer } from './drainServer.ts';
import { createRateLimiter } from './http/rateLimiter.ts';
import { openListener, toOriginForm, type Listener } from './listener.ts';
import { createLive } from './live/index.ts';

export interface RunningServer {
  readonly port: number;
  /** Drains for at most `drainMs` and closes the dependencies; may be called twice. */
  stop(): Promise<void>;
}

/** Serves by `listener`, which opens here unless the process listens already. */
export const startServer = async (deps: Deps, listener?: Listener): Promise<RunningServer> => {
  const { config } = deps;
  const { server, port, probeServer, serve } = listener ?? (await openListener(config));
  subscribeToRunChanges(deps.bus);
  const rate = createRateLimiter(deps);
  const live = createLive(deps, rate);
  const apps = createAppServer(deps, rate);
  const api = createApi(deps, live, rate);
  server.on('upgrade', toOriginForm);
  live.attach(server, { app: apps.upgrade });
  probeServer?.serve(api.probes);
  serve(api.koa.callback());
  let stopped: Promise<void> | null = null;
  const stop = async (): Promise<void> => {
    await drainServer(server, config.drainMs, () => Promise.all([api.idle(), live.stop(), apps.stop()]));
    rate.close();
    await probeServer?.close();
    await closeDeps(deps);
  };
  return { port, stop: () => (stopped ??= stop()) };
};
