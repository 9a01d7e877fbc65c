/** The amounts of the record that a request is for, as they are now: what is asked for may be all of it, and then names no amount. Used by the queue, Decision and Verdict. */
import { useQuery } from '@tanstack/react-query';
import { legible } from '../content/legible.ts';
import { shownAs } from '../content/shown.ts';
import { isObject } from '../content/values.ts';
import { useSession } from '../shell/session.ts';
import { inRow } from '../ui/plural.ts';
import { resourcesQuery } from '../wire/actionQueries.ts';
import type { Approval } from '../wire/types.ts';
import { requestTexts } from './requestTexts.tsx';

/** Returns such as "Total 129 EUR"; empty: the record has no amounts, there is none, or nothing waits for a decision any more. */
export const useSums = ({ status, resource, record, now }: Approval): string => {
  const { http } = useSession();
  const fields = status === 'pending' && record !== null && isObject(now) ? now['fields'] : undefined;
  const { data: resources } = useQuery({ ...resourcesQuery(http), enabled: isObject(fields) });
  if (!isObject(fields)) return '';
  const declared = resources?.find(({ name }) => name === resource)?.fields ?? [];
  return inRow(
    declared
      .filter(({ name, type }) => type === 'money' && typeof fields[name] === 'number')
      .map(({ name, label, type }) =>
        requestTexts.sum(legible(label), shownAs(type, fields[name], fields['currency'])),
      ),
  );
};

export const Sums = ({ approval }: { readonly approval: Approval }) => {
  const sums = useSums(approval);
  return sums === '' ? null : <p dir="auto">{sums}</p>;
};
