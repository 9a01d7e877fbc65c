/** The figures that a request is about: the numbers that it gives, then the amounts of its record as they are now, as what is asked for may be all of it. Used by the queue, Decision, Verdict and RequestLine. */
import { useQuery } from '@tanstack/react-query';
import { legible } from '../content/legible.ts';
import { shownAs } from '../content/shown.ts';
import { isObject } from '../content/values.ts';
import { useSession } from '../shell/session.ts';
import { toWords } from '../ui/words.ts';
import { resourcesQuery } from '../wire/actionQueries.ts';
import type { Approval } from '../wire/types.ts';
import { requestTexts } from './requestTexts.tsx';
import { useWords } from './useWords.ts';

/** Returns the amounts of the record, such as "Order total 129 EUR"; none: it has no amounts, there is no record, or nothing waits for a decision any more. */
const useAmounts = ({ status, resource, record, now }: Approval): readonly string[] => {
  const { http } = useSession();
  const fields = status === 'pending' && record !== null && isObject(now) ? now['fields'] : undefined;
  const { data: resources } = useQuery({ ...resourcesQuery(http), enabled: isObject(fields) });
  if (!isObject(fields) || resource === null) return [];
  const declared = resources?.find(({ name }) => name === resource)?.fields ?? [];
  return declared
    .filter(({ name, type }) => type === 'money' && typeof fields[name] === 'number')
    .map(({ name, label, type }) =>
      requestTexts.sum(legible(toWords(resource)), legible(label), shownAs(type, fields[name], fields['currency'])),
    );
};

/** Returns the figures of a request, such as "Amount 5" and "Order total 129 EUR". */
export const useFigures = (approval: Approval): readonly string[] => {
  const { status, input, operation } = approval;
  const { input: inputOfBulk }: { readonly input?: unknown } = operation ?? {};
  const { inputOf } = useWords(approval);
  const amounts = useAmounts(approval);
  const given: Readonly<Record<string, unknown>> = { ...(isObject(inputOfBulk) ? inputOfBulk : input) };
  const numbers = status === 'pending' ? inputOf(given).filter(({ name }) => typeof given[name] === 'number') : [];
  return [...numbers.map(({ label, text }) => requestTexts.figure(label, text)), ...amounts];
};

/** Returns figures in a row; empty: there are none. */
export const figuresText = (figures: readonly string[]): string => figures.join(' · ');

export const Sums = ({ approval }: { readonly approval: Approval }) => {
  const figures = figuresText(useFigures(approval));
  return figures === '' ? null : <p dir="auto">{figures}</p>;
};
