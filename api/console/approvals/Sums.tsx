/** The amounts of the record that a request is for, as they are now: what is asked for may be all of it, and then names no amount. Used by the queue, Decision and Verdict. */
import { isObject } from '../content/values.ts';
import { inRow } from '../ui/plural.ts';
import type { Approval } from '../wire/types.ts';
import { requestTexts } from './requestTexts.tsx';
import { useWords } from './useWords.ts';

/** Returns such as "Total 129 EUR"; empty: the record has no amounts, there is none, or nothing waits for a decision any more. */
export const useSums = (approval: Approval): string => {
  const { sumsOf } = useWords(approval);
  const { status, resource, record, now } = approval;
  if (status !== 'pending' || resource === null || record === null || !isObject(now) || !isObject(now['fields']))
    return '';
  return inRow(sumsOf(now['fields']).map(({ label, text }) => requestTexts.sum(label, text)));
};

export const Sums = ({ approval }: { readonly approval: Approval }) => {
  const sums = useSums(approval);
  return sums === '' ? null : <p dir="auto">{sums}</p>;
};
