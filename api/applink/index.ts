/** The server side of the app link in this process (`createAppServer`), which server.ts starts. */
import { getLocalSockets } from '../../shared/app/link/localConnections.ts';
import type { Deps } from '../../shared/deps.ts';
import { flagView } from '../../shared/flags/model.ts';
import type { RateLimiter } from '../http/rateLimiter.ts';
import type { UpgradeHandler } from '../live/upgrade.ts';
import { type AppTimes, type AppContext, createRegistrationTurns, appTimes } from './context.ts';
import { createAppHub } from './hub.ts';
import { createAppUpgrade } from './upgrade.ts';

/** Starts the notifications and returns the function that ends them. */
const startFlagNotifications = ({ deps, sockets }: AppContext): (() => void) => {
  const { flags, directory, clock, log } = deps;
  const notify = async (envId: number, keys: readonly string[]): Promise<void> => {
    const env = directory.environmentById(envId);
    if (env === undefined) return;
    for (const key of keys) {
      const cached = await flags.get(env, key);
      if (cached === undefined) continue;
      const params = JSON.stringify({ flag: flagView(cached.flag, clock.now()) });
      for (const socket of sockets.of(envId)) socket.sendNotification('flags.changed', params);
    }
  };
  return flags.onChange((envId, keys) => {
    if (sockets.of(envId).length === 0) return;
    notify(envId, keys).catch((error: unknown) => {
      log.warn({ err: error }, 'an app could not be notified of a flag');
    });
  });
};

interface AppServer {
  readonly upgrade: UpgradeHandler;
  /** Lets calls under way end, then closes every socket with 1012; may be called twice. */
  stop(): Promise<void>;
}

export const createAppServer = (deps: Deps, rate: RateLimiter, times: Partial<AppTimes> = {}): AppServer => {
  const context = {
    deps,
    sockets: getLocalSockets(deps.link),
    times: { ...appTimes, ...times },
    turns: createRegistrationTurns(),
  };
  const hub = createAppHub(context);
  const stopNotifications = startFlagNotifications(context);
  let stopped: Promise<void> | null = null;
  const stop = (): Promise<void> => {
    stopNotifications();
    return hub.stop();
  };
  return { upgrade: createAppUpgrade(context, hub, rate), stop: () => (stopped ??= stop()) };
};
