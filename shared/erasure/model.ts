/** Rows of erasures: their insert, their lists, and how the job notes what it has done. */
import { recordAdminChange, type Administrator } from '../accounts/settings/adminChange.ts';
import { fault } from '../catalogue/errors.ts';
import type { ActorRef } from '../catalogue/events.ts';
import { isUniqueViolation } from '../platform/db/errors.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { executeStatement, queryRow, queryRows, statement } from '../platform/db/sql.ts';
import { newId } from '../platform/ids.ts';
import { change, event, queryChange, writeChange } from '../platform/journal/changeWriter.ts';
import { actorOfRow } from '../platform/journal/events.ts';
import { cutPage } from '../platform/listing/page.ts';
import { erasureJobInsert } from './job.ts';
import type { ErasureCounts, ErasureInput, ErasureView, ErasureWait } from './schema.ts';

/** Whom an erasure is about. */
export interface ErasureTarget {
  /** The number of the environment. */
  readonly env: number;
  readonly resource: string;
  readonly record: string;
  /** Ids by which reports name the person: the record's, and those that were given. */
  readonly users: readonly string[];
  /** Whether items that only link to the record are erased too. */
  readonly linked: boolean;
  /** Approvals that were found before: once they are erased, not all of them say any more whom they were about. */
  readonly approvals: readonly string[];
}

export interface Erasure extends ErasureTarget {
  readonly id: string;
  readonly erased: ErasureCounts;
  readonly waits_for: ErasureWait | null;
  /** Other items that were found to name the person, before. */
  readonly named: readonly string[];
  /** The last event that was drawn when it was asked for, or when what it has waited for had ended. */
  readonly horizon: number;
  readonly actor_type: ActorRef['type'];
  readonly actor: string;
  readonly actor_name: string;
  readonly role: string | null;
  readonly request_id: string | null;
  readonly address: string | null;
  readonly requested_at: number;
  readonly finished_at: number | null;
  /** Names of the archived months that it does not reach, or did not when it finished, and that no later one of the record has. */
  readonly archives: readonly string[];
}

/** One without the ids that only its job needs, which may be many. */
type ListedErasure = Omit<Erasure, 'named' | 'approvals'>;

/** Returns the SQL of the names of the archives that have something of an environment and were there at a time. */
const archivesSql = (env: string, at: string): string =>
  `coalesce((select array_agg(a.name order by a.starts) from archives a
     where a.archived_at < ${at} and a.chains @> jsonb_build_array(jsonb_build_object('env', ${env}))), '{}')`;

/** The months that an erasure did not reach: those that it kept when it finished, as a month that is archived again gets a later time; else today's. */
const unreachedSql = `coalesce(e.unreached, ${archivesSql('e.env', "coalesce(e.finished_at, 'infinity'::float8)")})`;

const columns = `e.id, e.env, e.resource, e.record, e.users, e.linked, e.erased, e.waits_for, e.horizon, e.actor_type, e.actor, e.actor_name, e.role,
  e.request_id, e.address, e.requested_at, e.finished_at, ${unreachedSql} as archives`;

const archivesNowSql = statement(
  'erasures.archives',
  `select ${archivesSql('$1::int', "'infinity'::float8")} as archives`,
);

/** Returns the names of the archived months of an environment, which no erasure reaches. */
export const listUnreached = async (db: Db, envId: number): Promise<readonly string[]> =>
  (await queryRow<{ archives: string[] }>(db, archivesNowSql, [envId]))?.archives ?? [];

const oneSql = statement('erasures.one', `select ${columns}, e.named, e.approvals from erasures e where e.id = $1`);
const listSql = statement(
  'erasures.list',
  `select ${columns} from erasures e where e.env = $1 and e.id < $2 order by e.id desc limit $3`,
);
const insertChange = change(
  'erasures.insert',
  {
    made: `
    insert into erasures as e (id, env, resource, record, users, linked, actor_type, actor, actor_name, role, request_id, address, requested_at, horizon)
    values ($id, $env, $resource, $record, $users, $linked, $actor_type, $actor, $actor_name, $role, $request, $address, $at::bigint, (select last_value from events_id_seq))
    returning ${columns}`,
    staged: erasureJobInsert({ id: '$job', at: 'e.requested_at' }, { from: 'made e' }),
  },
  'select * from made',
);
/** Adds ids, and takes none away. */
const keepSql = statement(
  'erasures.keep',
  `
  update erasures set named = array(select unnest(named) union select unnest($2::text[])),
    approvals = array(select unnest(approvals) union select unnest($3::text[]))
  where id = $1 and finished_at is null`,
);
const noteSql = statement(
  'erasures.note',
  'update erasures set erased = $2::jsonb, waits_for = $3::jsonb, horizon = $4 where id = $1 and finished_at is null',
);
const finishChange = change('erasures.finish', {
  done: `
    update erasures e set erased = $erased::jsonb, waits_for = null, finished_at = $at::bigint, unreached = ${archivesSql('e.env', "'infinity'::float8")}
    where id = $id and finished_at is null and $archives::text[] <@ ${archivesSql('e.env', "'infinity'::float8")} returning ${columns}`,
  reached: `
    update erasures e set unreached = array(select name from unnest(e.unreached) with ordinality u (name, place) where name = any(d.archives) order by place)
    from done d where e.env = d.env and e.resource = d.resource and e.record = d.record and e.id <> d.id and e.unreached <> '{}'
      and e.users <@ d.users and (d.linked or not e.linked)`,
  happened: event(
    {
      ...actorOfRow('done'),
      env: 'env',
      at: 'finished_at',
      verb: "'erasure.finish'",
      target_type: "'erasure'",
      target: 'id',
      after: "jsonb_build_object('erased', erased)",
    },
    { from: 'done' },
  ),
});

