/** The filters of a list of items, as its parameters and its view give them. Used by filters.ts and views.ts. */
import type { itemListQuery } from '../environments/itemQuery.ts';
import type { ManifestView } from '../environments/manifest.ts';
import type { Static } from '../platform/core/schema.ts';
import type { RecordRef } from './model.ts';

export type ItemListQuery = Static<typeof itemListQuery>;
type FieldValues = Readonly<Record<string, string>>;
export type ThreeWay = '0' | '1' | undefined;

/** undefined: not filtered by this. The order of the members is that of the texts that cursors are sealed with. */
export interface ListFilters {
  readonly inbox: string | undefined;
  readonly state: readonly string[] | undefined;
  readonly tags: readonly string[] | undefined;
  readonly assignee: readonly string[] | undefined;
  readonly record: string | undefined;
  readonly createdAfter: number | undefined;
  readonly createdBefore: number | undefined;
  readonly seenAfter: number | undefined;
  readonly seenBefore: number | undefined;
  readonly search: string | undefined;
  readonly q: string | undefined;
  readonly fields: FieldValues | undefined;
  readonly overdue: ThreeWay;
  readonly triaged: ThreeWay;
  readonly snoozed: ThreeWay;
  readonly sort: string | undefined;
}

const split = (list: string | undefined): string[] | undefined => list?.split(',').filter((value) => value !== '');

/** Returns the filters of a view that the app declares. */
export const filtersOfView = (view: ManifestView): ListFilters => ({
  inbox: view.inbox,
  state: split(view.state),
  tags: split(view.tags),
  assignee: split(view.assignee),
  record: view.record,
  createdAfter: view.createdAfter,
  createdBefore: view.createdBefore,
  seenAfter: view.seenAfter,
  seenBefore: view.seenBefore,
  search: view.search,
  q: view.q,
  fields: view.fields,
  overdue: view.overdue,
  triaged: view.triaged,
  snoozed: view.snoozed,
  sort: view.sort,
});

/** Returns the filters that the parameters themselves give. */
export const filtersOfQuery = (query: ItemListQuery): ListFilters => ({
  inbox: query.inbox,
  state: query.state,
  tags: query.tags,
  assignee: query.assignee,
  record: query.record,
  createdAfter: query.createdAfter,
  createdBefore: query.createdBefore,
  seenAfter: query.seenAfter,
  seenBefore: query.seenBefore,
  search: query.search,
  q: query.q,
  fields: query['fields.*'],
  overdue: query.overdue,
  triaged: query.triaged,
  snoozed: query.snoozed,
  sort: query.sort,
});

const mergeFields = (given: FieldValues | undefined, view: FieldValues | undefined): FieldValues | undefined => {
  const all = { ...view, ...given };
  const names = Object.keys(all).sort();
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, all[name] ?? '']));
};

/** Returns the filters of `given`, and those of `view` for the absent ones; of values of fields both. */
export const mergeFilters = (given: ListFilters, view: ListFilters | null): ListFilters => ({
  inbox: given.inbox ?? view?.inbox,
  state: given.state ?? view?.state,
  tags: given.tags ?? view?.tags,
  assignee: given.assignee ?? view?.assignee,
  record: given.record ?? view?.record,
  createdAfter: given.createdAfter ?? view?.createdAfter,
  createdBefore: given.createdBefore ?? view?.createdBefore,
  seenAfter: given.seenAfter ?? view?.seenAfter,
  seenBefore: given.seenBefore ?? view?.seenBefore,
  search: given.search ?? view?.search,
  q: given.q ?? view?.q,
  fields: mergeFields(given.fields, view?.fields),
  overdue: given.overdue ?? view?.overdue,
  triaged: given.triaged ?? view?.triaged,
  snoozed: given.snoozed ?? view?.snoozed,
  sort: given.sort ?? view?.sort,
});

/** Returns the resource and the id of `<resource>:<id>`; ids may have colons. */
export const parseRecordFilter = (text: string): RecordRef => {
  const colon = text.indexOf(':');
  return { resource: text.slice(0, colon), id: text.slice(colon + 1) };
};
