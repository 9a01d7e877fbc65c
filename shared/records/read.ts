/**
 * Reads records of any resource: stored ones from PostgreSQL, app-served ones over the app link. Called by routes, item
 * details, actions, the blocks of pages, and MCP.
 */
import { listCursors } from '../accounts/access/listCursors.ts';
import { type Caller, unknownName } from '../accounts/access/principal.ts';
import type { DomainDeps } from '../accounts/deps.ts';
import { orderRecord } from '../app/manifest/declaredOrder.ts';
import type { Environment } from '../app/manifest/definition.ts';
import type { ManifestResource } from '../app/manifest/manifest.ts';
import { Fault, invalidAt } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import { isSameRecord, unknownRecordFault } from '../items/links.ts';
import type { RecordRef } from '../items/model.ts';
import { isObject } from '../platform/json/jsonLimits.ts';
import { getAppRecords, listAppRecords, searchAppRecords } from './appReads.ts';
import {
  type FilterClause,
  type RecordOrder,
  normalizeSearchText,
  parseFilterClauses,
  parseRecordOrder,
} from './filters.ts';
import { listStoredRecords } from './list/page.ts';
import type { RecordListRequest, RecordPosition } from './list/scan.ts';
import { type FullRecord, type RawRecord, findRecords, inReferenceOrder, parseRawRecord } from './queries.ts';
import { recordIdProblem } from './recordProblems.ts';
import { searchStoredRecords } from './search.ts';
import { getIndexing, isNumeric } from './terms.ts';

export type { FullRecord } from './queries.ts';

type Reading = Pick<DomainDeps, 'db' | 'link'>;

/** Returns the declared resource. Throws `not_found` when it isn't declared or the caller doesn't see it. */
export const requireVisibleResource = (
  { env, principal }: Pick<Caller, 'env' | 'principal'>,
  name: string,
): ManifestResource => {
  const resource = env.definition.resources.get(name);
  if (resource === undefined || !principal.access.sees('resource', name)) {
    const known = [...env.definition.resources.keys()].filter((one) => principal.access.sees('resource', one));
    throw unknownName('resource', name, known);
  }
  return resource;
};

/**
 * Returns a record, or null when it doesn't exist or its resource isn't declared. Throws `app_offline`, `app_timeout` or
 * `app_error` when the app serves the resource.
 */
export const getRecord = async (
  { db, link }: Reading,
  env: Environment,
  resource: string,
  id: string,
): Promise<FullRecord | null> => {
  const declared = env.definition.resources.get(resource);
  if (declared === undefined || recordIdProblem(id) !== null) return null;
  const found =
    declared.source === 'stored'
      ? await findRecords(db, env.id, [{ resource, id }])
      : await getAppRecords(link, env.id, resource, [id]);
  const [record] = found;
  return record === undefined ? null : orderRecord(env.definition, record);
};

type Ref = RecordRef & { readonly title?: string | null };

