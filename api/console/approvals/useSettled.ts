/** Blocks decisions until the request that follows a decided one has been on screen for a moment, so that no click or key meant for the former decides it. Used by ApprovalsPage. */
import { useEffect } from 'react';
import { isTyping } from '../shell/keyboard.ts';

/** Milliseconds on screen before a request can be decided: longer than a double click, and than a pause in typing. */
const settleMs = 600;

/** Time from which decisions are taken, as of `performance.now()`; Infinity: the next request is not on screen yet. Kept outside the component, which the queue without an open request unmounts. */
let decidedFrom = 0;

const isSettled = (): boolean => performance.now() >= decidedFrom;

/** Begins the time on screen of the next request, if it is waited for. */
const beginToSettle = (): void => {
  if (decidedFrom === Infinity) decidedFrom = performance.now() + settleMs;
};

/** Stops a character that is typed outside a field from being a command; each one prolongs the wait. */
const swallow = (event: KeyboardEvent): void => {
  const { key, ctrlKey, metaKey, altKey, target } = event;
  if (isSettled()) {
    window.removeEventListener('keydown', swallow, true);
    return;
  }
  const isElsewhere =
    isTyping(target) || (target instanceof Element && target.closest(':is(button,a,[role=dialog])') !== null);
  if (key.length > 1 || ctrlKey || metaKey || altKey || isElsewhere) return;
  event.preventDefault();
  if (decidedFrom !== Infinity) decidedFrom = performance.now() + settleMs;
};

/** Blocks decisions until the next request has been on screen for `settleMs`. */
const hold = (): void => {
  decidedFrom = Infinity;
  window.removeEventListener('keydown', swallow, true);
};

/** Does the same after a key that ended a note, and stops the letters that are typed on from being commands. */
const holdTyping = (): void => {
  decidedFrom = Infinity;
  window.addEventListener('keydown', swallow, true);
};

const release = (): void => {
  decidedFrom = 0;
};

/** `id`: of the request that is to be on screen; `shown`: of the one that is, or that can’t be read. */
export const useSettled = (id: string | null, shown: string | null | undefined) => {
  useEffect(() => {
    if (shown === id) beginToSettle();
  }, [shown, id]);
  useEffect(() => beginToSettle, []);
  return { isSettled, hold, holdTyping, release };
};
