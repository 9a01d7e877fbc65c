/** Keeps what was not meant for it from the request that follows a decided one: clicks and keys that come too early, and the rest of what is typed after a note has ended. Used by ApprovalsPage. */
import { useEffect } from 'react';
import { isTyping } from '../shell/keyboard.ts';

/** Milliseconds for which a request that has followed a decided one is on screen before it can be decided: the rest of what was typed, and the second half of a double click, are not meant for it. */
const settleMs = 600;

/** Until when (`performance.now()`) nothing is decided; Infinity: until what follows is on screen. It outlives the page of a request: the queue without an open one is another page. */
let decidedFrom = 0;

const isSettled = (): boolean => performance.now() >= decidedFrom;

/** Begins the time on screen of what has followed, if anything waits for it. */
const beginToSettle = (): void => {
  if (decidedFrom === Infinity) decidedFrom = performance.now() + settleMs;
};

/** Takes a sign that is typed nowhere from all commands of the page, and waits for the end of the typing. */
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

/** Lets nothing be decided until what follows has been on screen for a moment. */
const hold = (): void => {
  decidedFrom = Infinity;
  window.removeEventListener('keydown', swallow, true);
};

/** The same after a key that ended a note; also no letter is a command before the typing has paused. */
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
