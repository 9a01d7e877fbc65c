/** Tells the apps whose sockets this process holds of flags that have changed, as soon as it knows it itself. */
import { flagView } from '../../shared/flags/model.ts';
import type { AppContext } from './context.ts';

/** Answers how to end it. */
export const startFlagNotifications = ({ deps, sockets }: AppContext): (() => void) => {
  const { flags, directory, clock, log } = deps;
  const tell = async (number: number, keys: readonly string[]): Promise<void> => {
    const env = directory.environmentById(number);
    if (env === undefined) return;
    for (const key of keys) {
      const held = await flags.get(env, key);
      if (held === undefined) continue;
      const params = JSON.stringify({ flag: flagView(held.flag, clock.now()) });
      for (const socket of sockets.of(number)) socket.sendNotification('flags.changed', params);
    }
  };
  return flags.onChange((number, keys) => {
    if (sockets.of(number).length === 0) return;
    tell(number, keys).catch((error: unknown) => {
      log.warn({ err: error }, 'an app could not be told of a flag');
    });
  });
};
