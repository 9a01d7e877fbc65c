/**
 * Reading records of any resource: stored ones from PostgreSQL, app-served ones through the link. Called by routes, item
 * details, actions, pages' blocks and MCP.
 */
import { Fault, fault } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import type { Caller } from '../access/principal.ts';
import type { DomainDeps } from '../settings/deps.ts';
import type { Environment } from '../environments/definition.ts';
import type { ManifestResource } from '../environments/manifest.ts';
import type { RecordRef } from '../items/model.ts';
import { getAppRecords, listAppRecords, searchAppRecords } from './appReads.ts';
import {
  parseFilterClauses,
  parseRecordOrder,
  normalizeSearchText,
  type FilterClause,
  type RecordOrder,
} from './filters.ts';
import { recordIdProblem } from './recordProblems.ts';
import { listStoredRecords } from './list/page.ts';
import type { RecordListRequest, RecordPosition } from './list/scan.ts';
import { findRecords, inReferenceOrder, parseRawRecord, type FullRecord, type RawRecord } from './queries.ts';
import { searchStoredRecords } from './search.ts';
import { getIndexing, isNumeric } from './terms.ts';

export type { FullRecord } from './queries.ts';

type Reading = Pick<DomainDeps, 'db' | 'link'>;

/** The resource, when it is declared now and the caller sees it; else `404`, whatever the reason. */
export const requireVisibleResource = (
  { env, principal }: Pick<Caller, 'env' | 'principal'>,
  name: string,
): ManifestResource => {
  const resource = env.definition.resources.get(name);
  if (resource === undefined || !principal.access.sees('resource', name)) throw fault('not_found');
  return resource;
};

/** null: there is none, or its resource isn't declared. Throws `app_offline`, `app_timeout`, `app_error` for app-served ones. */
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
  return found[0] ?? null;
};

type Ref = RecordRef & { readonly title?: string | null };

/** What the app has of `ids`; nothing when it can't be asked now. */
const getAppRecordsOrNone = async (
  link: Reading['link'],
  env: number,
  resource: string,
  ids: readonly string[],
): Promise<FullRecord[]> => {
  try {
    return await getAppRecords(link, env, resource, ids);
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
};

/** Those of `refs` that there are, in no order; without what the app can't be asked for now. */
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
  return found.flat();
};

/** Records in the order of `refs`; one that isn't there, or whose app can't be asked, is answered by its reference alone. */
export const getRecords = async (deps: Reading, env: Environment, refs: readonly Ref[]): Promise<FullRecord[]> =>
  inReferenceOrder(refs, await findRecordsAnywhere(deps, env, refs));

interface RecordsPage<R = FullRecord> {
  readonly records: readonly R[];
  /** Sealed; null: there are no more. */
  readonly cursor: string | null;
}
/** Of stored resources with fields as text, to be answered by `recordJson`. */
export type RawRecordsPage = RecordsPage<FullRecord | RawRecord>;

const parsePage = ({ records, cursor }: RawRecordsPage): RecordsPage => ({
  records: records.map(parseRawRecord),
  cursor,
});

interface SearchQuery {
  readonly q?: string;
  /** More than 50 count as 50. */
  readonly limit?: number;
  readonly cursor?: string;
}

/** What is asked of a list, checked. `raw` is the filter object as it came, for the app. */
export interface CheckedRecordQuery {
  readonly clauses: readonly FilterClause[];
  readonly raw: Readonly<Record<string, unknown>>;
  readonly text: string | null;
  readonly order: RecordOrder;
  readonly sort: string | null;
}

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
 * Best match first: its id, its title, a title that begins with it, then others by title. Without `q` the first by title.
 * The first page is the only one: throws `400 bad_cursor` for any cursor, as none was made for it.
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
  caller.env.seal.openCursor(`search:${name}`, query.cursor);
  if (resource.source === 'app')
    return {
      records: await searchAppRecords(link, caller.env.id, { resource: name, q: text ?? '', limit }),
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
  /** As parsed from JSON. */
  readonly filters?: object;
  readonly sort?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** A page of a checked list. `key` names what else the cursor is tied to. */
export const listCheckedRecords = async (
  { db, link }: Reading,
  { env, principal }: Caller,
  resource: ManifestResource,
  checked: CheckedRecordQuery,
  page: { readonly key: string; readonly limit: number; readonly cursor: string | undefined },
): Promise<RawRecordsPage> => {
  const { name, source } = resource;
  const key = `records:${JSON.stringify([principal.role?.id ?? null, name, source, page.key, checked.text, checked.raw, checked.sort])}`;
  const keys = env.seal.openCursor(key, page.cursor);
  if (source === 'app') {
    const { text, raw, sort } = checked;
    const answered = await listAppRecords(link, env.id, {
      resource: name,
      q: text,
      filters: raw,
      sort,
      cursor: keys === null ? null : String(keys[0]),
      limit: page.limit,
    });
    return {
      records: answered.records,
      cursor: answered.cursor === null ? null : env.seal.cursor(key, [answered.cursor]),
    };
  }
  const { records, next } = await listStoredRecords(
    db,
    toStoredListRequest(env, resource, checked, keys as RecordPosition | null, page.limit),
  );
  return { records, cursor: next === null ? null : env.seal.cursor(key, next) };
};

/** A page of records under filters, by title unless sorted otherwise (app-served ones: as the app has them). */
export const listRawRecords = async (
  deps: Reading,
  caller: Caller,
  name: string,
  { q, filters = {}, sort, limit = limits.pageDefault, cursor }: RecordListQuery,
): Promise<RawRecordsPage> => {
  const resource = requireVisibleResource(caller, name);
  const raw = filters as Readonly<Record<string, unknown>>;
  const checked = {
    clauses: parseFilterClauses(resource, raw),
    raw,
    text: normalizeSearchText(q),
    order: parseRecordOrder(resource, sort),
    sort: sort ?? null,
  };
  return listCheckedRecords(deps, caller, resource, checked, { key: 'list', limit, cursor });
};

export const listRecords = async (
  deps: Reading,
  caller: Caller,
  name: string,
  query: RecordListQuery,
): Promise<RecordsPage> => parsePage(await listRawRecords(deps, caller, name, query));
