/** Gives the focus back to where somebody was when their session ended, with what was selected, once they have signed in again. Used by Shell. */
import { useEffect } from 'react';
import { isInDialog, isTyping } from './keyboard.ts';

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
