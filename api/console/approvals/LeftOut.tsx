/** Shows the members that a request's input leaves out, with their descriptions: an absent amount may mean all of it. Used by the queue, Decision and Verdict. */
import type { Approval } from '../wire/types.ts';
import { requestTexts } from './requestTexts.tsx';
import { useWords } from './useWords.ts';

/** Returns sentences such as "Amount: left out. Absent: all of it", one for each absent member with a description. */
export const useLeftOut = (approval: Approval): readonly string[] => {
  const { leftOutOf } = useWords(approval);
  return leftOutOf().flatMap(({ label, about }) => (about === null ? [] : [requestTexts.leftOut(label, about)]));
};

export const LeftOut = ({ approval }: { readonly approval: Approval }) =>
  useLeftOut(approval).map((text) => (
    <p key={text} dir="auto">
      {text}
    </p>
  ));
