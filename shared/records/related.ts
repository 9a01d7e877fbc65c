/** Reads the records related to a record: by a field of theirs, by a key of its own, or by a call to the app. For api/routes/resources.ts. */
import { listCursors } from '../accounts/access/listCursors.ts';
import { type Caller, unknownName } from '../accounts/access/principal.ts';
import type { DomainDeps } from '../accounts/deps.ts';
import type { ManifestResource } from '../app/manifest/manifest.ts';
import { fault } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import type { RecordRef } from '../items/model.ts';
import { readRelatedAppRecords } from './appReads.ts';
import {
  findRecordsAnywhere,
  getRecord,
  listCheckedRecords,
  requireVisibleResource,
  type CheckedRecordQuery,
  type RawRecordsPage,
} from './read.ts';

type Relation = NonNullable<ManifestResource['relations']>[number];

interface RelatedQuery {
  readonly limit?: number;
  readonly cursor?: string;
}

/** Returns the relations of a resource without those to resources that the caller doesn't see. */
export const visibleRelations = ({ env, principal }: Caller, { relations = [] }: ManifestResource): Relation[] =>
  relations.filter(
    ({ resource }) =>
      resource === undefined || (principal.access.sees('resource', resource) && env.definition.resources.has(resource)),
  );

const byTitle = { order: { by: { kind: 'title' }, descending: false }, sort: null, text: null } as const;

/** Returns the records whose ids a field of this record has: one, or several in an array. */
const relatedByKey = async (
  deps: DomainDeps,
  caller: Caller,
  ref: RecordRef,
  { resource: target = '', key = '' }: Relation,
): Promise<RawRecordsPage> => {
  const record = await getRecord(deps, caller.env, ref.resource, ref.id);
  if (record === null) throw fault('not_found');
  const value = Object.hasOwn(record.fields, key) ? record.fields[key] : undefined;
  const ids = (Array.isArray(value) ? value : [value])
    .filter((id) => typeof id === 'string' || typeof id === 'number')
    .map(String);
  const refs = [...new Set(ids)].slice(0, limits.pageMax).map((id) => ({ resource: target, id }));
  const [only] = refs;
  if (only === undefined) return { records: [], cursor: null };
  // With one id a failed read is a fault; with several the readable records are returned.
  if (refs.length === 1) {
    const found = await getRecord(deps, caller.env, target, only.id);
    return { records: found === null ? [] : [found], cursor: null };
  }
  return { records: await findRecordsAnywhere(deps, caller.env, refs), cursor: null };
};

const relatedByApp = async (
  { link }: DomainDeps,
  caller: Caller,
  ref: RecordRef,
  { name, resource }: Relation,
  query: Required<Pick<RelatedQuery, 'limit'>> & RelatedQuery,
): Promise<RawRecordsPage> => {
  const { env, principal } = caller;
  const cursors = listCursors(caller, 'related', [ref.resource, ref.id, name]);
  const keys = cursors.open(query.cursor);
  const { records, cursor } = await readRelatedAppRecords(
    link,
    env.id,
    {
      resource: ref.resource,
      id: ref.id,
      relation: name,
      cursor: keys === null ? null : String(keys[0]),
      limit: query.limit,
    },
    resource ?? null,
  );
  const seen = records.filter(
    (record) => principal.access.sees('resource', record.resource) && env.definition.resources.has(record.resource),
  );
  return { records: seen, cursor: cursors.next(cursor === null ? null : [cursor]) };
};

/** Returns a page of related records. Throws `not_found` when the resource, the record, the relation or its target doesn't exist or isn't seen. */
export const readRelatedRecords = async (
  deps: DomainDeps,
  caller: Caller,
  ref: RecordRef,
  name: string,
  { limit = limits.pageDefault, cursor }: RelatedQuery,
): Promise<RawRecordsPage> => {
  const resource = requireVisibleResource(caller, ref.resource);
  const relations = visibleRelations(caller, resource);
  const relation = relations.find((known) => known.name === name);
  if (relation === undefined) throw unknownName('relation', name, relations);
  if (relation.resource !== undefined && relation.field === undefined && relation.key !== undefined) {
    if (cursor !== undefined) throw fault('bad_cursor');
    return relatedByKey(deps, caller, ref, relation);
  }
  if ((await getRecord(deps, caller.env, ref.resource, ref.id)) === null) throw fault('not_found');
  if (relation.resource !== undefined && relation.field !== undefined) {
    const target = requireVisibleResource(caller, relation.resource);
    const checked: CheckedRecordQuery = {
      ...byTitle,
      clauses: [{ field: relation.field, op: 'eq', values: [ref.id] }],
      raw: { [relation.field]: ref.id },
    };
    return listCheckedRecords(deps, caller, target, checked, { key: `related:${ref.resource}:${name}`, limit, cursor });
  }
  return resource.source === 'app'
    ? relatedByApp(deps, caller, ref, relation, { limit, ...(cursor === undefined ? {} : { cursor }) })
    : { records: [], cursor: null };
};
