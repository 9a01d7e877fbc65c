/** The values of a record that fit on one line beside its title: its dates, amounts and states. Used by Related. */
import { shownAs } from '../approvals/shown.ts';
import { legible } from '../content/legible.ts';
import { inRow } from '../ui/plural.ts';
import type { AppRecord, Resource } from '../wire/types.ts';
import { recordsTexts } from './texts.tsx';

/** What people order records by and don't search for are dates, amounts, numbers and states; amounts and dates are told though no list is sorted by them. */
const isTold = ({ type, sort, search }: Resource['fields'][number]): boolean =>
  type === 'money' || type === 'time' || (sort && !search);

/** Returns such as "Total 129 EUR · Status paid", without what the title or the subtitle says; empty: nothing is declared. */
export const compactFields = ({ title, subtitle, fields }: AppRecord, resource: Resource | undefined): string =>
  inRow(
    (resource?.fields ?? []).filter(isTold).flatMap(({ name, label, type }) => {
      const value = fields[name];
      if (value === undefined || value === null || value === '') return [];
      const text = shownAs(type, value, fields['currency']);
      return [title, subtitle].some((said) => said?.includes(text) === true)
        ? []
        : [recordsTexts.value(legible(label), text)];
    }),
  );
