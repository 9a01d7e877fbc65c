/** The client's events; a listener that throws is told of and disturbs nobody. */
import type { Json } from '../applink/protocol.ts';
import { LinkProblem } from './problems.ts';

export interface ClientEvents {
  readonly online: { readonly environment: string };
  readonly offline: Readonly<Record<string, never>>;
  readonly registered: {
    readonly environment: string;
    readonly connection: string;
    readonly warnings: readonly string[];
  };
  readonly error: LinkProblem;
  /** A flag was changed; as `GET /flags/:flag` shows it. */
  readonly flag: Json;
}
type Listener<E extends keyof ClientEvents> = (event: ClientEvents[E]) => unknown;

export interface Emitter {
  /** Answers how to stop listening. */
  on<E extends keyof ClientEvents>(event: E, listener: Listener<E>): () => void;
  emit<E extends keyof ClientEvents>(event: E, value: ClientEvents[E]): void;
}

/** `fallback` is told of problems that nobody listens to. */
export const createEmitter = (fallback: (problem: LinkProblem) => void): Emitter => {
  const listeners = new Map<keyof ClientEvents, Set<Listener<never>>>();

  const failed = (event: keyof ClientEvents, cause: unknown): void => {
    // A listener for problems that fails itself must not be told of its failure.
    if (event === 'error') return;
    emit('error', new LinkProblem('listener', `A listener for ${event} failed.`, { cause }));
  };

  const emit: Emitter['emit'] = (event, value) => {
    const all = [...(listeners.get(event) ?? [])] as Listener<typeof event>[];
    if (event === 'error' && all.length === 0) {
      try {
        fallback(value as LinkProblem);
      } catch {
        // There is nobody left to tell.
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
