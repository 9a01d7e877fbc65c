/** Notifies the apps on the sockets of this process of flags that have changed, when the flag cache has reloaded them. */
import { flagView } from '../../shared/flags/model.ts';
import type { AppContext } from './context.ts';

/** Starts the notifications and returns the function that ends them. */
export const startFlagNotifications = ({ deps, sockets }: AppContext): (() => void) => {
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
