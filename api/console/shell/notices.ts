/** Short messages at the foot of the page, with what can be done about them; made by changes, shown by Notices.tsx. */
import { useSyncExternalStore } from 'react';
import { shellTexts } from './texts.ts';

interface Notice {
  readonly id: number;
  readonly tone: 'done' | 'failed';
  readonly text: string;
  /** The code of the API's error. */
  readonly code: string | null;
  readonly action: { readonly label: string; readonly key: string | null; run(): void } | null;
}

export interface Notices {
  show(notice: Omit<Notice, 'id' | 'code' | 'action'> & Partial<Pick<Notice, 'code' | 'action'>>): number;
  dismiss(id: number): void;
  list(): readonly Notice[];
  subscribe(listener: () => void): () => void;
  /** Remembers how the last change is undone. */
  remember(undo: () => void): void;
  /** Undoes the last change that can be; says so when there is none. */
  undo(): void;
}

const shownMs = { done: 6_000, failed: 14_000 } as const;
const shownMost = 3;
const rememberedMost = 50;

/** The key undoes the last change only, so that no earlier notice may offer it. */
const withoutUndo = (notices: readonly Notice[]): Notice[] =>
  notices.map((notice) => (notice.action?.key === 'u' ? { ...notice, action: null } : notice));

export const createNotices = (): Notices => {
  let notices: readonly Notice[] = [];
  let count = 0;
  const undos: (() => void)[] = [];
  const listeners = new Set<() => void>();
  const set = (next: readonly Notice[]): void => {
    notices = next;
    for (const listener of listeners) listener();
  };
  const dismiss = (id: number): void => {
    if (notices.some((notice) => notice.id === id)) set(notices.filter((notice) => notice.id !== id));
  };
  const show: Notices['show'] = (notice) => {
    count += 1;
    const id = count;
    const before = notice.action?.key === 'u' ? withoutUndo(notices) : notices;
    set([...before.slice(1 - shownMost), { code: null, action: null, ...notice, id }]);
    window.setTimeout(dismiss, shownMs[notice.tone], id);
    return id;
  };
  return {
    show,
    dismiss,
    list: () => notices,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    remember: (undo) => {
      undos.push(undo);
      if (undos.length > rememberedMost) undos.shift();
    },
    undo: () => {
      const last = undos.pop();
      set(notices.filter(({ action }) => action?.key !== 'u'));
      if (last === undefined) show({ tone: 'done', text: shellTexts.nothingToUndo });
      else last();
    },
  };
};

export const useNotices = (notices: Notices): readonly Notice[] =>
  useSyncExternalStore(notices.subscribe, notices.list);
