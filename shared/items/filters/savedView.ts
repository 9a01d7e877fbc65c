/** Saved views: filters and an order of item lists that a person keeps under a name, for themselves or shared; their rows, and who sees them. */
import type { Access } from '../../accounts/access/access.ts';
import type { Caller } from '../../accounts/access/principal.ts';
import { type JsonItemQuery, toListQuery } from '../../app/manifest/itemQuery.ts';
import type { ActorRef } from '../../catalogue/events.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { queryRow, queryRows, statement } from '../../platform/db/sql.ts';
import { declaredFieldNames } from './contentFilter.ts';
import { declaredNames, filtersOfQuery, parseRecordFilter } from './listFilters.ts';

export interface SavedView {
  readonly id: string;
  readonly owner: string;
  readonly ownerName: string;
  readonly name: string;
  /** null: all inboxes. */
  readonly inbox: string | null;
  readonly query: JsonItemQuery;
  /** null: the order of the declared view that it builds on, or that of lists. */
  readonly sort: string | null;
  readonly shared: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const ownerOf = ({ owner: id, ownerName: name }: SavedView): ActorRef => ({ type: 'person', id, name });

const rowSql = `
  select v.id, v.owner, p.name as "ownerName", v.name, v.inbox, v.query, v.sort, v.shared,
    v.created_at as "createdAt", v.updated_at as "updatedAt"
  from saved_views v join people p on p.id = v.owner`;
const listSql = statement(
  'savedViews.list',
  `${rowSql} where v.env = $1 and v.owner = $2 union all ${rowSql} where v.env = $1 and v.shared and v.owner <> $2`,
);
const oneSql = statement('savedViews.one', `${rowSql} where v.env = $1 and v.id = $2`);

/** Returns a view of the environment by its id, of any owner. */
export const readSavedView = (db: Db | Tx, envId: number, id: string): Promise<SavedView | undefined> =>
  queryRow<SavedView>(db, oneSql, [envId, id]);

/** Returns the name of the declared view that a saved one builds on, or null. */
export const viewOf = ({ view }: JsonItemQuery): string | null => (typeof view === 'string' ? view : null);

const resourceOf = (record: unknown): string[] =>
  typeof record === 'string' ? [parseRecordFilter(record).resource] : [];

/** The inboxes and resources that a role must see to see a shared view; `inboxes` null: any inbox. */
interface ViewScope {
  readonly inboxes: readonly string[] | null;
  readonly resources: readonly string[];
}

/** Returns the inboxes and resources of a view and of the declared view that it builds on; null when the environment lacks one of them. */
export const scopeOf = (
  { definition }: Caller['env'],
  { inbox, query }: Pick<SavedView, 'inbox' | 'query'>,
): ViewScope | null => {
  const base = viewOf(query);
  const declared = base === null ? undefined : definition.views.get(base);
  if (base !== null && declared === undefined) return null;
  const inboxes = [inbox, declared?.inbox].filter((name) => typeof name === 'string');
  const resources = [...resourceOf(query['record']), ...resourceOf(declared?.record)];
  const isThere =
    inboxes.every((name) => definition.inboxes.has(name)) && resources.every((name) => definition.resources.has(name));
  return isThere ? { inboxes: inboxes.length === 0 ? null : inboxes, resources } : null;
};

export const seesScope = (access: Access, { inboxes, resources }: ViewScope): boolean =>
  (inboxes === null ? access.namesSeen('inbox')?.length !== 0 : inboxes.every((name) => access.sees('inbox', name))) &&
  resources.every((name) => access.sees('resource', name));

/** Returns whether the names and fields that the filters have are those of inboxes that the role sees. */
const seesNames = ({ env, principal: { access } }: Caller, query: JsonItemQuery): boolean => {
  const filters = filtersOfQuery(toListQuery(query));
  const inboxes = [...env.definition.inboxes.values()].filter(({ name }) => access.sees('inbox', name));
  const fields = declaredFieldNames(inboxes);
  return (
    declaredNames.every(([filter, namesOf]) => (filters[filter] ?? []).every((name) => namesOf(inboxes).has(name))) &&
    Object.keys(filters.fields ?? {}).every((name) => fields.includes(name))
  );
};

/** Returns whether the caller sees the view: it is their own, or shared and of what their role sees. */
export const isVisibleSavedView = (caller: Caller, view: SavedView): boolean => {
  if (view.owner === caller.principal.id) return true;
  const scope = view.shared ? scopeOf(caller.env, view) : null;
  return scope !== null && seesScope(caller.principal.access, scope) && seesNames(caller, view.query);
};

/** Returns the caller's own views, and the shared ones of others that they see, by name. */
export const listSavedViews = async (db: Db, caller: Caller): Promise<SavedView[]> => {
  const found = await queryRows<SavedView>(db, listSql, [caller.env.id, caller.principal.id]);
  const order = ({ name, id }: SavedView): string => `${name}\n${id}`;
  return found.filter((view) => isVisibleSavedView(caller, view)).sort((a, b) => (order(a) < order(b) ? -1 : 1));
};
