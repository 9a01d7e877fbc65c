/** Short messages at the foot of the page, with what can be done about them; made by changes, shown by Shell.tsx. */
import { useSyncExternalStore } from 'react';
import { uiTexts } from '../ui/texts.tsx';
import { messageOf } from '../wire/apiError.ts';
import { createListeners } from '../wire/listeners.ts';
import { shellTexts } from './texts.tsx';

interface NoticeAction {
  readonly label: string;
  readonly key: string | null;
  run(): void;
}

interface Notice {
  readonly id: number;
  readonly tone: 'done' | 'failed';
  readonly text: string;
  /** The code of the API's error, for who looks for it. */
  readonly code: string | null;
  readonly actions: readonly NoticeAction[];
  /** What stands against what, a line each. */
  readonly facts: readonly (readonly [of: string, fact: string])[];
}

type Optional = 'code' | 'actions' | 'facts';

export interface Notices {
  show(notice: Omit<Notice, 'id' | Optional> & Partial<Pick<Notice, Optional>>): number;
  /** Shows a notice of success, with a button that takes back what was done. */
  done(text: string, undo?: () => void): void;
  /** Shows a notice of failure: the given sentence, or the sentence of the error. */
  failed(why: unknown): void;
  /** Returns what `work` resolves with; null: it failed, which a notice says. */
  attempt<T>(work: () => Promise<T>): Promise<T | null>;
  dismiss(id: number): void;
  list(): readonly Notice[];
  subscribe(listener: () => void): () => void;
  /** Remembers how the last change is undone. Returns the function that forgets it. */
  remember(undo: () => void): () => void;
  /** Undoes the last change that can be; says so when there is none. */
  undo(): void;
}

const shownMs = { done: 6_000, failed: 14_000 } as const;
const shownMost = 2;
const rememberedMost = 50;

/** Returns whether a notice stays until somebody has decided: which of two changes holds, or whether one that failed is made again. */
const isOpen = ({ tone, facts, actions }: Omit<Notice, 'id'>): boolean =>
  facts.length > 0 || (tone === 'failed' && actions.length > 0);

const offersUndo = ({ actions }: Pick<Notice, 'actions'>): boolean => actions.some(({ key }) => key === 'u');

/** The key undoes the last change only, so that no earlier notice may offer it. */
const withoutUndo = (notices: readonly Notice[]): Notice[] =>
  notices.map((notice) => (offersUndo(notice) ? { ...notice, actions: [] } : notice));

/** Returns those that stay when one more comes: what waits for a decision, and the newest others. */
const roomFor = (notices: readonly Notice[]): Notice[] => {
  const passing = notices.filter((notice) => !isOpen(notice));
  const leaving = new Set(passing.slice(0, Math.max(0, notices.length + 1 - shownMost)));
  return notices.filter((notice) => !leaving.has(notice));
};

export const createNotices = (): Notices => {
  let notices: readonly Notice[] = [];
  let count = 0;
  const undos: (() => void)[] = [];
  const listeners = createListeners();
  const set = (next: readonly Notice[]): void => {
    notices = next;
    listeners.tell();
  };
  const dismiss = (id: number): void => {
    if (notices.some((notice) => notice.id === id)) set(notices.filter((notice) => notice.id !== id));
  };
  const show: Notices['show'] = (given) => {
    count += 1;
    const notice: Notice = { code: null, actions: [], facts: [], ...given, id: count };
    set([...roomFor(offersUndo(notice) ? withoutUndo(notices) : notices), notice]);
    if (!isOpen(notice)) window.setTimeout(dismiss, shownMs[notice.tone], notice.id);
    return notice.id;
  };
  const done: Notices['done'] = (text, undo) =>
    void show({
      tone: 'done',
      text,
      actions: undo === undefined ? [] : [{ label: uiTexts.undo, key: 'u', run: undo }],
    });
  const failed = (why: unknown): null => {
    show({ tone: 'failed', text: messageOf(why) });
    return null;
  };
  return {
    show,
    done,
    failed: (why) => void failed(why),
    attempt: (work) => work().catch(failed),
    dismiss,
    list: () => notices,
    subscribe: listeners.subscribe,
    remember: (undo) => {
      undos.push(undo);
      if (undos.length > rememberedMost) undos.shift();
      return () => {
        const place = undos.indexOf(undo);
        if (place !== -1) undos.splice(place, 1);
      };
    },
    undo: () => {
      const last = undos.pop();
      set(notices.filter((notice) => !offersUndo(notice)));
      if (last === undefined) done(shellTexts.nothingToUndo);
      else last();
    },
  };
};

export const useNotices = (notices: Notices): readonly Notice[] =>
  useSyncExternalStore(notices.subscribe, notices.list);
