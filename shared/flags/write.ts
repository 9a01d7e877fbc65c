/**
 * The two statements by which flags change: one by hand, many by what their ramps do. Each writes a flag only as it was
 * decided on, with its event (audit and history in one), what subscribers are told, the job of the next step and the
 * saved answer.
 */
import type { By, LivePart } from '../catalogue/events.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { row, rows, statement } from '../platform/db/sql.ts';
import type { SavedAnswer } from '../platform/journal/answers.ts';
import { flagDifference } from './decide.ts';
import { flagView, percent, type Flag } from './model.ts';
import { guardUntil, isRunning, nextAt, type Ramp } from './ramp.ts';
import { dropSlot, slotAt, stageSlots } from './slots.ts';

/** What tells of a change. */
export interface Happening {
  readonly at: number;
  readonly by: By & { readonly role: string | null };
  readonly requestId: string | null;
  readonly address: string | null;
  readonly approvedBy: By | null;
}

/** $1 environment, $2 flag, $3 when, $4 by whom, $5 to $8 what, $9 the row, $10 when the ramp that ends was due, $11 when the one that begins is, $12 the saved answer. */
const writeFlag = statement('flags.write', `
  with written as (
    insert into flags (env, key, kind, value, rollout, targets, rules, ramp, ramp_id, next_at, guard_until, version, changes, updated_at, updated_by, changed)
    select $1, $2, kind, value, rollout, targets, rules, ramp, ramp_id, next_at, guard_until, version, changes, updated_at, updated_by, pg_current_xact_id()
    from json_populate_record(null::flags, $9::json)
    on conflict (env, key) do update set kind = excluded.kind, value = excluded.value, rollout = excluded.rollout, targets = excluded.targets,
      rules = excluded.rules, ramp = excluded.ramp, ramp_id = excluded.ramp_id, next_at = excluded.next_at, guard_until = excluded.guard_until,
      version = excluded.version, changes = excluded.changes, updated_at = excluded.updated_at, updated_by = excluded.updated_by, changed = excluded.changed
    where flags.version = excluded.version - 1
    returning key
  ), numbered as (select nextval('events_id_seq') as id from written),
  happened as (
    insert into events (id, env, at, actor_type, actor, actor_name, role, verb, target_type, target, data, before, after, request_id, address)
    select id, $1, $3::bigint, $4::json ->> 'type', $4::json ->> 'id', $4::json ->> 'name', $4::json ->> 'role', 'flag.change', 'flag', $2, $5::jsonb, $6::jsonb, $7::jsonb,
      $4::json ->> 'requestId', $4::json ->> 'address' from numbered),
  told as (insert into outbox (id, env, at, parts) select id, $1, $3::bigint, $8 from numbered),
  dropped as (${dropSlot('$10::bigint', 'written')}),
  staged as (${stageSlots('select $1 as env, $11::bigint as slot, $3::bigint as at from written where $11::bigint is not null')}),
  kept as (
    insert into idempotency_keys (principal, key, fingerprint, status, body, etag, created_at)
    select $12::json ->> 'principal', $12::json ->> 'key', decode($12::json ->> 'fingerprint', 'hex'), ($12::json ->> 'status')::smallint, $12::json ->> 'body',
      $12::json ->> 'etag', $3 from written where $12::json is not null)
  select key from written`);

