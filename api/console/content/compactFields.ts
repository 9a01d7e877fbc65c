/** The values of a record that fit on one line beside its title: its dates, amounts and states. Used by Related and ActionSheet. */
import { inRow } from '../ui/plural.ts';
import type { AppRecord, Resource } from '../wire/types.ts';
import { legible } from './legible.ts';
import { shownAs } from './shown.ts';
import { contentTexts } from './texts.ts';

/** Returns whether a field is shown: amounts and times, and sortable fields that are not searched, such as states and numbers. */
const isTold = ({ type, sort, search }: Resource['fields'][number]): boolean =>
  type === 'money' || type === 'time' || (sort && !search);

/** Returns a line such as "Total 129 EUR · Status paid", without values that the title or the subtitle contains; empty when there is none. */
export const compactFields = ({ title, subtitle, fields }: AppRecord, resource: Resource | undefined): string =>
  inRow(
    (resource?.fields ?? []).filter(isTold).flatMap(({ name, label, type }) => {
      const value = fields[name];
      if (value === undefined || value === null || value === '') return [];
      const text = shownAs(type, value, fields['currency']);
      return [title, subtitle].some((said) => said?.includes(text) === true)
        ? []
        : [contentTexts.labelled(legible(label), text)];
    }),
  );
