/** The filters and the order of a list of items, as its parameters and its view give them. Used by filters.ts and views.ts. */
import { itemListQuery, listParameters } from '../../app/manifest/itemQuery.ts';
import type { ManifestView } from '../../app/manifest/manifest.ts';
import type { Static } from '../../platform/json/schema.ts';
import { prioritiesOf, statesOf } from '../inboxRules.ts';
import type { RecordRef } from '../model.ts';

export type ItemListQuery = Static<typeof itemListQuery>;
type FieldValues = Readonly<Record<string, string>>;
export type ThreeWay = '0' | '1' | undefined;

/** Parameters that a view does not have: the view itself, and what pages are cut by. */
const notOfViews = ['view', 'cursor', 'limit', 'count'] as const;
type Parameter = Exclude<keyof ItemListQuery, (typeof notOfViews)[number] | 'fields.*' | 'sort'>;

/** undefined: not filtered by this. */
export type ListFilters = { readonly [N in Parameter]: ItemListQuery[N] | undefined } & {
  readonly fields: FieldValues | undefined;
  readonly sort: string | undefined;
};

/** The filters by names that inboxes declare, each with the names that inboxes have, also those that are not declared any more. */
export const declaredNames = [
  ['state', statesOf],
  ['priority', prioritiesOf],
] as const;

/** The names of filters and order; theirs is the order of the texts that cursors are sealed with. */
const names = Object.keys(itemListQuery.properties)
  .filter((name) => !notOfViews.some((other) => other === name))
  .map((name) => (name === 'fields.*' ? 'fields' : name));

/** Returns filters whose values are those of `valueOf`. */
const filtersBy = (valueOf: (name: string) => unknown): ListFilters =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names are those of the type, and each value is that of its name
  Object.fromEntries(names.map((name) => [name, valueOf(name)])) as ListFilters;

const split = (list: unknown): unknown =>
  typeof list === 'string' ? list.split(',').filter((value) => value !== '') : undefined;

/** Returns the filters of a view that the app declares. */
export const filtersOfView = (view: ManifestView): ListFilters => {
  const given: Readonly<Record<string, unknown>> = { ...view };
  return filtersBy((name) => (listParameters.has(name) ? split(given[name]) : given[name]));
};

/** Returns the filters that the parameters themselves give. */
export const filtersOfQuery = (query: ItemListQuery): ListFilters => {
  const given: Readonly<Record<string, unknown>> = { ...query, fields: query['fields.*'] };
  return filtersBy((name) => given[name]);
};

const mergeFields = (given: FieldValues | undefined, view: FieldValues | undefined): FieldValues | undefined => {
  const all = { ...view, ...given };
  const fields = Object.keys(all).sort();
  return fields.length === 0 ? undefined : Object.fromEntries(fields.map((name) => [name, all[name] ?? '']));
};

/** Returns the filters of `given`, and those of `view` for the absent ones; of values of fields both. */
export const mergeFilters = (given: ListFilters, view: ListFilters | null): ListFilters => {
  if (view === null && given.fields === undefined) return given;
  const [own, under]: Readonly<Record<string, unknown>>[] = [{ ...given }, { ...view }];
  const fields = mergeFields(given.fields, view?.fields);
  return filtersBy((name) => (name === 'fields' ? fields : (own?.[name] ?? under?.[name])));
};

/** Returns the resource and the id of `<resource>:<id>`; ids may have colons. */
export const parseRecordFilter = (text: string): RecordRef => {
  const colon = text.indexOf(':');
  return { resource: text.slice(0, colon), id: text.slice(colon + 1) };
};