/** Rows are locked in one order, so that two who take the same steps never wait for each other. */
const moveFlags = statement('flags.move', `
  with given as (
    select * from json_to_recordset($2::json) as g(env int, key text, ramp_id text, version int, rollout int, ramp jsonb, next_at bigint, guard_until bigint, slot bigint,
      actor json, verb text, data jsonb, before jsonb, after jsonb, parts text)
  ), held as (
    select f.env, f.key from flags f join given g using (env, key) where f.ramp_id = g.ramp_id and f.version = g.version order by f.env, f.key for update of f
  ), written as (
    update flags f set rollout = g.rollout, ramp = g.ramp, next_at = g.next_at, guard_until = g.guard_until, version = f.version + 1,
      changes = f.changes + case g.verb when 'flag.step' then 0 else 1 end, updated_at = $1::bigint,
      updated_by = jsonb_build_object('type', g.actor -> 'type', 'id', g.actor -> 'id', 'name', g.actor -> 'name'), changed = pg_current_xact_id()
    from given g join held using (env, key) where f.env = g.env and f.key = g.key and f.version = g.version
    returning f.env, f.key
  ), numbered as materialized (select nextval('events_id_seq') as id, g.* from given g join written using (env, key)),
  happened as (
    insert into events (id, env, at, actor_type, actor, actor_name, role, verb, target_type, target, data, before, after, request_id, address)
    select id, env, $1::bigint, actor ->> 'type', actor ->> 'id', actor ->> 'name', actor ->> 'role', verb, 'flag', key, data, before, after,
      actor ->> 'requestId', actor ->> 'address' from numbered),
  told as (insert into outbox (id, env, at, parts) select id, env, $1::bigint, parts from numbered),
  staged as (${stageSlots('select env, slot, $1::bigint as at from numbered where slot is not null')})
  select key from written`);

const partsOf = (flag: Flag, at: number, { type, id, name }: By): string =>
  JSON.stringify([{ type: 'flag', flag: flagView(flag, at), by: { type, id, name } }] satisfies LivePart[]);

const savedJson = (saved: SavedAnswer | null): string | null => (saved === null ? null : JSON.stringify({ ...saved, fingerprint: saved.fingerprint.toString('hex') }));

const actorOf = ({ by, requestId, address }: Happening): object => ({ ...by, requestId, address });
const actorJson = (happening: Happening): string => JSON.stringify(actorOf(happening));

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
  const begins = isRunning(after.ramp) && after.ramp.id !== before.ramp?.id;
  const ends = isRunning(before.ramp) && after.ramp?.id !== before.ramp.id;
  const written = await row(db, writeFlag, [
    env, key, at, actorJson(happening), JSON.stringify({ type: 'change', approvedBy }), JSON.stringify(was),
    JSON.stringify(approvedBy === null ? is : { ...is, approvedBy }), partsOf(after, at, happening.by), rowJson(after),
    ends ? slotAt(nextAt(before.ramp) ?? 0, 0) : null, begins ? slotAt(nextAt(after.ramp) ?? 0, at) : null, savedJson(saved),
  ]);
  return written !== undefined;
};

/** What a step or a guard makes of a flag. */
export interface Move {
  /** The environment's number. */
  readonly env: number;
  readonly before: Flag;
  readonly after: Flag;
  readonly verb: 'flag.step' | 'flag.stop' | 'flag.rollback';
  readonly reason: string | null;
  readonly happening: Happening;
}

/** What a step tells, also when it leaves the rollout as it was. */
const rolloutOf = ({ rollout }: Flag): object => ({ rollout: rollout === null ? null : percent(rollout) });

const moveJson = (at: number) => ({ env, before, after, verb, reason, happening }: Move): object => {
  const { ramp } = after;
  if (ramp === null) throw new Error('What a ramp does keeps the ramp.');
  const { before: was, after: is } = flagDifference(before, after, at);
  const isStep = verb === 'flag.step';
  const next = nextAt(ramp);
  return {
    env, key: after.declared.key, ramp_id: ramp.id, version: before.version, rollout: after.rollout, ramp, next_at: next, guard_until: guardUntil(ramp), slot: next === null ? null : slotAt(next, at),
    actor: actorOf(happening), verb, data: { type: verb.slice('flag.'.length), reason },
    before: isStep ? rolloutOf(before) : was, after: isStep ? rolloutOf(after) : is, parts: partsOf(after, at, happening.by),
  };
};

/** Writes what became of ramps where it was still so, and answers of how many; of all others nothing was written. */
export const writeMoves = async (db: Db, at: number, moves: readonly Move[]): Promise<number> =>
  (await rows(db, moveFlags, [at, JSON.stringify(moves.map(moveJson(at)))])).length;