/** Returns the records of `ids` that the app has, or none when the call fails. */
const getAppRecordsOrNone = async (
  link: Reading['link'],
  envId: number,
  resource: string,
  ids: readonly string[],
): Promise<FullRecord[]> => {
  try {
    return await getAppRecords(link, envId, resource, ids);
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
};

/** Returns the records of `refs` that exist, in no order, without those of an app whose call fails. */
export const findRecordsAnywhere = async (
  { db, link }: Reading,
  env: Environment,
  refs: readonly RecordRef[],
): Promise<FullRecord[]> => {
  const served = new Map<string, string[]>();
  for (const { resource, id } of refs) {
    if (env.definition.resources.get(resource)?.source === 'app')
      served.set(resource, [...new Set([...(served.get(resource) ?? []), id])]);
  }
  const stored = refs.filter(({ resource }) => env.definition.resources.get(resource)?.source === 'stored');
  const found = await Promise.all([
    findRecords(db, env.id, stored),
    ...[...served].map(([resource, ids]) => getAppRecordsOrNone(link, env.id, resource, ids)),
  ]);
  return found.flat().map((record) => orderRecord(env.definition, record));
};

/** Returns a record for each of `refs`, in their order: a placeholder where there is none or the call to its app fails. */
export const getRecords = async (deps: Reading, env: Environment, refs: readonly Ref[]): Promise<FullRecord[]> =>
  inReferenceOrder(refs, await findRecordsAnywhere(deps, env, refs));

interface RecordsPage<R = FullRecord> {
  readonly records: readonly R[];
  /** The sealed cursor of the next page; null on the last page. */
  readonly cursor: string | null;
}
/** A page whose stored records have their fields as text, to be written with `recordJson`. */
export type RawRecordsPage = RecordsPage<FullRecord | RawRecord>;

const parsePage = ({ env }: Caller, { records, cursor }: RawRecordsPage): RecordsPage => ({
  records: records.map((record) => parseRawRecord(env.definition, record)),
  cursor,
});

interface SearchQuery {
  readonly q?: string;
  /** At most `limits.searchRecords`; a larger number counts as that. */
  readonly limit?: number;
  readonly cursor?: string;
  /** How long an app that serves the resource has. */
  readonly timeoutMs?: number;
}

/** A list's query after its checks. `raw`: the filter object as it came, which an app that serves the resource gets. */
export interface CheckedRecordQuery {
  readonly clauses: readonly FilterClause[];
  readonly raw: Readonly<Record<string, unknown>>;
  readonly text: string | null;
  readonly order: RecordOrder;
  readonly sort: string | null;
}

/** Returns the request that list/ and search.ts take for a stored resource. */
export const toStoredListRequest = (
  env: Environment,
  resource: ManifestResource,
  { clauses, text, order }: CheckedRecordQuery,
  after: RecordPosition | null,
  limit: number,
): RecordListRequest => {
  const { equalityFields: equal, keys } = getIndexing(env.definition, resource);
  return {
    env: env.id,
    resource: resource.name,
    clauses,
    text,
    order,
    after,
    limit,
    equalityFields: equal,
    rangeFields: keys.filter(({ type }) => isNumeric(type)).map(({ field }) => field),
  };
};

const byTitle: RecordOrder = { by: { kind: 'title' }, descending: false };

/**
 * Returns the best matches first: equal id, equal title, titles that begin with `q`, then others by title; without `q` the
 * first records by title. There is one page only: throws `bad_cursor` for any cursor, as none was made for it.
 */
export const searchRecords = async (
  { db, link }: Reading,
  caller: Caller,
  name: string,
  query: SearchQuery,
): Promise<RawRecordsPage> => {
  const resource = requireVisibleResource(caller, name);
  const text = normalizeSearchText(query.q);
  const limit = Math.min(query.limit ?? limits.searchRecords, limits.searchRecords);
  listCursors(caller, 'search', [name]).open(query.cursor);
  if (resource.source === 'app')
    return {
      records: await searchAppRecords(link, caller.env.id, { resource: name, q: text ?? '', limit }, query.timeoutMs),
      cursor: null,
    };
  const request = toStoredListRequest(
    caller.env,
    resource,
    { clauses: [], raw: {}, text, order: byTitle, sort: null },
    null,
    limit,
  );
  return {
    records:
      text === null
        ? (await listStoredRecords(db, request)).records
        : await searchStoredRecords(db, { ...request, text }),
    cursor: null,
  };
};

interface RecordListQuery {
  readonly q?: string;
  /** The filter object, parsed from JSON and not checked. */
  readonly filters?: object;
  readonly sort?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** Returns a page of a checked query. `key`: the use that the cursor is tied to, besides role, resource and query. */
export const listCheckedRecords = async (
  { db, link }: Reading,
  caller: Caller,
  resource: ManifestResource,
  checked: CheckedRecordQuery,
  page: { readonly key: string; readonly limit: number; readonly cursor: string | undefined },
): Promise<RawRecordsPage> => {
  const { name, source } = resource;
  const { text, raw, sort } = checked;
  const cursors = listCursors(caller, 'records', [name, source, page.key, text, raw, sort]);
  const keys = cursors.open(page.cursor);
  if (source === 'app') {
    const answered = await listAppRecords(link, caller.env.id, {
      resource: name,
      q: text,
      filters: raw,
      sort,
      cursor: keys === null ? null : String(keys[0]),
      limit: page.limit,
    });
    return {
      records: answered.records,
      cursor: cursors.next(answered.cursor === null ? null : [answered.cursor]),
    };
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the cursor is sealed for this key, so it holds a position made below
  const after = keys as RecordPosition | null;
  const request = toStoredListRequest(caller.env, resource, checked, after, page.limit);
  const { records, next } = await listStoredRecords(db, request);
  return { records, cursor: cursors.next(next) };
};

/** Returns a page of records under filters, by title unless `sort` is given; an app that serves the resource chooses its own default. */
export const listRawRecords = async (
  deps: Reading,
  caller: Caller,
  name: string,
  { q, filters = {}, sort, limit = limits.pageDefault, cursor }: RecordListQuery,
): Promise<RawRecordsPage> => {
  const resource = requireVisibleResource(caller, name);
  if (!isObject(filters)) throw invalidAt('filters', 'must be a JSON object');
  const raw = filters;
  const checked = {
    clauses: parseFilterClauses(resource, raw),
    raw,
    text: normalizeSearchText(q),
    order: parseRecordOrder(resource, sort),
    sort: sort ?? null,
  };
  return listCheckedRecords(deps, caller, resource, checked, { key: 'list', limit, cursor });
};

/** Returns a page of records as `listRawRecords` does, with their fields parsed. */
export const listRecords = async (
  deps: Reading,
  caller: Caller,
  name: string,
  query: RecordListQuery,
): Promise<RecordsPage> => parsePage(caller, await listRawRecords(deps, caller, name, query));

/** Returns whether the app that serves the record's resource is offline, so that nobody can say whether the record exists. */
const isUnverifiable = async (
  { link }: Pick<DomainDeps, 'link'>,
  { env }: Caller,
  { resource: name }: RecordRef,
): Promise<boolean> =>
  env.definition.resources.get(name)?.source === 'app' && !(await link.online(env.id, { kind: 'resource', name }));

/** Throws `invalid` at the path of its place in the list for a record that doesn't exist or whose resource the caller doesn't see. */
export const requireKnownRecords = async (
  deps: Pick<DomainDeps, 'db' | 'link'>,
  caller: Caller,
  refs: readonly RecordRef[],
  pathOf: (i: number) => string,
): Promise<void> => {
  if (refs.length === 0) return;
  const { env, principal } = caller;
  const seen = refs.filter(({ resource }) => principal.access.sees('resource', resource));
  const found = await findRecordsAnywhere(deps, env, seen);
  for (const [i, ref] of refs.entries()) {
    if (found.some((record) => isSameRecord(record, ref))) continue;
    if (seen.includes(ref) && (await isUnverifiable(deps, caller, ref))) continue;
    throw unknownRecordFault(pathOf(i));
  }
};
