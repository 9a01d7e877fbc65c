/** Saved views: their schemas in requests and responses, and how a person reads, makes and changes them. For api/routes/savedViews.ts. */
import { type Caller, toEventActor } from '../accounts/access/principal.ts';
import { displayNameSchema } from '../accounts/schema.ts';
import { itemSorts } from '../app/items/members.ts';
import { type JsonItemQuery, itemQueryJsonSchema, toListQuery } from '../app/manifest/itemQuery.ts';
import { fault, invalidAt } from '../catalogue/errors.ts';
import type { LivePart } from '../catalogue/events.ts';
import { limits } from '../catalogue/limits.ts';
import { isUniqueViolation } from '../platform/db/errors.ts';
import type { Tx } from '../platform/db/knex.ts';
import {
  type NamedValues,
  executeNamed,
  namedStatement,
  executeStatement,
  queryRow,
  statement,
} from '../platform/db/sql.ts';
import { isId, newId } from '../platform/ids.ts';
import { actorValues, change, event, writeChange } from '../platform/journal/changeWriter.ts';
import { actorSchema, nameSchema, nullable, responseObject, strictObject, Type } from '../platform/json/schema.ts';
import { withPathPrefix } from '../platform/json/validate.ts';
import { isLongerThan } from '../platform/words/texts.ts';
import { resolveFilters } from './filters/filters.ts';
import { type SavedView, isVisibleSavedView, ownerOf, readSavedView, scopeOf, viewOf } from './filters/savedView.ts';
import { findDeclaredView } from './filters/views.ts';

const sort = nullable(
  Type.String({
    pattern: `^-?(?:${itemSorts.join('|')})$`,
    description: 'As GET /items takes it; null: the usual one.',
  }),
);
const inbox = nullable(nameSchema('null: all inboxes.'));
const shared = Type.Boolean({
  description: 'For all who see the inbox; without one, for all who see an inbox.',
});

const rest = { inbox: Type.Optional(inbox), sort: Type.Optional(sort), shared: Type.Optional(shared) };
export const savedViewInput = strictObject({ name: displayNameSchema, query: itemQueryJsonSchema, ...rest });
export const savedViewPatch = strictObject(
  { name: Type.Optional(displayNameSchema), query: Type.Optional(itemQueryJsonSchema), ...rest },
  { minProperties: 1 },
);

export interface SavedViewInput {
  readonly name: string;
  /** Without `inbox`. */
  readonly query: JsonItemQuery;
  readonly inbox?: string | null;
  readonly sort?: string | null;
  readonly shared?: boolean;
}
export type SavedViewPatch = Partial<SavedViewInput>;

const at = (description: string) => Type.Integer({ description: `${description} (milliseconds since 1970 UTC)` });

export const savedViewSchema = responseObject({
  id: Type.String({ pattern: '^viw_', description: 'Id.' }),
  name: Type.String({ description: 'For people.' }),
  inbox: nullable(Type.String({ description: 'null: all inboxes.' })),
  query: itemQueryJsonSchema,
  sort: nullable(Type.String({ description: 'null: the usual order.' })),
  shared: Type.Boolean({ description: 'Whether others see it.' }),
  owner: actorSchema,
  createdAt: at('createdAt'),
  updatedAt: at('updatedAt'),
});

const lockOwnerSql = statement('savedViews.lockOwner', 'select id from people where id = $1 for no key update');
const lockEnvironmentSql = statement(
  'savedViews.lockEnvironment',
  'select id from environments where id = $1 for no key update',
);
const countOwnSql = statement(
  'savedViews.countOwn',
  'select count(*)::int as n from saved_views where env = $1 and owner = $2',
);
const countSharedSql = statement(
  'savedViews.countShared',
  'select count(*)::int as n from saved_views where env = $1 and shared',
);
const insertSql = namedStatement(
  'savedViews.insert',
  () => `
  insert into saved_views (env, id, owner, name, inbox, query, sort, shared, created_at, updated_at)
  values ($env, $id, $owner, $name, $inbox, $query::jsonb, $sort, $shared, $at, $at)`,
);
const updateSql = namedStatement(
  'savedViews.update',
  () => `
  update saved_views set name = $name, inbox = $inbox, query = $query::jsonb, sort = $sort, shared = $shared, updated_at = $at
  where env = $env and id = $id`,
);
const deleteSql = statement('savedViews.delete', 'delete from saved_views where env = $1 and id = $2');
const lockSql = statement('savedViews.lock', 'select id from saved_views where env = $1 and id = $2 for update');
const auditChange = change('savedViews.audit', {
  happened: event({
    verb: '$verb',
    target_type: "'view'",
    target: '$id',
    inbox: '$inbox',
    before: '$before::jsonb',
    after: '$after::jsonb',
  }),
});

