/** The server side of the app link in this process (`createAppServer`), which server.ts starts. */
import { getLocalSockets } from '../../shared/applink/localConnections.ts';
import type { Deps } from '../../shared/deps.ts';
import type { RateLimiter } from '../http/rateLimiter.ts';
import type { UpgradeHandler } from '../live/upgrade.ts';
import { appTimes, type AppTimes } from './context.ts';
import { startFlagNotifications } from './flags.ts';
import { createAppHub } from './hub.ts';
import { createRegistrationTurns } from './registrationTurns.ts';
import { createAppUpgrade } from './upgrade.ts';

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
