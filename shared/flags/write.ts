/**
 * The two statements that change flags: one by hand, many by their ramps. Each writes a flag only while it still has the
 * version that the change was decided on, with its event (audit and history in one), the message to subscribers, the job of
 * the next step and the saved response. Used by changeFlag.ts, rampSteps.ts and rampGuards.ts.
 */
import type { ActorRef, LivePart } from '../catalogue/events.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { actorValues, change, event, keep, live, savedValues, writeChange } from '../platform/journal/changeWriter.ts';
import { actorOfJson, withEventIds, type EventActor } from '../platform/journal/events.ts';
import type { SavedResponse } from '../platform/journal/idempotency.ts';
import { sameColumns } from '../platform/journal/inserts.ts';
import { flagDifference } from './decideFlag.ts';
import type { FlagDeps } from './flagCache.ts';
import { flagView, toPercent, type ResolvedFlag } from './model.ts';
import { guardUntil, isRampRunning, nextStepAt, type Ramp } from './ramp.ts';
import { deleteRampJobSql, rampBucketAt, stageRampJobsSql } from './rampBuckets.ts';

/** Who made a change, when, and by which request. */
export interface FlagChangeOrigin {
  readonly at: number;
  readonly by: ActorRef & { readonly role: string | null };
  readonly requestId: string | null;
  readonly address: string | null;
  readonly approvedBy: ActorRef | null;
  readonly reason?: string | null;
}

const changeByHand = change(
  'flags.write',
  {
    written: `
    insert into flags (env, key, kind, value, rollout, targets, rules, ramp, ramp_id, next_at, guard_until, version, changes, updated_at, updated_by, changed)
    select $env, $key, kind, value, rollout, targets, rules, ramp, ramp_id, next_at, guard_until, version, changes, updated_at, updated_by, pg_current_xact_id()
    from json_populate_record(null::flags, $row::json)
    on conflict (env, key) do update set kind = excluded.kind, value = excluded.value, rollout = excluded.rollout, targets = excluded.targets,
      rules = excluded.rules, ramp = excluded.ramp, ramp_id = excluded.ramp_id, next_at = excluded.next_at, guard_until = excluded.guard_until,
      version = excluded.version, changes = excluded.changes, updated_at = excluded.updated_at, updated_by = excluded.updated_by, changed = excluded.changed
    where flags.version = excluded.version - 1
    returning key`,
    numbered: withEventIds('written'),
    happened: event(
      {
        id: 'id',
        verb: "'flag.change'",
        target_type: "'flag'",
        target: '$key',
        data: '$data::jsonb',
        before: '$before::jsonb',
        after: '$after::jsonb',
      },
      { from: 'numbered' },
    ),
    told: live({ id: 'id' }, { from: 'numbered' }),
    dropped: deleteRampJobSql('$ends::bigint', 'written'),
    staged: stageRampJobsSql(
      'select $env as env, $begins::bigint as slot, $at::bigint as at from written where $begins::bigint is not null',
    ),
    kept: keep({ from: 'written' }),
  },
  'select key from written',
);

/** Rows are locked in one order, so that two workers that take the same steps never deadlock. */
const changeByRamps = change(
  'flags.move',
  {
    given: `
    select * from json_to_recordset($moves::json) as g(env int, key text, ramp_id text, version int, rollout int, ramp jsonb, next_at bigint, guard_until bigint, slot bigint,
      actor json, verb text, data jsonb, before jsonb, after jsonb, parts text)`,
    held: `
    select f.env, f.key from flags f join given g using (env, key) where f.ramp_id = g.ramp_id and f.version = g.version order by f.env, f.key for update of f`,
    written: `
    update flags f set rollout = g.rollout, ramp = g.ramp, next_at = g.next_at, guard_until = g.guard_until, version = f.version + 1,
      changes = f.changes + case g.verb when 'flag.step' then 0 else 1 end, updated_at = $at::bigint,
      updated_by = jsonb_build_object('type', g.actor -> 'type', 'id', g.actor -> 'id', 'name', g.actor -> 'name'), changed = pg_current_xact_id()
    from given g join held using (env, key) where f.env = g.env and f.key = g.key and f.version = g.version
    returning f.env, f.key`,
    numbered: withEventIds('given g join written using (env, key)', 'g.*'),
    happened: event(
      {
        ...actorOfJson('actor'),
        ...sameColumns(['id', 'env', 'verb', 'data', 'before', 'after']),
        target_type: "'flag'",
        target: 'key',
      },
      { from: 'numbered' },
    ),
    told: live(sameColumns(['id', 'env', 'parts']), { from: 'numbered' }),
    staged: stageRampJobsSql('select env, slot, $at::bigint as at from numbered where slot is not null'),
  },
  'select key from written',
);

