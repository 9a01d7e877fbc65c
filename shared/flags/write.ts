/**
 * The two statements by which flags change: by hand, and by a ramp's step or guard. Each writes the flag only as it was
 * decided on, with its event (audit and history in one), what subscribers are told, the ramp's job and the saved answer.
 */
import { newId } from '../core/ids.ts';
import type { By, LivePart } from '../catalogue/events.ts';
import type { Db, Tx } from '../db/knex.ts';
import { row, run, statement } from '../db/sql.ts';
import type { SavedAnswer } from '../perform/write.ts';
import { flagDifference } from './decide.ts';
import { flagView, type Flag } from './model.ts';
import { guardUntil, isRunning, nextAt, type Ramp } from './ramp.ts';

/** What tells of a change. */
export interface Happening {
  readonly at: number;
  readonly by: By & { readonly role: string | null };
  readonly requestId: string | null;
  readonly address: string | null;
  readonly approvedBy: By | null;
}

const happened = (from: string): string => `
  numbered as (select nextval('events_id_seq') as id from ${from}),
  happened as (
    insert into events (id, env, at, actor_type, actor, actor_name, role, verb, target_type, target, data, before, after, request_id, address)
    select id, $1, $3::bigint, $4::json ->> 'type', $4::json ->> 'id', $4::json ->> 'name', $4::json ->> 'role', $5, 'flag', $2, $6::jsonb, $7::jsonb, $8::jsonb,
      $4::json ->> 'requestId', $4::json ->> 'address' from numbered),
  told as (insert into outbox (id, env, at, parts) select id, $1, $3::bigint, $9 from numbered)`;

/** $1 to $9 are those of \`happened\`; $10 the row, $11 the ramp that ends, $12 and $13 the next job, $14 the saved answer. */
const writeFlag = statement('flags.write', `
  with written as (
    insert into flags (env, key, kind, value, rollout, targets, rules, ramp, ramp_id, next_at, guard_until, version, changes, updated_at, updated_by, changed)
    select $1, $2, kind, value, rollout, targets, rules, ramp, ramp_id, next_at, guard_until, version, changes, updated_at, updated_by, pg_current_xact_id()
    from json_populate_record(null::flags, $10::json)
    on conflict (env, key) do update set kind = excluded.kind, value = excluded.value, rollout = excluded.rollout, targets = excluded.targets,
      rules = excluded.rules, ramp = excluded.ramp, ramp_id = excluded.ramp_id, next_at = excluded.next_at, guard_until = excluded.guard_until,
      version = excluded.version, changes = excluded.changes, updated_at = excluded.updated_at, updated_by = excluded.updated_by, changed = excluded.changed
    where flags.version = excluded.version - 1
    returning key
  ), ${happened('written')},
  dropped as (delete from staged_jobs j using written where j.subject = $11 and j.name = 'rampStep'),
  staged as (
    insert into staged_jobs (id, env, name, payload, subject, request_id, due_at, created_at)
    select $12, $1, 'rampStep', $13::jsonb, $13::jsonb ->> 'ramp', $4::json ->> 'requestId', ($13::jsonb ->> 'due')::bigint, $3 from written where $12::text is not null),
  kept as (
    insert into idempotency_keys (principal, key, fingerprint, status, body, etag, created_at)
    select $14::json ->> 'principal', $14::json ->> 'key', decode($14::json ->> 'fingerprint', 'hex'), ($14::json ->> 'status')::smallint, $14::json ->> 'body',
      $14::json ->> 'etag', $3 from written where $14::json is not null)
  select key from written`);

/** $10 the ramp's id, $11 the version decided on, $12 to $15 what becomes of it, $16 to $18 the job that does it and when it is due again. */
const stepFlag = statement('flags.step', `
  with written as (
    update flags set rollout = $12::int, ramp = $13::jsonb, next_at = $14::bigint, guard_until = $15::bigint, version = version + 1, updated_at = $3::bigint,
      updated_by = jsonb_build_object('type', $4::json -> 'type', 'id', $4::json -> 'id', 'name', $4::json -> 'name'), changed = pg_current_xact_id()
    where env = $1 and key = $2 and ramp_id = $10 and version = $11
    returning key
  ), ${happened('written')},
  again as (
    update staged_jobs set due_at = $14::bigint, enqueued_at = null, lease_until = null, tries = 0, last_error = null
    where id = $16 and fence = $17 and lease_until is not null and $14::bigint is not null and exists (select from written)),
  dropped as (delete from staged_jobs j using written where $18::boolean and j.subject = $10 and j.name = 'rampStep')
  select key from written`);

