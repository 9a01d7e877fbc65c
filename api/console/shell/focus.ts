/** Where the focus goes when what had it is gone: to the list or the item, and after a sign-in back to where it was. Used by Shell, the inbox and the composer. */
import { useEffect } from 'react';
import { isInDialog, isTyping } from './keyboard.ts';

/** ms that a dialog may take to hand the focus back. */
const handingMs = 60;

/** Keeps the focus of who works by keyboard on the page: what a key closes, sends or leaves hands it to the list or the item. */
export const useFocusHome = (): void => {
  useEffect(() => {
    let byKey = false;
    let timer = 0;
    const look = (): void => {
      if (byKey && document.activeElement === document.body && !isInDialog()) focusWork();
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

const isShown = (place: HTMLElement | null): place is HTMLElement => place?.checkVisibility() === true;

/** Puts the focus on the list of the page, else on the item that hides it, else on the page. */
export const focusWork = (): void => {
  for (const selector of ['.rows', '.detail-body', '#content']) {
    const place = document.querySelector<HTMLElement>(selector);
    if (!isShown(place)) continue;
    if (!place.hasAttribute('tabindex')) {
      // Only for now: a click on the page would focus it too, and a dialog would hand the focus to its first control.
      place.tabIndex = -1;
      place.addEventListener('blur', () => place.removeAttribute('tabindex'), { once: true });
    }
    place.focus({ preventScroll: true });
    if (selector === '#content') goOnOnceDrawn(place);
    return;
  }
};

/** Takes the focus from the page to the list as soon as that is drawn, unless it is elsewhere by then. */
const goOnOnceDrawn = (page: HTMLElement): void => {
  const drawn = new MutationObserver(() => {
    if (isShown(document.querySelector<HTMLElement>('.rows'))) focusWork();
  });
  drawn.observe(page, { childList: true, subtree: true });
  page.addEventListener('blur', () => drawn.disconnect(), { once: true });
};

type TextField = HTMLInputElement | HTMLTextAreaElement;

interface Place {
  readonly tag: string;
  /** What the element is and is called: the page is drawn anew, and has another element then. */
  readonly name: string;
  /** Its place among those of the same name. */
  readonly at: number;
  readonly selection: readonly [number, number, 'forward' | 'backward' | 'none'] | null;
}

/** ms that the page may take to draw the element again. */
const drawnMs = 15_000;

let left: Place | null = null;

const isTextField = (element: Element): element is TextField =>
  element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement;

/** Returns what an element is and is called. */
const nameOf = (element: HTMLElement): string => {
  const attributes = ['type', 'role', 'name', 'aria-label', 'placeholder'].map((name) => element.getAttribute(name));
  const labels = isTextField(element) ? [...(element.labels ?? [])].map((label) => label.textContent) : [];
  return JSON.stringify([element.tagName, attributes, labels, isTextField(element) ? '' : element.textContent]);
};

const alike = (name: string, tag: string): HTMLElement[] =>
  [...document.querySelectorAll<HTMLElement>(tag)].filter((element) => nameOf(element) === name);

/** Remembers which element has the focus, before the page gives way to the sign-in. */
export const noteFocus = (): void => {
  const { activeElement: element } = document;
  // The sign-in has it already when several calls end the session.
  if (!(element instanceof HTMLElement) || element === document.body || element.closest('.sign-in') !== null) return;
  const name = nameOf(element);
  const field = isTextField(element) && element.selectionStart !== null ? element : null;
  left = {
    tag: element.tagName,
    name,
    at: alike(name, element.tagName).indexOf(element),
    selection:
      field === null ? null : [field.selectionStart ?? 0, field.selectionEnd ?? 0, field.selectionDirection ?? 'none'],
  };
};

/** Returns whether the focus is given back, or need not be: the person is somewhere else already. */
const giveBack = ({ tag, name, at, selection }: Place): boolean => {
  if (isTyping(document.activeElement) || isInDialog()) return true;
  const element = alike(name, tag)[at];
  if (element === undefined) return false;
  element.focus();
  if (selection !== null && isTextField(element)) element.setSelectionRange(...selection);
  return true;
};

/** Gives the focus back as soon as its place is drawn. */
export const useFocusBack = (): void => {
  useEffect(() => {
    const place = left;
    left = null;
    if (place === null || giveBack(place)) return;
    const stop = (): void => {
      drawn.disconnect();
      window.clearTimeout(timer);
      window.removeEventListener('pointerdown', stop, true);
    };
    const drawn = new MutationObserver(() => giveBack(place) && stop());
    drawn.observe(document.body, { childList: true, subtree: true });
    const timer = window.setTimeout(stop, drawnMs);
    window.addEventListener('pointerdown', stop, true);
    return stop;
  }, []);
};
