/** Finds the view that a list of items names, declared by the app or saved by a person, and its filters. Used by filters.ts and savedViews/. */
import { type Caller, unknownName } from '../../accounts/access/principal.ts';
import { toListQuery } from '../../app/manifest/itemQuery.ts';
import type { ManifestView } from '../../app/manifest/manifest.ts';
import type { Db } from '../../platform/db/knex.ts';
import { isId } from '../../platform/ids.ts';
import { filtersOfQuery, filtersOfView, mergeFilters, parseRecordFilter, type ListFilters } from './listFilters.ts';
import { isVisibleSavedView, readSavedView, viewOf, type SavedView } from './savedView.ts';

/** Returns whether the caller sees the view's inbox and the resource of its record. */
export const isVisibleView = ({ env, principal: { access } }: Caller, { inbox, record }: ManifestView): boolean => {
  const resource = record === undefined ? undefined : parseRecordFilter(record).resource;
  return (
    (inbox === undefined || (env.definition.inboxes.has(inbox) && access.sees('inbox', inbox))) &&
    (resource === undefined || (env.definition.resources.has(resource) && access.sees('resource', resource)))
  );
};

const visibleDeclared = (caller: Caller, name: string): ManifestView | undefined => {
  const view = caller.env.definition.views.get(name);
  return view !== undefined && isVisibleView(caller, view) ? view : undefined;
};

const unknownView = (caller: Caller, name: string) =>
  unknownName(
    'view',
    name,
    [...caller.env.definition.views.values()].filter((one) => isVisibleView(caller, one)),
  );

/** Returns the filters of a declared view. Throws `not_found` for a view of something that the caller doesn't see, even when the query names something else. */
export const findDeclaredView = (caller: Caller, name: string): ListFilters => {
  const view = visibleDeclared(caller, name);
  if (view === undefined) throw unknownView(caller, name);
  return filtersOfView(view);
};

const filtersOfSavedView = (caller: Caller, { inbox, query, sort }: SavedView): ListFilters => {
  const base = viewOf(query);
  const own = { ...filtersOfQuery(toListQuery(query)), inbox: inbox ?? undefined, sort: sort ?? undefined };
  return base === null ? own : mergeFilters(own, findDeclaredView(caller, base));
};

/**
 * Returns the filters of the view that is called so, or of the saved one with that id; null: none is named. Throws `not_found`,
 * alike for views that the caller doesn't see and those that don't exist.
 */
export const findView = async (db: Db, caller: Caller, name: string | undefined): Promise<ListFilters | null> => {
  if (name === undefined) return null;
  const declared = visibleDeclared(caller, name);
  if (declared !== undefined) return filtersOfView(declared);
  const saved = isId(name, 'viw') ? await readSavedView(db, caller.env.id, name) : undefined;
  if (saved === undefined || !isVisibleSavedView(caller, saved)) throw unknownView(caller, name);
  return filtersOfSavedView(caller, saved);
};