const partsOf = (flag: Flag, at: number, { type, id, name }: By): string =>
  JSON.stringify([{ type: 'flag', flag: flagView(flag, at), by: { type, id, name } }] satisfies LivePart[]);

const savedJson = (saved: SavedAnswer | null): string | null => (saved === null ? null : JSON.stringify({ ...saved, fingerprint: saved.fingerprint.toString('hex') }));

const actorJson = ({ by, requestId, address }: Happening): string => JSON.stringify({ ...by, requestId, address });

/** A ramp's row names it while steps or its guard may still change the flag. */
const rampColumns = (ramp: Ramp | null): object => {
  const until = guardUntil(ramp);
  return { ramp, ramp_id: isRunning(ramp) || until !== null ? ramp?.id : null, next_at: nextAt(ramp), guard_until: until };
};

const rowJson = ({ declared, value, rollout, targets, rules, ramp, version, changes, updatedAt, updatedBy }: Flag): string =>
  JSON.stringify({ kind: declared.kind, value, rollout, targets, rules, version, changes, updated_at: updatedAt, updated_by: updatedBy, ...rampColumns(ramp) });

/** Writes a change by hand; false when the flag is no longer as it was decided on, and nothing was written. */
export const writeChange = async (db: Db | Tx, env: number, before: Flag, after: Flag, { happening, saved }: { readonly happening: Happening; readonly saved: SavedAnswer | null }): Promise<boolean> => {
  const { at, approvedBy } = happening;
  const { key } = after.declared;
  const { before: was, after: is } = flagDifference(before, after, at);
  const begins = isRunning(after.ramp) && after.ramp.id !== before.ramp?.id ? after.ramp : null;
  const ends = before.ramp !== null && after.ramp?.id !== before.ramp.id ? before.ramp.id : null;
  const written = await row(db, writeFlag, [
    env, key, at, actorJson(happening), 'flag.change', JSON.stringify({ type: 'change', approvedBy }), JSON.stringify(was),
    JSON.stringify(approvedBy === null ? is : { ...is, approvedBy }), partsOf(after, at, happening.by), rowJson(after), ends, begins === null ? null : newId('job'),
    begins === null ? null : JSON.stringify({ flag: key, ramp: begins.id, due: nextAt(begins) }), savedJson(saved),
  ]);
  return written !== undefined;
};

/** What a step or a guard makes of a flag. */
export interface Move {
  readonly verb: 'flag.step' | 'flag.stop' | 'flag.rollback';
  readonly reason: string | null;
  readonly happening: Happening;
  /** The job that does it, under whose fence it is staged again; null: a guard, and what the ramp has staged goes. */
  readonly job: { readonly id: string; readonly fence: number } | null;
}

/** Writes what became of a ramp; false when it isn't the flag's ramp any more, or the flag has changed since it was read. */
export const writeMove = async (db: Db, env: number, before: Flag, after: Flag, { verb, reason, happening, job }: Move): Promise<boolean> => {
  const { at, by } = happening;
  const { ramp } = after;
  if (ramp === null) throw new Error('A ramp’s step keeps the ramp.');
  const { before: was, after: is } = flagDifference(before, after, at);
  const shown = verb === 'flag.step' ? { rollout: is['rollout'] } : is;
  return (await run(db, stepFlag, [
    env, after.declared.key, at, actorJson(happening), verb, JSON.stringify({ type: verb.slice('flag.'.length), reason }),
    JSON.stringify(verb === 'flag.step' ? { rollout: was['rollout'] ?? null } : was), JSON.stringify(shown), partsOf(after, at, by), ramp.id, before.version,
    after.rollout, JSON.stringify(ramp), nextAt(ramp), guardUntil(ramp), job?.id ?? null, job?.fence ?? null, job === null,
  ])) > 0;
};
