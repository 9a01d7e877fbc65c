/** Which request opens after a decided one. Used by ApprovalsPage. */
import type { Approval } from '../wire/types.ts';

/**
 * Returns the other requests of a queue in the order in which they may follow one of it: those after it, then those
 * before it, the nearest first; those that the person may not decide come last.
 */
export const followersOf = (queue: readonly Approval[], id: string): readonly Approval[] => {
  const at = queue.findIndex((each) => each.id === id);
  const others = [...queue.slice(at + 1), ...queue.slice(0, Math.max(0, at)).toReversed()];
  return [
    ...others.filter(({ canDecide }) => canDecide.approve),
    ...others.filter(({ canDecide }) => !canDecide.approve),
  ];
};
