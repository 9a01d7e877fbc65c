/** The client's events and their emitter, for connect.ts. A listener that throws becomes an `error` event and stops no other. */
import type { ChangedFlag } from './flags.ts';
import { LinkProblem } from './problems.ts';

/** The events of `client.on`, each with what its listeners get. */
export interface ClientEvents {
  /** The service has accepted the app. */
  readonly online: { readonly environment: string };
  /** The connection has ended; the client connects again by itself. */
  readonly offline: Readonly<Record<string, never>>;
  /** As `online`; `warnings` name what the declarations retire or change. */
  readonly registered: {
    readonly environment: string;
    readonly connection: string;
    readonly warnings: readonly string[];
  };
  /** Something went wrong; the client retries where that can help. */
  readonly error: LinkProblem;
  /** A flag was changed, now or while the connection was gone; the flag as it is. */
  readonly flag: ChangedFlag;
}
type Listener<E extends keyof ClientEvents> = (event: ClientEvents[E]) => unknown;

export interface Emitter {
  /**
   * Calls `listener` at each `event`, and returns a function that removes the listener. The same listener is added once.
   *
   * @example
   * const stop = client.on('error', (problem) => log.warn(problem.message));
   */
  on<E extends keyof ClientEvents>(event: E, listener: Listener<E>): () => void;
  emit<E extends keyof ClientEvents>(event: E, value: ClientEvents[E]): void;
}

/** Returns an emitter that gives `fallback` the problems for which there is no listener. */
export const createEmitter = (fallback: (problem: LinkProblem) => void): Emitter => {
  /** A map, as apps without types may name events that don't exist. */
  const listeners = new Map<keyof ClientEvents, Set<Listener<never>>>();

  const failed = (event: keyof ClientEvents, cause: unknown): void => {
    // A failing listener for errors must not get its own failure, for ever.
    if (event === 'error') return;
    emit('error', new LinkProblem('listener', `A listener for ${event} failed.`, { cause }));
  };

  const emit: Emitter['emit'] = (event, value) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `on` adds listeners under their own event
    const all = [...(listeners.get(event) ?? [])] as Listener<typeof event>[];
    if (value instanceof LinkProblem && all.length === 0) {
      try {
        fallback(value);
      } catch {
        // No handler is left that could take it.
      }
    }
    for (const listener of all) {
      void (async () => listener(value))().catch((error: unknown) => {
        failed(event, error);
      });
    }
  };

  return {
    emit,
    on: (event, listener) => {
      const all = listeners.get(event) ?? new Set();
      listeners.set(event, all);
      all.add(listener);
      return () => void all.delete(listener);
    },
  };
};
