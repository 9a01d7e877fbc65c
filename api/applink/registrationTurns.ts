/** Lets one registration of an environment at a time be checked in this process; the others wait in turn. Made by index.ts for register.ts. */

/** Runs `work` once every earlier registration of the environment has ended. Throws the signal’s reason, and runs nothing, when it is aborted by then. */
export type RegistrationTurns = <T>(envId: number, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

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