/** A changed view and its live message; `part` null: nothing changed. */
export interface ViewChange {
  readonly view: SavedView;
  readonly part: Extract<LivePart, { readonly type: 'view' }> | null;
}

type Sides = readonly [before: SavedView | null, after: SavedView | null];

/** Returns the audited members of a view: of a private one, or one that spans inboxes, only `shared`. */
const auditJson = (view: SavedView | null, column: string | null): object | null => {
  if (view === null) return null;
  const { shared, name, inbox, query, sort } = view;
  if (!shared) return { shared };
  const isPlain = inbox !== null && inbox === column && query['record'] === undefined && query['view'] === undefined;
  return isPlain ? { shared, name, inbox, query, sort } : { shared };
};

const sharedSide = (view: SavedView | null): SavedView | null => (view?.shared === true ? view : null);

const recordChange = async (
  tx: Tx,
  caller: Caller,
  verb: string,
  [before, after]: Sides,
  at: number,
): Promise<void> => {
  const inbox = (sharedSide(after) ?? sharedSide(before))?.inbox ?? null;
  const reason = caller.reason ?? null;
  const now = auditJson(after, inbox);
  await writeChange(tx, auditChange, {
    env: caller.env.id,
    at,
    verb: `view.${verb}`,
    id: (after ?? before)?.id,
    inbox,
    before: auditJson(before, inbox),
    after: now === null && reason === null ? null : { ...now, ...(reason === null ? {} : { reason }) },
    ...actorValues(toEventActor(caller)),
  });
};

/** Returns the message for those who see the view, or saw it: that they read their views again. */
const partOf = ({ env }: Caller, sides: Sides): ViewChange['part'] => {
  const [view] = sides.flatMap((side) => side ?? []);
  if (view === undefined) return null;
  const scopes = sides.flatMap((side) => (side?.shared === true ? (scopeOf(env, side) ?? []) : []));
  return { type: 'view', view: { id: view.id, owner: ownerOf(view) }, scopes };
};

/** Throws the faults of `GET /items` for invalid filters, and `invalid` for members that a view can't keep. */
const checkView = (caller: Caller, { inbox, query }: Pick<SavedView, 'inbox' | 'query'>, now: number): void => {
  if (query['inbox'] !== undefined) throw invalidAt('query.inbox', 'stands beside query, as inbox');
  if (Buffer.byteLength(JSON.stringify(query)) > limits.savedViewBytes)
    throw invalidAt('query', `must have at most ${String(limits.savedViewBytes)} bytes`);
  const base = viewOf(query);
  if (base !== null && isId(base, 'viw')) throw invalidAt('query.view', 'must be a view that the app declares');
  const given = { ...toListQuery(query), ...(inbox === null ? {} : { inbox }) };
  const view = base === null ? null : findDeclaredView(caller, base);
  withPathPrefix('query', () => resolveFilters(caller, given, { view, now, ofInbox: true }));
};

/** Throws `invalid` for a name above the limit. */
const checkName = (name: string): void => {
  if (isLongerThan(name, limits.savedViewName))
    throw invalidAt('name', `must have at most ${String(limits.savedViewName)} characters`);
};

const requireRoom = async (
  tx: Tx,
  { env, principal }: Caller,
  { shared, isNew }: { readonly shared: boolean; readonly isNew: boolean },
) => {
  await queryRow(tx, lockOwnerSql, [principal.id]);
  const own = isNew ? ((await queryRow<{ n: number }>(tx, countOwnSql, [env.id, principal.id]))?.n ?? 0) : 0;
  if (own >= limits.savedViews)
    throw fault('conflict', `You have ${String(limits.savedViews)} saved views here; delete one first.`);
  if (!shared) return;
  await queryRow(tx, lockEnvironmentSql, [env.id]);
  if (((await queryRow<{ n: number }>(tx, countSharedSql, [env.id]))?.n ?? 0) >= limits.sharedViews)
    throw fault('conflict', `There are ${String(limits.sharedViews)} shared views here; one must go first.`);
};

