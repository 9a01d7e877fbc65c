/** Where the keyboard goes on when what had the focus is gone. Used by lists and by the shell. */

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
    return;
  }
};
