/**
 * The one statement by which items change: changed rows (each only at the version that was decided on), their
 * events, what subscribers are told, staged jobs, bulk results and the saved answer, all or nothing per item.
 * The same text with arrays of one or five hundred. Only perform.ts calls it.
 */
import type { StagedJob } from '../catalogue/jobs.ts';
import type { Db, Tx } from '../db/knex.ts';
import { rows, statement, type Statement, type Value } from '../db/sql.ts';
import type { Caller } from '../agents/principal.ts';
import type { Decided, Told } from './tell.ts';
import type { Item } from '../items/model.ts';
import { itemTerms } from '../items/terms.ts';

/** An answer kept under an idempotency key, written with the effect. */
export interface SavedAnswer {
  readonly principal: string;
  readonly key: string;
  readonly fingerprint: Buffer;
  readonly status: number;
  readonly body: string;
  readonly etag: string | null;
}

/** One result of a bulk. `needsWrite`: counts only if the item was really written. */
export interface ResultRow {
  readonly seq: number;
  readonly item: string;
  readonly outcome: string;
  readonly error: string | null;
  readonly code: string | null;
  readonly before: object | null;
  readonly after: object | null;
  readonly needsWrite: boolean;
}

export interface Batch {
  readonly changed: readonly Decided[];
  readonly told: readonly Told[];
  readonly saved: SavedAnswer | null;
  readonly results: { readonly bulk: string; readonly rows: readonly ResultRow[] } | null;
}

interface Shape {
  readonly create: boolean;
  readonly many: boolean;
  readonly users: boolean;
  readonly jobs: boolean;
  readonly saved: boolean;
  readonly results: boolean;
}

const itemRecord = `id text, version int, inbox text, title text, title_key text, state text, closed boolean, record_resource text,
  record_id text, record_title text, links jsonb, tags text[], assignee text, occurrences int, users int, first_seen bigint,
  last_seen bigint, due_at bigint, fields jsonb, snoozed_until bigint, triaged boolean, triage jsonb, key text,
  occurred_entry jsonb, created_at bigint, updated_at bigint, terms text[]`;

const update = (many: boolean): string => `
  ${many ? 'held as (select i.id from items i join given g on g.id = i.id where i.env = $1 and i.version = g.version - 1 order by i.id for update of i),' : ''}
  written as (
    update items i set version = g.version, state = g.state, closed = g.closed, tags = g.tags, assignee = g.assignee,
      occurrences = g.occurrences, users = g.users, last_seen = g.last_seen, due_at = g.due_at,
      snoozed_until = g.snoozed_until, triaged = g.triaged, triage = g.triage, occurred_entry = g.occurred_entry,
      updated_at = g.updated_at, terms = array_to_tsvector(g.terms)
    from given g ${many ? 'join held using (id)' : ''}
    where i.env = $1 and i.id = g.id and i.version = g.version - 1
    returning i.id)`;

const insert = `
  written as (
    insert into items (env, id, version, inbox, title, title_key, state, closed, record_resource, record_id, record_title, links, tags,
      assignee, occurrences, users, first_seen, last_seen, due_at, fields, snoozed_until, triaged, triage, key, occurred_entry,
      created_at, updated_at, terms)
    select $1, id, version, inbox, title, title_key, state, closed, record_resource, record_id, record_title, links, tags,
      assignee, occurrences, users, first_seen, last_seen, due_at, fields, snoozed_until, triaged, triage, key, occurred_entry,
      created_at, updated_at, array_to_tsvector(terms) from given
    returning id)`;

/**
 * Event ids are drawn from rows of `written`, so after the item's row lock: per item, ids follow versions. Parameters:
 * $1 environment, $2 items, $3 events, then as the shape asks: users, jobs, saved answer, bulk and its results.
 */
