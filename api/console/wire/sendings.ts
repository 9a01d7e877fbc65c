/**
 * Requests under way by the draft that each is made of, and their failures; they outlive the component that sent them, and what is not
 * known to have ended also a reload. Used by useWriting and useActionCall.
 */
import { useSyncExternalStore } from 'react';
import { newIdempotencyKey } from './http.ts';
import { parsed } from './json.ts';
import { createListeners } from './listeners.ts';

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

/** Where the text and the key of a sending are kept whose end is not known. */
const keptAs = (draft: string): string => `${draft}.sent`;

/** For so many ms the same text is the same message after a reload; later it may be meant as another. */
const keptMs = 15 * 60_000;

interface Kept extends Pick<Sending, 'text' | 'key'> {
  readonly at: number;
}

/** Where texts are kept over a reload, each under a key; an empty one is forgotten. */
interface Drafts {
  readonly read: (key: string) => string;
  readonly write: (key: string, text: string) => void;
}

/** Returns what was sent from a draft before a reload and may have been taken; undefined: nothing. */
const readKept = ({ read }: Drafts, draft: string): Kept | undefined => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `begin` wrote; undefined where it can't be read
  const kept = parsed(read(keptAs(draft))) as Kept | undefined;
  return Date.now() - (kept?.at ?? 0) < keptMs ? kept : undefined;
};

export const createSendings = (drafts: Drafts): Sendings => {
  const sendings = new Map<string, Sending>();
  const { subscribe, tell } = createListeners();
  return {
    of: (draft) => sendings.get(draft) ?? null,
    begin: (draft, text) => {
      const former = sendings.get(draft) ?? readKept(drafts, draft);
      const key = former?.text === text ? former.key : newIdempotencyKey();
      drafts.write(keptAs(draft), JSON.stringify({ text, key, at: Date.now() } satisfies Kept));
      sendings.set(draft, { text, key, isUnderWay: true, problem: null });
      tell();
      return key;
    },
    take: (draft) => {
      sendings.delete(draft);
      drafts.write(keptAs(draft), '');
      tell();
    },
    refuse: (draft, problem, isOpen) => {
      if (!isOpen) drafts.write(keptAs(draft), '');
      const { text = '', key = '' } = (isOpen ? sendings.get(draft) : undefined) ?? {};
      sendings.set(draft, { text, key, isUnderWay: false, problem });
      tell();
    },
    subscribe,
  };
};

/** Returns what was last sent from a draft, and follows it. */
export const useSending = (sendings: Sendings, draft: string): Sending | null =>
  useSyncExternalStore(sendings.subscribe, () => sendings.of(draft));
