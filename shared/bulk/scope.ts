/**
 * What decides who sees a bulk beside its author: the inboxes of its items and the resource of its action. It stands with the
 * bulk's entry in the audit log. Used by the other files of this folder and by the live stream.
 */
import type { Access } from '../accounts/access/access.ts';
import type { Caller } from '../accounts/access/principal.ts';
import type { Directory } from '../accounts/directory.ts';
import type { Definition } from '../app/manifest/definition.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { queryRow, queryRows, statement } from '../platform/db/sql.ts';
import { idTime } from '../platform/ids.ts';
import { firstEventId } from '../platform/journal/pastEvents.ts';
import { isObject } from '../platform/json/jsonLimits.ts';
import type { BulkOperationBody } from './schema.ts';

export interface BulkScope {
  /** Of the items that were there when the bulk was accepted, in alphabetical order. */
  readonly inboxes: readonly string[];
  /** The resource of the bulk's action; null: it runs none. */
  readonly resource: string | null;
  /** Whether every id names an item; false: some name none, or it is not known. */
  readonly isWhole: boolean;
}

/**
 * Returns whether the role sees one of the bulk's inboxes, and the resource of its action. A bulk whose ids name no item hides
 * nothing. `null`: the scope is not known, and only roles that see all inboxes and resources see the bulk.
 */
export const seesBulkScope = (access: Access, scope: BulkScope | null): boolean =>
  scope === null
    ? seesAllBulks(access)
    : (scope.inboxes.length === 0 || scope.inboxes.some((name) => access.sees('inbox', name))) &&
      (scope.resource === null || access.sees('resource', scope.resource));

/**
 * Returns whether the bulk's own counts are of items that the role sees. Those of hidden items are not, nor those of ids without an
 * item, which would else tell that the other ids are hidden items.
 */
export const seesBulkCounts = (access: Access, scope: BulkScope | null): boolean =>
  access.namesSeen('inbox') === null ||
  (scope?.isWhole === true && scope.inboxes.every((name) => access.sees('inbox', name)));

/** Returns whether the role sees every inbox and resource, and with them every scope. */
export const seesAllBulks = (access: Access): boolean =>
  access.namesSeen('inbox') === null && access.namesSeen('resource') === null;

/** Returns the resource of the action of a bulk, undefined for an action that is not declared; null: the bulk runs no action. */
export const resourceOfBulk = (
  definition: Pick<Definition, 'actions'> | undefined,
  { type, action }: BulkOperationBody,
): string | null | undefined =>
  type === 'action' && typeof action === 'string' ? definition?.actions.get(action)?.resource : null;

/** Returns the inbox of an audit entry about the bulk: that of all its items; null where they are of several or none. */
export const onlyInbox = (scope: BulkScope | null): string | null =>
  scope?.inboxes.length === 1 ? (scope.inboxes[0] ?? null) : null;

/** Returns the JSON that an audit entry about the bulk keeps of its scope, and does not show; null: it is not known. */
export const scopeData = (scope: BulkScope | null, areNamed = true): string | null =>
  scope === null
    ? null
    : JSON.stringify({ inboxes: scope.inboxes, isWhole: scope.isWhole, ...(areNamed ? {} : { areNamed }) });

/** Returns the member by which roles that don't see the action's resource don't see an audit entry. */
export const scopeMember = (scope: BulkScope | null): { readonly resource?: string } =>
  scope === null || scope.resource === null ? {} : { resource: scope.resource };

/** Returns the scope of a live message; null for one without, as earlier releases sent them. */
export const toBulkScope = (value: unknown): BulkScope | null => {
  if (!isObject(value) || !Array.isArray(value['inboxes'])) return null;
  const { inboxes, resource, isWhole } = value;
  return {
    inboxes: inboxes.filter((name): name is string => typeof name === 'string'),
    resource: typeof resource === 'string' ? resource : null,
    isWhole: isWhole === true,
  };
};

const inboxesOfSql = statement(
  'bulk.inboxes',
  'select inbox, count(*)::int as items from items where env = $1 and id = any($2::text[]) group by inbox',
);

/** Returns the scope of a bulk that is about to be accepted, and whose action is declared. */
export const readNewBulkScope = async (
  db: Db | Tx,
  { env }: Caller,
  { operation, ids }: { readonly operation: BulkOperationBody; readonly ids: readonly string[] },
): Promise<BulkScope> => {
  const found =
    ids.length === 0 || operation['records'] !== undefined
      ? []
      : await queryRows<{ inbox: string; items: number }>(db, inboxesOfSql, [env.id, ids]);
  return {
    inboxes: found.map(({ inbox }) => inbox).sort(),
    resource: resourceOfBulk(env.definition, operation) ?? null,
    // A record that is named itself hides no item.
    isWhole: operation['records'] !== undefined || found.reduce((sum, { items }) => sum + items, 0) === ids.length,
  };
};