const textOf = (shape: Shape): string => {
  let parameter = 3;
  const next = (): string => {
    parameter += 1;
    return `$${String(parameter)}`;
  };
  const parts = [`given as (select * from json_to_recordset($2::json) as g(${itemRecord}))`, shape.create ? insert : update(shape.many)];
  parts.push(
    `numbered as materialized (
      select nextval('events_id_seq') as id, e.* from (
        select e.* from json_to_recordset($3::json) as e(n int, item text, at bigint, actor_type text, actor text, actor_name text,
          role text, verb text, target_type text, target text, inbox text, entry text, type text, is_update boolean, data jsonb,
          before jsonb, after jsonb, request_id text, address text, parts json, deltas jsonb, due_from bigint, due_to bigint)
        join written w on w.id = e.item order by e.item, e.n) e)`,
    `happened as (
      insert into events (id, env, at, actor_type, actor, actor_name, role, verb, target_type, target, inbox, item, entry, type,
        is_update, data, before, after, request_id, address)
      select id, $1, at, actor_type, actor, actor_name, role, verb, target_type, target, inbox, item, entry, type,
        is_update, data, before, after, request_id, address from numbered)`,
    `told as (
      insert into outbox (id, env, at, parts, inbox, deltas, due_from, due_to)
      select id, $1, at, parts::text, inbox, deltas, due_from, due_to from numbered where parts is not null)`,
  );
  if (shape.users) {
    parts.push(`met as (insert into item_users (env, item, who)
      select $1, u.item, u.who from json_to_recordset(${next()}::json) as u(item text, who text) join written w on w.id = u.item
      on conflict do nothing)`);
  }
  if (shape.jobs) {
    parts.push(`staged as (insert into staged_jobs (id, env, name, payload, subject, request_id, due_at, created_at)
      select j.id, $1, j.name, j.payload, j.subject, j.request_id, j.due_at, j.created_at
      from json_to_recordset(${next()}::json) as j(id text, item text, name text, payload jsonb, subject text, request_id text, due_at bigint, created_at bigint)
      join written w on w.id = j.item)`);
  }
  if (shape.results) {
    const bulk = next();
    parts.push(`resulted as (insert into bulk_results (bulk, seq, item, outcome, error, code, before, after)
      select ${bulk}, r.seq, r.item, r.outcome, r.error, r.code, r.before, r.after
      from json_to_recordset(${next()}::json) as r(seq int, item text, outcome text, error text, code text, before jsonb, after jsonb, needs boolean)
      where not r.needs or exists (select 1 from written w where w.id = r.item))`);
  }
  if (shape.saved) {
    parts.push(`kept as (insert into idempotency_keys (principal, key, fingerprint, status, body, etag, created_at)
      select ${[next(), next(), `${next()}::bytea`, `${next()}::smallint`, next(), next(), `${next()}::bigint`].join(', ')}
      where (select count(*) from written) = (select count(*) from given))`);
  }
  return `with ${parts.join(',\n')}\nselect id from written`;
};

const statements = new Map<string, Statement>();
const statementFor = (shape: Shape): Statement => {
  const name = `perform.${Object.entries(shape).map(([part, on]) => (on ? part[0] : '-')).join('')}`;
  let prepared = statements.get(name);
  if (prepared === undefined) {
    prepared = statement(name, textOf(shape));
    statements.set(name, prepared);
  }
  return prepared;
};

/** JSON by hand around parts that are JSON already. */
const itemRowJson = (env: number, item: Item): string => {
  const rest = JSON.stringify({
    id: item.id,
    version: item.version,
    inbox: item.inbox,
    title: item.title,
    title_key: item.title.toLowerCase(),
    state: item.state,
    closed: item.closed,
    record_resource: item.record?.resource,
    record_id: item.record?.id,
    record_title: item.record?.title,
    links: item.links,
    tags: item.tags,
    assignee: item.assignee,
    occurrences: item.occurrences,
    users: item.users,
    first_seen: item.firstSeen,
    last_seen: item.lastSeen,
    due_at: item.dueAt,
    snoozed_until: item.snoozedUntil,
    triaged: item.triaged,
    triage: item.triage ?? undefined,
    key: item.key,
    occurred_entry: item.occurredEntry ?? undefined,
    created_at: item.createdAt,
    updated_at: item.updatedAt,
    terms: itemTerms(env, item),
  });
  return `${rest.slice(0, -1)},"fields":${item.fields}}`;
};

const jobJson = (caller: Caller, at: number) => ({ item, job }: { item: string; job: StagedJob }): object => ({
  id: job.id,
  item,
  name: job.name,
  payload: job.payload,
  subject: job.subject,
  request_id: caller.requestId,
  due_at: job.dueAt,
  created_at: at,
});

/** Writes a batch and answers the ids of the items that were still at the version that was decided on. */
export const writeBatch = async (db: Db | Tx, caller: Caller, batch: Batch, at: number): Promise<Set<string>> => {
  const { changed, told, saved, results } = batch;
  const users = changed.flatMap(({ effect }) => (effect.user === undefined ? [] : [{ item: effect.item.id, who: effect.user }]));
  const jobs = changed.flatMap(({ effect }) => (effect.jobs ?? []).map((job) => ({ item: effect.item.id, job })));
  const shape: Shape = {
    create: changed.some(({ before }) => before === null),
    many: changed.length > 1,
    users: users.length > 0,
    jobs: jobs.length > 0,
    saved: saved !== null,
    results: results !== null,
  };
  const values: Value[] = [
    caller.env.id,
    `[${changed.map(({ effect }) => itemRowJson(caller.env.id, effect.item)).join(',')}]`,
    `[${told.map((event) => event.json).join(',')}]`,
  ];
  if (shape.users) values.push(JSON.stringify(users));
  if (shape.jobs) values.push(JSON.stringify(jobs.map(jobJson(caller, at))));
  if (results !== null) values.push(results.bulk, JSON.stringify(results.rows.map(({ needsWrite, ...row }) => ({ ...row, needs: needsWrite }))));
  if (saved !== null) values.push(saved.principal, saved.key, saved.fingerprint, saved.status, saved.body, saved.etag, at);
  const written = await rows<{ id: string }>(db, statementFor(shape), values);
  return new Set(written.map((row) => row.id));
};
