/**
 * Stores and deletes records of stored resources, in one statement with their terms and keys, the audit event and the
 * saved response. Called by POST /resources/:resource/records and by the app link.
 */
import { type Caller, principalModeFault, toEventActor } from '../accounts/access/principal.ts';
import type { DomainDeps } from '../accounts/deps.ts';
import { fault } from '../catalogue/errors.ts';
import { retryOnConflict } from '../platform/db/retryOnConflict.ts';
import {
  actorValues,
  change,
  event,
  keep,
  keptResponse,
  queryChange,
  savedValues,
} from '../platform/journal/changeWriter.ts';
import type { SavedResponse } from '../platform/journal/idempotency.ts';
import { invalidFault } from '../platform/json/validate.ts';
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

/** Leaves an unchanged record alone, so that an app may push all its records over and over at little cost. */
const recordsChange = change(
  'records.write',
  {
    given: `
    select * from json_to_recordset($records::json) as g(id text, title text, title_key text, subtitle text, fields jsonb, updated_at bigint, terms text, keys json)`,
    written: `
    insert into records as r (env, resource, id, title, subtitle, fields, updated_at, title_key, terms, shape, stamp)
    select $env, $resource, id, title, subtitle, fields, coalesce(updated_at, $at::bigint), title_key, array_to_tsvector(string_to_array(terms, E'\\x1e')), $shape, $stamp::bigint
    from given order by id
    on conflict (env, resource, id) do update set title = excluded.title, subtitle = excluded.subtitle, fields = excluded.fields,
      updated_at = excluded.updated_at, title_key = excluded.title_key, terms = excluded.terms, shape = excluded.shape, stamp = excluded.stamp
    where (r.title, r.subtitle, r.fields, r.shape) is distinct from (excluded.title, excluded.subtitle, excluded.fields, excluded.shape)
      or r.updated_at < excluded.updated_at and (select g.updated_at from given g where g.id = excluded.id) is not null
    returning id`,
    gone: `
    delete from records r using (select id from unnest($deleted::text[]) as d(id) order by id) d where r.env = $env and r.resource = $resource and r.id = d.id returning r.id`,
    unkeyed: `
    delete from record_keys k using (select id from written union all select id from gone) w
    where k.env = $env and k.resource = $resource and k.id = w.id and k.stamp <> $stamp::bigint`,
    keyed: `
    insert into record_keys (env, resource, field, missing, num, text, id, stamp)
    select $env, $resource, k.field, k.missing, k.num, k.text, g.id, $stamp::bigint
    from given g join written using (id), json_to_recordset(g.keys) as k(field text, missing boolean, num float8, text text)`,
    happened: event(
      {
        verb: "'records.put'",
        target_type: "'resource'",
        target: '$resource',
        after: `jsonb_build_object('stored', (select count(*) from given), 'changed', (select count(*) from written), 'deleted', (select count(*) from gone))`,
      },
      { where: 'exists (select from written) or exists (select from gone)' },
    ),
    kept: keep(
      {},
      { body: `replace(${keptResponse.body}, '"deleted":0', '"deleted":' || (select count(*) from gone))` },
    ),
  },
  'select (select count(*) from given)::int as stored, (select count(*) from gone)::int as deleted',
);

/** Returns a record as the change above and reindex.ts take it, with its terms and keys. */
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
  const values = {
    env: env.id,
    resource: name,
    records: JSON.stringify(given),
    at,
    shape: indexing.shape,
    stamp: newStamp(),
    deleted: changes.deleted,
    ...actorValues(toEventActor(caller)),
    ...savedValues(save),
  };
  return retryOnConflict(
    async () => {
      const [written] = await queryChange<WriteRecordsResult>(deps.db, recordsChange, values);
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
