/** Keys and decisions that rest while another request takes the place of a decided one, so that no key or click meant for the former acts on it. Used by ApprovalsPage. */
import { useEffect, useLayoutEffect, useRef } from 'react';
import { isInDialog, isTyping } from '../shell/keyboard.ts';

/** Milliseconds without a key after which keys act again: longer than a pause in typing. */
const keysRestMs = 1_000;

/** Milliseconds on screen after which a request can be decided by a click: longer than a double click. */
const clicksRestMs = 600;

/** Times as of `performance.now()` from which keys and clicks act; Infinity: the next request is not on screen yet. Kept outside the component, which the queue without an open request unmounts. */
let keysFrom = 0;
let clicksFrom = 0;

/** The attribute of the page by which the hints of keys are dimmed. */
const mark = 'keys';

/** Dims the hints of keys until they act again. */
const showRest = (): void => {
  const { dataset } = document.documentElement;
  const left = keysFrom - performance.now();
  if (left <= 0) delete dataset[mark];
  else {
    dataset[mark] = 'resting';
    if (left !== Infinity) window.setTimeout(showRest, left);
  }
};

const modifiers: ReadonlySet<string> = new Set(['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'CapsLock']);

/** Stops a key that is typed outside a field from being a command; each key makes them rest anew. */
const swallow = (event: KeyboardEvent): void => {
  const { key, ctrlKey, metaKey, altKey, target, timeStamp } = event;
  if (timeStamp >= keysFrom) {
    window.removeEventListener('keydown', swallow, true);
    return;
  }
  if (modifiers.has(key) || isTyping(target) || isInDialog()) return;
  if (keysFrom !== Infinity) keysFrom = timeStamp + keysRestMs;
  const isPress = key === ' ' && target instanceof Element && target.closest('button,a') !== null;
  if (key.length === 1 && !ctrlKey && !metaKey && !altKey && !isPress) event.preventDefault();
};

/** Lets keys and clicks rest until `wake` is called. */
export const rest = (): void => {
  keysFrom = Infinity;
  clicksFrom = Infinity;
  window.addEventListener('keydown', swallow, true);
  showRest();
};

/** Begins the time after which they act again. */
export const wake = (): void => {
  const now = performance.now();
  if (clicksFrom === Infinity) clicksFrom = now + clicksRestMs;
  if (keysFrom !== Infinity) return;
  keysFrom = now + keysRestMs;
  showRest();
};

/** Returns whether a click decides. */
export const takesClicks = (): boolean => performance.now() >= clicksFrom;

/** Wakes keys and clicks as soon as the request is shown that is to be on screen. `id`: of that one; `shown`: of the one that is, or that can’t be read. */
export const useWaking = (id: string | null, shown: string | null | undefined): void => {
  useEffect(() => {
    if (id === null || shown === id) wake();
  }, [shown, id]);
  useEffect(() => wake, []);
};

/** Lets keys rest when the open request ends while it is on screen: what is typed as its note would be commands. `canDecide`: whether the person may decide it now. */
export const useRestAtEnd = (id: string | null, canDecide: boolean): void => {
  const last = useRef({ id, canDecide });
  useLayoutEffect(() => {
    const { current } = last;
    last.current = { id, canDecide };
    if (current.id !== id || !current.canDecide || canDecide || keysFrom === Infinity) return;
    rest();
    wake();
  }, [id, canDecide]);
};