/** $2 and $3: the bulks and what their entries are about, of an undo the bulk that it undoes; $4: the first event that is looked at. */
const scopesSql = statement(
  'bulk.scopes',
  `
  select w.bulk as id, e.inboxes, e.resource, e.is_whole
  from unnest($2::text[], $3::text[]) as w (bulk, target) cross join lateral (
    select e.data -> 'inboxes' as inboxes, e.after ->> 'resource' as resource, e.data -> 'isWhole' = 'true' as is_whole from events e
    where e.env = $1 and e.target = w.target and e.verb is not null and e.verb in ('bulk.create', 'bulk.undo')
      and e.after ->> 'bulk' = w.bulk and e.data is not null and e.id >= $4
    limit 1
  ) e`,
);

/** Of bulks that earlier releases accepted, and of those whose month is archived: the inboxes of the first chunk. */
const firstInboxesSql = statement(
  'bulk.firstInboxes',
  `
  select c.bulk as id, array_agg(distinct i.inbox) as inboxes
  from bulk_chunks c cross join lateral unnest(c.ids) as u (item) join items i on i.env = $1 and i.id = u.item
  where c.bulk = any($2::text[]) and c.n = 0
  group by c.bulk`,
);

interface ScopeRow {
  readonly id: string;
  readonly inboxes: readonly string[];
  readonly resource?: string | null;
  readonly is_whole?: boolean | null;
}

interface ScopeDeps {
  readonly db: Db | Tx;
  /** null: entries are looked for in every month. */
  readonly directory: Pick<Directory, 'environmentById' | 'past'> | null;
}

/** A bulk, with the environment in which it is. */
interface ScopedBulk {
  readonly id: string;
  readonly env: number;
  readonly undo_of: string | null;
  readonly operation: BulkOperationBody;
}

/** Returns the scopes of bulks of one environment by their ids, without those that are not known. */
export const readBulkScopes = async (
  { db, directory }: ScopeDeps,
  bulks: readonly ScopedBulk[],
): Promise<ReadonlyMap<string, BulkScope>> => {
  const env = bulks[0]?.env;
  if (env === undefined) return new Map();
  const ids = bulks.map(({ id }) => id);
  const began = Math.min(...ids.map((id) => idTime(id)));
  const rows = await queryRows<ScopeRow>(db, scopesSql, [
    env,
    ids,
    bulks.map(({ id, undo_of: undone }) => undone ?? id),
    directory === null ? 0 : firstEventId(directory.past(), began),
  ]);
  const missing = ids.filter((id) => !rows.some((row) => row.id === id));
  if (missing.length > 0) rows.push(...(await queryRows<ScopeRow>(db, firstInboxesSql, [env, missing])));
  const found = new Map(rows.map((row) => [row.id, row]));
  const definition = directory?.environmentById(env)?.definition;
  return new Map(
    bulks.flatMap(({ id, operation }): [string, BulkScope][] => {
      const row = found.get(id);
      const resource = row?.resource ?? resourceOfBulk(definition, operation);
      return row === undefined || resource === undefined
        ? []
        : [[id, { inboxes: row.inboxes, resource, isWhole: row.is_whole === true }]];
    }),
  );
};

/** Returns the scope of a bulk; null: it is not known. */
export const readBulkScope = async (deps: ScopeDeps, bulk: ScopedBulk): Promise<BulkScope | null> =>
  (await readBulkScopes(deps, [bulk])).get(bulk.id) ?? null;

const unnamedSql = statement(
  'bulk.unnamed',
  `
  select 1 from events e
  where e.env = $1 and e.target = $2 and e.verb is not null and e.verb = 'bulk.create' and e.data is not null and e.data ->> 'areNamed' = 'false'
    and e.id >= $3
  limit 1`,
);

/** Returns whether the author of the bulk has named the ids of its items. Those of bulks of earlier releases count as named, unless they are undos. */
export const areIdsNamed = async ({ db, directory }: ScopeDeps, bulk: ScopedBulk): Promise<boolean> => {
  if (bulk.undo_of !== null) return false;
  const since = directory === null ? 0 : firstEventId(directory.past(), idTime(bulk.id));
  return (await queryRow(db, unnamedSql, [bulk.env, bulk.id, since])) === undefined;
};