const rejectDuplicateName = async (name: string, write: () => Promise<unknown>): Promise<void> => {
  try {
    await write();
  } catch (error) {
    if (isUniqueViolation(error, 'saved_views_name'))
      throw fault('conflict', `You already have a view ${JSON.stringify(name)}.`);
    throw error;
  }
};

const columnsOf = ({ env }: Caller, { id, name, inbox, query, sort, shared }: SavedView): NamedValues => ({
  env: env.id,
  id,
  name,
  inbox,
  query: JSON.stringify(query),
  sort,
  shared,
});

/** Saves a view. Throws `conflict` for a name that the caller has given, and at the bounds. */
export const saveView = async (tx: Tx, caller: Caller, input: SavedViewInput, at: number): Promise<ViewChange> => {
  const { name, inbox = null, query, sort = null, shared = false } = input;
  checkName(name);
  checkView(caller, { inbox, query }, at);
  await requireRoom(tx, caller, { shared, isNew: true });
  const { id: owner, name: ownerName } = caller.principal;
  const id = newId('viw', at);
  const view = { id, owner: owner ?? '', ownerName, name, inbox, query, sort, shared, createdAt: at, updatedAt: at };
  await rejectDuplicateName(name, () => executeNamed(tx, insertSql, { ...columnsOf(caller, view), owner, at }));
  await recordChange(tx, caller, 'create', [null, view], at);
  return { view, part: partOf(caller, [null, view]) };
};

/** Returns the view, locked. Throws `not_found` unless the caller sees it. */
const lockView = async (tx: Tx, caller: Caller, id: string): Promise<SavedView> => {
  await queryRow(tx, lockSql, [caller.env.id, id]);
  const view = await readSavedView(tx, caller.env.id, id);
  if (view === undefined || !isVisibleSavedView(caller, view)) throw fault('not_found');
  return view;
};

/** Changes a view of the caller's own. Throws `forbidden` for a shared one of somebody else. */
export const updateView = async (
  tx: Tx,
  caller: Caller,
  { id, patch, at }: { readonly id: string; readonly patch: SavedViewPatch; readonly at: number },
): Promise<ViewChange> => {
  checkName(patch.name ?? '');
  const before = await lockView(tx, caller, id);
  if (before.owner !== caller.principal.id) throw fault('forbidden', 'Only who saved a view may change it.');
  const { name, inbox, query, sort, shared } = { ...before, ...patch };
  if (patch.inbox !== undefined || patch.query !== undefined) checkView(caller, { inbox, query }, at);
  const after = { ...before, name, inbox, query, sort, shared, updatedAt: at };
  if (JSON.stringify({ ...after, updatedAt: 0 }) === JSON.stringify({ ...before, updatedAt: 0 }))
    return { view: before, part: null };
  await requireRoom(tx, caller, { shared: shared && !before.shared, isNew: false });
  await rejectDuplicateName(name, () => executeNamed(tx, updateSql, { ...columnsOf(caller, after), at }));
  await recordChange(tx, caller, 'update', [before, after], at);
  return { view: after, part: partOf(caller, [before, after]) };
};

/** Deletes a view of the caller's own, or a shared one that they see where they manage settings. Throws `forbidden` otherwise. */
export const deleteView = async (tx: Tx, caller: Caller, id: string, at: number): Promise<ViewChange> => {
  const view = await lockView(tx, caller, id);
  if (view.owner !== caller.principal.id && !caller.principal.access.may('settings', 'manage'))
    throw fault('forbidden', 'Only who saved a view, or a person who manages settings, may delete it.');
  await executeStatement(tx, deleteSql, [caller.env.id, id]);
  await recordChange(tx, caller, 'delete', [view, null], at);
  return { view, part: partOf(caller, [view, null]) };
};
