/** Saved views: the person's own, and those that others share. Used by the inbox. */
import { queryOptions } from '@tanstack/react-query';
import type { savedViewSchema } from '../../../shared/items/savedViews/schema.ts';
import type { Static } from '../../../shared/platform/json/schema.ts';
import type { Http } from './http.ts';
import { definitionMs, keys } from './queries.ts';
import { memberOf } from './reading.ts';
import type { View } from './types.ts';

export type SavedView = Static<typeof savedViewSchema>;

/** The filters of a view, as the declared ones have them. */
export type ViewFilters = Partial<Readonly<Record<keyof View, unknown>>>;

export const savedViewsQuery = (http: Http) =>
  queryOptions({
    queryKey: keys.savedViews,
    ...memberOf<readonly SavedView[]>(http, '/me/views', 'views'),
    staleTime: definitionMs,
  });

const asText = (value: unknown): unknown =>
  Array.isArray(value) ? value.join(',') : typeof value === 'boolean' ? (value ? '1' : '0') : value;

/** Returns the filters of a saved view, over those of the declared one that it builds on. */
export const filtersOf = ({ inbox, query }: SavedView, declared: ViewFilters = {}): ViewFilters => ({
  ...declared,
  ...(inbox === null ? {} : { inbox }),
  ...Object.fromEntries(Object.entries(query).map(([name, value]) => [name, asText(value)])),
});