const flagLiveParts = (flag: ResolvedFlag, at: number, { type, id, name }: ActorRef): string =>
  JSON.stringify([{ type: 'flag', flag: flagView(flag, at), by: { type, id, name } }] satisfies LivePart[]);

const actorOf = ({ by, requestId, address }: FlagChangeOrigin): EventActor => ({ ...by, requestId, address });

/** Returns the columns of a ramp: the row names the ramp while steps or its guard may still change the flag. */
const rampColumns = (ramp: Ramp | null): object => {
  const until = guardUntil(ramp);
  return {
    ramp,
    ramp_id: isRampRunning(ramp) || until !== null ? ramp?.id : null,
    next_at: nextStepAt(ramp),
    guard_until: until,
  };
};

const rowOf = ({
  declared,
  value,
  rollout,
  targets,
  rules,
  ramp,
  version,
  changes,
  updatedAt,
  updatedBy,
}: ResolvedFlag): object => ({
  kind: declared.kind,
  value,
  rollout,
  targets,
  rules,
  version,
  changes,
  updated_at: updatedAt,
  updated_by: updatedBy,
  ...rampColumns(ramp),
});

interface FlagChangeWriting {
  readonly happening: FlagChangeOrigin;
  readonly saved: SavedResponse | null;
  /** The state that the row keeps where it differs from the flag's: that of another kind. */
  readonly kept?: ResolvedFlag;
}

/** Writes a change by hand. Returns false, and writes nothing, when the flag has another version than `before`. */
export const writeFlagChange = async (
  db: Db | Tx,
  envId: number,
  before: ResolvedFlag,
  after: ResolvedFlag,
  { happening, saved, kept }: FlagChangeWriting,
): Promise<boolean> => {
  const { at, approvedBy, reason = null } = happening;
  const why = reason === null ? {} : { reason };
  const { key } = after.declared;
  const { before: was, after: is } = flagDifference(before, after, at);
  // A ramp that the row keeps ends at its next step.
  const begins = kept === undefined && isRampRunning(after.ramp) && after.ramp.id !== before.ramp?.id;
  const ends = kept === undefined && isRampRunning(before.ramp) && after.ramp?.id !== before.ramp.id;
  const values = {
    env: envId,
    key,
    at,
    data: { type: 'change', approvedBy, ...why },
    before: was,
    after: { ...is, ...(approvedBy === null ? {} : { approvedBy }), ...why },
    live: flagLiveParts(after, at, happening.by),
    row: rowOf(kept ?? after),
    ends: ends ? rampBucketAt(nextStepAt(before.ramp) ?? 0, 0) : null,
    begins: begins ? rampBucketAt(nextStepAt(after.ramp) ?? 0, at) : null,
    ...savedValues(saved),
    ...actorValues(actorOf(happening)),
  };
  return (await writeChange(db, changeByHand, values)) > 0;
};

/** The change of one flag by a step or a guard. */
export interface RampUpdate {
  readonly envId: number;
  readonly before: ResolvedFlag;
  readonly after: ResolvedFlag;
  readonly verb: 'flag.step' | 'flag.stop' | 'flag.rollback';
  readonly reason: string | null;
  readonly happening: FlagChangeOrigin;
}

/** Returns the rollout as a step's event names it, also when the step leaves it unchanged. */
const rolloutOf = ({ rollout }: ResolvedFlag): object => ({ rollout: rollout === null ? null : toPercent(rollout) });

const rampUpdateJson =
  (at: number) =>
  ({ envId, before, after, verb, reason, happening }: RampUpdate) => {
    const { ramp } = after;
    if (ramp === null) throw new Error('An update by a ramp has lost the ramp.');
    const { before: was, after: is } = flagDifference(before, after, at);
    const isStep = verb === 'flag.step';
    const next = nextStepAt(ramp);
    return {
      env: envId,
      key: after.declared.key,
      ramp_id: ramp.id,
      version: before.version,
      rollout: after.rollout,
      ramp,
      next_at: next,
      guard_until: guardUntil(ramp),
      slot: next === null ? null : rampBucketAt(next, at),
      actor: actorOf(happening),
      verb,
      data: { type: verb.slice('flag.'.length), reason },
      before: isStep ? rolloutOf(before) : was,
      after: isStep ? rolloutOf(after) : is,
      parts: flagLiveParts(after, at, happening.by),
    };
  };

/** Writes the updates whose flags still have the version and ramp of `before`, and returns their number; skips the others. */
export const writeRampUpdates = async (
  { db, meter }: FlagDeps,
  at: number,
  moves: readonly RampUpdate[],
): Promise<number> => {
  const updates = moves.map(rampUpdateJson(at));
  const written = await writeChange(db, changeByRamps, { at, moves: JSON.stringify(updates) });
  for (const { actor, env, parts } of updates) meter.count(actor.id ?? '', env, parts.length);
  return written;
};
