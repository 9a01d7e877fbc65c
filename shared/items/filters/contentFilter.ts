/** Parses what an item has to contain: `q` and `fields.<name>` of lists and views. Used by filters.ts and shared/views/search. */
import type { InboxDefinition } from '../../app/manifest/definition.ts';
import { invalidAt } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { isObject } from '../../platform/json/jsonLimits.ts';
import { listNearest } from '../../platform/words/nearestNames.ts';
import { queryWords } from '../../platform/words/searchWords.ts';
import type { ContentFilter } from '../search/itemWords.ts';

/** Returns the words of a parameter, split as titles are. Throws `invalid` for more than `limits.searchWords`. */
export const parseQueryWords = (parameter: string, text: string): string[] => {
  if (text.split(/\s+/u).filter((word) => word !== '').length > limits.searchWords)
    throw invalidAt(parameter, `must have at most ${String(limits.searchWords)} words`);
  return queryWords(text);
};

/** Returns the words of a parameter. Throws `invalid` when it has none, as it would match every item. */
export const requireQueryWords = (parameter: 'q' | 'search', text: string): string[] => {
  const words = parseQueryWords(parameter, text);
  if (words.length === 0) throw invalidAt(parameter, 'must have a word');
  return words;
};

/** Returns the names of fields that an inbox declares. */
const declaredFields = ({ fields }: InboxDefinition): string[] => {
  const { properties } = fields as { readonly properties?: unknown };
  return isObject(properties) ? Object.keys(properties) : [];
};

type FieldValues = Readonly<Record<string, string>>;

/** Returns the names of fields that one of the inboxes declares. */
export const declaredFieldNames = (inboxes: readonly InboxDefinition[]): string[] => [
  ...new Set(inboxes.flatMap(declaredFields)),
];

/** Throws `invalid` for too many fields, and for one that none of the inboxes declares. Not for views, which may name fields of inboxes that the caller doesn't see. */
export const checkFieldNames = (fields: FieldValues, visible: readonly InboxDefinition[]): void => {
  const names = Object.keys(fields);
  if (names.length === 0) return;
  if (names.length > limits.fieldFilters)
    throw invalidAt(`fields.${names.at(-1) ?? ''}`, `is one too many: at most ${String(limits.fieldFilters)} fields`);
  const known = declaredFieldNames(visible);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw invalidAt(
      `fields.${unknown.slice(0, 100)}`,
      known.length === 0 ? 'is not declared by any inbox that you see' : `must be among ${listNearest(unknown, known)}`,
    );
};

/** Returns the filter of `q` and of values of fields; null: neither is given. */
export const parseContents = (q: string | undefined, fields: FieldValues | undefined): ContentFilter | null => {
  const words = q === undefined ? [] : requireQueryWords('q', q);
  const values = Object.entries(fields ?? {});
  return words.length + values.length === 0 ? null : { words, fields: values };
};