const withoutSql = statement(
  'erasures.without',
  `
  with finished as (
    select e.*, v.name as environment, ${unreachedSql} as archives from erasures e join environments v on v.id = e.env where e.finished_at is not null
  ), kept as (
    update erasures e set unreached = f.archives from finished f where e.id = f.id and f.unreached is null
  )
  select id, environment, resource, record from finished where $1 = any(archives) order by id`,
);

type UnreachingErasure = Pick<Erasure, 'id' | 'resource' | 'record'> & { readonly environment: string };

/** Returns the finished erasures that did not reach an archived month, before that is restored: from then on only they know of it. */
export const listUnreaching = (tx: Tx, month: string): Promise<UnreachingErasure[]> =>
  queryRows<UnreachingErasure>(tx, withoutSql, [month]);

/** Returns an erasure as the settings show it. */
export const erasureView = (erasure: ListedErasure): ErasureView => ({
  id: erasure.id,
  record: { resource: erasure.resource, id: erasure.record },
  users: [...erasure.users],
  linked: erasure.linked,
  status: erasure.finished_at === null ? 'running' : 'done',
  erased: erasure.erased,
  waitsFor: erasure.waits_for,
  archives: [...erasure.archives],
  requestedBy: { type: erasure.actor_type, id: erasure.actor, name: erasure.actor_name },
  requestedAt: erasure.requested_at,
  finishedAt: erasure.finished_at,
});

export const targetOf = (env: number, { record, users = [], linked = false }: ErasureInput): ErasureTarget => ({
  env,
  resource: record.resource,
  record: record.id,
  users: [...new Set([record.id, ...users])],
  linked,
  approvals: [],
});

/** Inserts an erasure with its job and its audit entry. Throws `conflict` while another one of the record is under way. */
export const insertErasure = async (
  tx: Tx,
  admin: Administrator,
  environment: string,
  target: ErasureTarget,
): Promise<ListedErasure> => {
  const { by, role, requestId, address, at } = admin;
  const id = newId('era');
  const { env, resource, record, users, linked } = target;
  const [made] = await queryChange<ListedErasure>(tx, insertChange, {
    id,
    env,
    resource,
    record,
    users,
    linked,
    role,
    address,
    at,
    actor_type: by.type,
    actor: by.id,
    actor_name: by.name,
    request: requestId,
    job: newId('job'),
  }).catch((error: unknown) => {
    if (isUniqueViolation(error, 'erasures_running'))
      throw fault('conflict', 'This record is being erased already; see GET /settings/erasures.');
    throw error;
  });
  if (made === undefined) throw new Error('An insert returned no row.');
  await recordAdminChange(tx, admin, {
    verb: 'erasure.create',
    target: { type: 'erasure', id },
    environments: [environment],
    before: null,
    after: { record: { resource, id: record }, users, linked },
  });
  return made;
};

export const readErasure = (db: Db, id: string): Promise<Erasure | undefined> => queryRow<Erasure>(db, oneSql, [id]);

/** After every id of an erasure. */
const lastId = 'era_z';

/** Returns a page of the erasures of an environment, newest first, and the id that the next page comes after. */
export const listErasures = async (
  db: Db,
  envId: number,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<{ readonly erasures: ErasureView[]; readonly next: string | null }> => {
  const { page, last } = cutPage(
    await queryRows<ListedErasure>(db, listSql, [envId, after ?? lastId, limit + 1]),
    limit,
  );
  return { erasures: page.map(erasureView), next: last?.id ?? null };
};

/** Keeps the ids of what is found now, for turns in which nothing says any more that it was about the person. */
export const keepFound = async (
  db: Db,
  erasure: Erasure,
  { named, approvals }: { readonly named: readonly string[]; readonly approvals: readonly string[] },
): Promise<void> => {
  const kept = new Set([...erasure.named, ...erasure.approvals]);
  if ([...named, ...approvals].some((id) => !kept.has(id)))
    await executeStatement(db, keepSql, [erasure.id, named, approvals]);
};

/** Notes what was erased until now, and what has to end before the rest can be. */
export const noteErasure = async (
  db: Db,
  { id, erased, waits_for: waitsFor, horizon }: Pick<Erasure, 'id' | 'erased' | 'waits_for' | 'horizon'>,
): Promise<void> => {
  await executeStatement(db, noteSql, [id, JSON.stringify(erased), JSON.stringify(waitsFor), horizon]);
};

/**
 * Ends an erasure, with an entry of the audit log. Returns false, and ends nothing, where one of the months that were archived
 * when it was read has been restored meanwhile: what it has may not have been found.
 */
export const finishErasure = async (
  db: Db,
  { id, erased, archives }: Pick<Erasure, 'id' | 'erased' | 'archives'>,
  at: number,
): Promise<boolean> => (await writeChange(db, finishChange, { id, erased, at, archives })) > 0;
