/** Keeps the focus of who works by keyboard on the page: what a key closes, sends or leaves hands it to the list or the item. Used by Shell. */
import { useEffect } from 'react';
import { focusWork } from '../ui/focus.ts';

const isOpen = (): boolean => document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null;

/** ms that a dialog may take to hand the focus back. */
const handingMs = 60;

export const useFocusHome = (): void => {
  useEffect(() => {
    let byKey = false;
    let timer = 0;
    const look = (): void => {
      if (byKey && document.activeElement === document.body && !isOpen()) focusWork();
    };
    const lookSoon = (): void => {
      window.clearTimeout(timer);
      timer = window.setTimeout(look, handingMs);
    };
    const key = (): void => {
      byKey = true;
      lookSoon();
    };
    const pointer = (): void => {
      byKey = false;
    };
    // A dialog that goes with the focus in it says nothing of it.
    const gone = new MutationObserver(lookSoon);
    gone.observe(document.body, { childList: true });
    window.addEventListener('keydown', key, true);
    window.addEventListener('pointerdown', pointer, true);
    window.addEventListener('focusout', lookSoon);
    return () => {
      gone.disconnect();
      window.clearTimeout(timer);
      window.removeEventListener('keydown', key, true);
      window.removeEventListener('pointerdown', pointer, true);
      window.removeEventListener('focusout', lookSoon);
    };
  }, []);
};
