/** What the input of a request leaves out, with what its schema says of that: the absence of an amount may mean all of it. Used by the queue, Decision and Verdict. */
import type { Approval } from '../wire/types.ts';
import { requestTexts } from './requestTexts.tsx';
import { useWords } from './useWords.ts';

/** Returns such as "Amount: left out. Absent: all of it"; those of which nothing is said are told among the input. */
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
