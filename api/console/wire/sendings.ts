/** Requests under way by the draft that each is made of, and their failures; they outlive the component that sent them. Used by useWriting and useActionCall. */
import { useSyncExternalStore } from 'react';
import { newIdempotencyKey } from './http.ts';

interface Sending {
  /** Body of the request, as JSON. */
  readonly text: string;
  /** The idempotency key: the same text sent again is the same message. */
  readonly key: string;
  readonly isUnderWay: boolean;
  /** Why it was not taken; null: it was, or nobody knows yet. */
  readonly problem: string | null;
}

export interface Sendings {
  /** Returns what was last sent from a draft; null: nothing, or it was taken. */
  of(draft: string): Sending | null;
  /** Begins to send a text, and returns its key. */
  begin(draft: string, text: string): string;
  /** Ends it as taken. */
  take(draft: string): void;
  /** Ends it as not taken; `isOpen`: for all that is known it may have been, so that the same text keeps its key. */
  refuse(draft: string, problem: string, isOpen: boolean): void;
  subscribe(listener: () => void): () => void;
}

export const createSendings = (): Sendings => {
  const sendings = new Map<string, Sending>();
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    of: (draft) => sendings.get(draft) ?? null,
    begin: (draft, text) => {
      const former = sendings.get(draft);
      const key = former?.text === text ? former.key : newIdempotencyKey();
      sendings.set(draft, { text, key, isUnderWay: true, problem: null });
      tell();
      return key;
    },
    take: (draft) => {
      sendings.delete(draft);
      tell();
    },
    refuse: (draft, problem, isOpen) => {
      const { text = '', key = '' } = (isOpen ? sendings.get(draft) : undefined) ?? {};
      sendings.set(draft, { text, key, isUnderWay: false, problem });
      tell();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
};

/** Returns what was last sent from a draft, and follows it. */
export const useSending = (sendings: Sendings, draft: string): Sending | null =>
  useSyncExternalStore(sendings.subscribe, () => sendings.of(draft));
