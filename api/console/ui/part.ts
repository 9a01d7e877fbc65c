/** Loads one part of the page: a failed load is forgotten, and a part of an earlier build reloads the page once. Used by lazy.tsx. */
import type { ComponentType } from 'react';

/** unreachable: the part could not be loaded. outdated: the server has another build, which has no such part. */
type PartState<P> = 'waiting' | 'unreachable' | 'outdated' | { readonly Component: ComponentType<P> };

interface Part<P> {
  state(): PartState<P>;
  subscribe(listener: () => void): () => void;
  /** Loads the part if it can be had; a failure changes nothing. */
  preload(): void;
  /** Loads the part, which is to be shown now. */
  need(): Promise<void>;
}

const reloadedKey = 'console.reloaded';
/** Another build within this time after a reload is no deploy but a loop, in ms. */
const reloadEveryMs = 60_000;

/** Returns whether the server has another build than this page is of; false when it can't be asked. */
const isOutdated = async (): Promise<boolean> => {
  const script = document.querySelector('script[src*="/assets/main-"]')?.getAttribute('src');
  try {
    const page = await fetch(location.href, { headers: { accept: 'text/html' }, cache: 'no-store' });
    return page.ok && script != null && !(await page.text()).includes(script);
  } catch {
    return false;
  }
};

const isTyping = (): boolean => {
  const focused = document.activeElement;
  return (
    (focused instanceof HTMLInputElement || focused instanceof HTMLTextAreaElement) &&
    focused.value !== '' &&
    !focused.disabled
  );
};

/** Reloads the page, unless it has just been reloaded or somebody types: a reload would take the cursor away. */
const reloadOnce = (): void => {
  const last = Number(sessionStorage.getItem(reloadedKey) ?? 0);
  if (Date.now() - last <= reloadEveryMs || isTyping()) return;
  sessionStorage.setItem(reloadedKey, String(Date.now()));
  location.reload();
};

/** `isOptional`: nothing is said and nothing reloaded for it. */
export const createPart = <P>(load: () => Promise<ComponentType<P>>, isOptional: boolean): Part<P> => {
  let state: PartState<P> = 'waiting';
  let loading: Promise<void> | null = null;
  const listeners = new Set<() => void>();
  const set = (next: PartState<P>): void => {
    state = next;
    for (const listener of listeners) listener();
  };
  const request = (): Promise<void> =>
    (loading ??= load().then(
      (Component) => set({ Component }),
      (error: unknown) => {
        loading = null;
        throw error;
      },
    ));
  return {
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    preload: () => void request().catch(() => undefined),
    need: async () => {
      if (typeof state === 'object') return;
      if (state !== 'waiting') set('waiting');
      try {
        await request();
      } catch {
        const outdated = !isOptional && (await isOutdated());
        if (outdated) reloadOnce();
        set(outdated ? 'outdated' : 'unreachable');
      }
    },
  };
};
