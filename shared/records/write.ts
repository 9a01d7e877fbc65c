/**
 * Stores and deletes records of stored resources, in one statement with their terms and keys, the audit event and the
 * saved response. Called by POST /resources/:resource/records and by the app link.
 */
import { principalModeFault } from '../access/gates.ts';
import type { Caller } from '../access/principal.ts';
import { fault } from '../catalogue/errors.ts';
import { invalidFault } from '../platform/core/validate.ts';
import { retryOnConflict } from '../platform/db/retryOnConflict.ts';
import { queryRows, statement, type SqlValue } from '../platform/db/sql.ts';
import {
  actorParameterCount,
  actorParameters,
  actorValues,
  eventInsert,
  toEventActor,
} from '../platform/journal/events.ts';
import {
  savedResponseInsert,
  savedResponseParameters,
  savedResponseValues,
  type SavedResponse,
} from '../platform/journal/idempotency.ts';
import type { DomainDeps } from '../settings/deps.ts';
import type { FullRecord } from './queries.ts';
import { requireVisibleResource } from './read.ts';
import { recordChangeProblems, toFullRecord, type PushedRecord, type RecordChanges } from './recordProblems.ts';
import {
  getIndexing,
  newStamp,
  recordKeys,
  recordTerms,
  recordTermSeparator,
  titleKey,
  type ResourceIndexing,
} from './terms.ts';

interface WriteRecordsResult {
  readonly stored: number;
  readonly deleted: number;
}

const saved = savedResponseParameters(8 + actorParameterCount);
const savedResponseSql = savedResponseInsert({
  ...saved,
  body: `replace(${saved.body}, '"deleted":0', '"deleted":' || (select count(*) from gone))`,
  created_at: '$4::bigint',
});

/** Leaves an unchanged record alone, so that an app may push all its records over and over at little cost. */
const writeRecordsSql = (isSaved: boolean): string => `
  with given as (
    select * from json_to_recordset($3::json) as g(id text, title text, title_key text, subtitle text, fields jsonb, updated_at bigint, terms text, keys json)),
  written as (
    insert into records as r (env, resource, id, title, subtitle, fields, updated_at, title_key, terms, shape, stamp)
    select $1, $2, id, title, subtitle, fields, coalesce(updated_at, $4::bigint), title_key, array_to_tsvector(string_to_array(terms, E'\\x1e')), $5, $6::bigint
    from given order by id
    on conflict (env, resource, id) do update set title = excluded.title, subtitle = excluded.subtitle, fields = excluded.fields,
      updated_at = excluded.updated_at, title_key = excluded.title_key, terms = excluded.terms, shape = excluded.shape, stamp = excluded.stamp
    where (r.title, r.subtitle, r.fields, r.shape) is distinct from (excluded.title, excluded.subtitle, excluded.fields, excluded.shape)
      or r.updated_at < excluded.updated_at and (select g.updated_at from given g where g.id = excluded.id) is not null
    returning id),
  gone as (
    delete from records r using (select id from unnest($7::text[]) as d(id) order by id) d where r.env = $1 and r.resource = $2 and r.id = d.id returning r.id),
  unkeyed as (
    delete from record_keys k using (select id from written union all select id from gone) w
    where k.env = $1 and k.resource = $2 and k.id = w.id and k.stamp <> $6::bigint),
  keyed as (
    insert into record_keys (env, resource, field, missing, num, text, id, stamp)
    select $1, $2, k.field, k.missing, k.num, k.text, g.id, $6::bigint
    from given g join written using (id), json_to_recordset(g.keys) as k(field text, missing boolean, num float8, text text)),
  happened as (${eventInsert(
    {
      ...actorParameters(8),
      env: '$1',
      at: '$4::bigint',
      verb: "'records.put'",
      target_type: "'resource'",
      target: '$2',
      after: `jsonb_build_object('stored', (select count(*) from given), 'changed', (select count(*) from written), 'deleted', (select count(*) from gone))`,
    },
    { where: 'exists (select from written) or exists (select from gone)' },
  )})${isSaved ? `, kept as (${savedResponseSql})` : ''}
  select (select count(*) from given)::int as stored, (select count(*) from gone)::int as deleted`;

const writeStatements = {
  plain: statement('records.write', writeRecordsSql(false)),
  saved: statement('records.writeSaved', writeRecordsSql(true)),
};

/** Returns a record as `writeRecordsSql` and reindex.ts take it, with its terms and keys. */
export const toIndexedRow = (
  envId: number,
  resource: string,
  indexing: ResourceIndexing,
  record: FullRecord,
): object => ({
  id: record.id,
  title: record.title,
  title_key: titleKey(record.title),
  subtitle: record.subtitle,
  fields: record.fields,
  updated_at: record.updatedAt,
  terms: recordTerms(envId, resource, indexing, record).join(recordTermSeparator),
  keys: recordKeys(indexing, record.fields),
});

const problemsShown = 20;
const attemptsMax = 5;

/**
 * Writes all changes or none. Throws `not_found` for a resource that the caller doesn't see, `forbidden` for every
 * principal but the app and the system, `conflict` for a resource that the app serves, `invalid` with every problem.
 * `save` is the saved response; the statement replaces `"deleted":0` in its body by the number of deleted records.
 */
export const writeRecords = async (
  deps: DomainDeps,
  caller: Caller,
  name: string,
  changes: RecordChanges,
  save: SavedResponse | null = null,
): Promise<WriteRecordsResult> => {
  const { env, principal } = caller;
  const resource = requireVisibleResource(caller, name);
  const mode = principalModeFault(principal);
  if (mode !== null) throw mode;
  if (principal.type !== 'app' && principal.type !== 'system')
    throw fault('forbidden', 'Records are stored by the app, with an app key.');
  if (resource.source !== 'stored')
    throw fault('conflict', 'The app serves this resource itself; nothing of it is stored.');
  const problems = recordChangeProblems(changes);
  if (problems.length > 0) throw invalidFault(problems.slice(0, problemsShown));
  const indexing = getIndexing(env.definition, resource);
  const given = changes.records.map((record) => toIndexedRow(env.id, name, indexing, toFullRecord(name, record)));
  const at = deps.clock.now();
  const values: SqlValue[] = [
    env.id,
    name,
    JSON.stringify(given),
    at,
    indexing.shape,
    newStamp(),
    changes.deleted,
    ...actorValues(toEventActor(caller)),
    ...(save === null ? [] : savedResponseValues(save)),
  ];
  return retryOnConflict(
    async () => {
      const [written] = await queryRows<WriteRecordsResult>(
        deps.db,
        save === null ? writeStatements.plain : writeStatements.saved,
        values,
      );
      return written ?? { stored: 0, deleted: 0 };
    },
    { limit: attemptsMax },
  );
};

/** Stores records of a stored resource and returns how many were given. */
export const putRecords = async (
  deps: DomainDeps,
  caller: Caller,
  resource: string,
  records: readonly PushedRecord[],
): Promise<number> => (await writeRecords(deps, caller, resource, { records, deleted: [] })).stored;

/** Deletes records of a stored resource and returns how many existed. */
export const deleteRecords = async (
  deps: DomainDeps,
  caller: Caller,
  resource: string,
  ids: readonly string[],
): Promise<number> => (await writeRecords(deps, caller, resource, { records: [], deleted: ids })).deleted;
