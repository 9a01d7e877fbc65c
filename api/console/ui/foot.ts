/** Tells the style sheet how high a foot of the page is, so that notices stand above it. Used by the composer and the selection. */
import { useCallback } from 'react';

/** Returns the ref of the foot; `name`: the custom property that has its height. */
export const useFoot = (
  name: '--composer' | '--selection',
): ((place: HTMLElement | null) => (() => void) | undefined) =>
  useCallback(
    (place) => {
      if (place === null) return undefined;
      const { style } = document.documentElement;
      const sizes = new ResizeObserver(() => style.setProperty(name, `${String(place.offsetHeight)}px`));
      sizes.observe(place);
      return () => {
        sizes.disconnect();
        style.removeProperty(name);
      };
    },
    [name],
  );
