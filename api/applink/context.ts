/** The dependencies, sockets and times that the files of this folder share. */
import type { LocalSockets } from '../../shared/app/link/localConnections.ts';
import { linkLimits } from '../../shared/app/link/protocol.ts';
import type { Deps } from '../../shared/deps.ts';

/** Runs `work` once every earlier registration of the environment has ended. Throws the signal’s reason, and runs nothing, when it is aborted by then. */
type RegistrationTurns = <T>(envId: number, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

export const createRegistrationTurns = (): RegistrationTurns => {
  /** By environment, the end of the registration that came last. It never rejects. */
  const ends = new Map<number, Promise<unknown>>();
  return async (envId, signal, work) => {
    const before = ends.get(envId) ?? Promise.resolve();
    const done = before.then(() => {
      signal.throwIfAborted();
      return work();
    });
    const end = done.catch(() => undefined);
    ends.set(envId, end);
    try {
      return await done;
    } finally {
      if (ends.get(envId) === end) ends.delete(envId);
    }
  };
};

/** In milliseconds. Tests set shorter times. */
export interface AppTimes {
  /** Between pings, and between renewals of the presence rows. */
  readonly heartbeatMs: number;
  /** A socket from which nothing came for this long is ended. */
  readonly goneMs: number;
  /** From the upgrade to `app.register`. */
  readonly registerMs: number;
  /** From a close frame to the end of the connection, for an app that doesn't answer it. */
  readonly graceMs: number;
}

export const appTimes: AppTimes = {
  heartbeatMs: linkLimits.heartbeatMs,
  goneMs: linkLimits.goneMs,
  registerMs: 10_000,
  graceMs: 1_500,
};

export interface AppContext {
  readonly deps: Deps;
  readonly sockets: LocalSockets;
  readonly times: AppTimes;
  readonly turns: RegistrationTurns;
}
