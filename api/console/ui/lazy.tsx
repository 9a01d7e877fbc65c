/** Parts of the page that are loaded when they are needed, or when the browser has nothing else to do, and what stands in the place of one that could not be; two dialogs that many pages have are among them. Used for dialogs and pages. */
import { type ComponentType, type JSX, useEffect, useSyncExternalStore } from 'react';
import { createListeners } from '../wire/listeners.ts';
import { Button } from './Button.tsx';
import { uiTexts } from './texts.tsx';

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
const createPart = <P,>(load: () => Promise<ComponentType<P>>, isOptional: boolean): Part<P> => {
  let state: PartState<P> = 'waiting';
  let loading: Promise<void> | null = null;
  const listeners = createListeners();
  const set = (next: PartState<P>): void => {
    state = next;
    listeners.tell();
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
    subscribe: listeners.subscribe,
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

interface PartProblemProps {
  /** Whether the server has another build of the console. */
  readonly isOutdated: boolean;
  readonly onRetry: () => void;
  /** Of a dialog; undefined: the part is none. */
  readonly onClose: (() => void) | undefined;
}

/** What stands in the place of a part that could not be loaded: why, and what to do. */
const PartProblem = ({ isOutdated, onRetry, onClose }: PartProblemProps) => (
  <div className={onClose === undefined ? 'empty' : 'part-problem'} role="alert">
    <h2>{isOutdated ? uiTexts.outdated : uiTexts.notLoaded}</h2>
    <p>{isOutdated ? uiTexts.outdatedAbout : uiTexts.notLoadedAbout}</p>
    <p>
      {isOutdated ? (
        <Button tone="main" onClick={() => location.reload()}>
          {uiTexts.reload}
        </Button>
      ) : (
        <Button tone="main" onClick={onRetry}>
          {uiTexts.tryAgain}
        </Button>
      )}
      {onClose !== undefined && <Button onClick={onClose}>{uiTexts.close}</Button>}
    </p>
  </div>
);

const whenIdle = (work: () => void): void => {
  if ('requestIdleCallback' in window) window.requestIdleCallback(work, { timeout: 2_000 });
  else setTimeout(work, 1_000);
};

interface LaterOptions<P> {
  /** Stands in the part's place until it is loaded. */
  readonly Meanwhile?: ComponentType<P>;
  /** Whether `Meanwhile` serves as well: then it stays when the part can't be loaded. */
  readonly isOptional?: boolean;
}

/** Returns the function that closes a part, for parts that have one: dialogs. */
const closeOf = (props: object): (() => void) | undefined => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what has a property of this name is a dialog
  const { onClose } = props as { readonly onClose?: () => void };
  return onClose;
};

/** Returns a component that is loaded soon after the page has been shown; a part that fails says so in its own place. */
export const loadedLater = <P extends object>(
  load: () => Promise<ComponentType<P>>,
  { Meanwhile, isOptional = false }: LaterOptions<P> = {},
): ((props: P & JSX.IntrinsicAttributes) => JSX.Element | null) => {
  const part = createPart(load, isOptional);
  whenIdle(part.preload);
  return function Later(props) {
    const state = useSyncExternalStore(part.subscribe, part.state);
    useEffect(() => void part.need(), []);
    if (typeof state === 'object') return <state.Component {...props} />;
    if (state !== 'waiting' && !isOptional)
      return (
        <PartProblem isOutdated={state === 'outdated'} onRetry={() => void part.need()} onClose={closeOf(props)} />
      );
    return Meanwhile === undefined ? null : <Meanwhile {...props} />;
  };
};

/** A list to choose from by typing: states, people, tags, snooze times, and the palette of commands. */
export const Picker = loadedLater(async () => (await import('./PickerDialog.tsx')).PickerDialog);

/** The dialog that prompts for a reason. */
export const Ask = loadedLater(async () => (await import('./AskDialog.tsx')).AskDialog);
