/** Work that waits until what has just changed is on screen: the change stands in the next frame, whatever follows it. Used by the commands of the inbox. */

/** Runs `work` after the next frame has been drawn. */
export const afterPaint = (work: () => void): void => {
  requestAnimationFrame(() => setTimeout(work));
};
