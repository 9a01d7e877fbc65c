/** The figures that a request is about: the numbers that it gives, then the amounts of its record as they are now, and what its input leaves out. Used by the queue and the parts of a decision. */
import { useQuery } from '@tanstack/react-query';
import { currencyIn, isObject, legible, shownAs } from '../content/values.ts';
import { useSession } from '../shell/session.ts';
import { toWords } from '../ui/words.ts';
import { resourcesQuery } from '../wire/actionQueries.ts';
import type { Approval } from '../wire/types.ts';
import { requestTexts } from './texts.tsx';
import { useWords } from './useWords.ts';

/** Returns sentences such as "Amount: left out. Absent: all of it", one for each absent member with a description. */
export const useLeftOut = (approval: Approval): readonly string[] => {
  const { leftOutOf } = useWords(approval);
  return leftOutOf().flatMap(({ label, about }) => (about === null ? [] : [requestTexts.leftOut(label, about)]));
};

/** Shows the members that a request's input leaves out, with their descriptions: an absent amount may mean all of it. */
export const LeftOut = ({ approval }: { readonly approval: Approval }) =>
  useLeftOut(approval).map((text) => (
    <p key={text} dir="auto">
      {text}
    </p>
  ));

/** Returns the amounts among the fields of a record, such as "Order total 129 EUR"; none: it has no amounts, or they were not read. */
const useAmountsOf = (resource: string | null, fields: unknown): readonly string[] => {
  const { http } = useSession();
  const { data: resources } = useQuery({ ...resourcesQuery(http), enabled: isObject(fields) });
  if (!isObject(fields) || resource === null) return [];
  const declared = resources?.find(({ name }) => name === resource)?.fields ?? [];
  return declared
    .filter(({ name, type }) => type === 'money' && typeof fields[name] === 'number')
    .map(({ name, label, type, currency }) =>
      requestTexts.sum(
        legible(toWords(resource)),
        legible(label),
        shownAs(type, fields[name], currencyIn(currency, fields)),
      ),
    );
};

/** Returns the amounts of the record while its request waits for a decision. */
const useAmounts = ({ status, resource, record, now }: Approval): readonly string[] =>
  useAmountsOf(resource, status === 'pending' && record !== null && isObject(now) ? now['fields'] : undefined);

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

/** The amounts of a record of a bulk. */
export const RecordAmounts = ({ resource, fields }: { readonly resource: string; readonly fields: unknown }) => {
  const amounts = figuresText(useAmountsOf(resource, fields));
  return amounts !== '' && <span dir="auto">{` · ${amounts}`}</span>;
};
