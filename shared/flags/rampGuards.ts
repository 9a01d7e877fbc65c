/** Guards of ramps: count the occurrences in their inboxes and end ramps above their limit. Called by the sweep rampGuards. */
import type { ActorRef } from '../catalogue/events.ts';
import { limits } from '../catalogue/limits.ts';
import { queryRows, statement } from '../platform/db/sql.ts';
import { firstEventId } from '../platform/journal/pastEvents.ts';
import { notifyFlagsChanged } from './changeFlag.ts';
import type { FlagDeps } from './flagCache.ts';
import { readFlagRow, resolveFlag, type FlagRow, type ResolvedFlag } from './model.ts';
import type { Ramp, RampGuard } from './ramp.ts';
import { withRamp } from './rampSteps.ts';
import { writeRampUpdates, type FlagChangeOrigin } from './write.ts';

const occurrencesSql = `coalesce((e.after ->> 'occurrences')::int, 0) - coalesce((e.before ->> 'occurrences')::int, 0)`;
const recent = `e.env = g.env and e.inbox = g.inbox and e.id >= $2 and e.at > $1 - g.within and e.verb in ('item.create', 'item.occur') and e.outcome = 'ok'`;
/**
 * Selects the flags whose guard has seen more than it allows, with the number: exact up to `above`, beyond it any number above
 * it. Each row is at least one occurrence, so that one row more than a guard allows decides: nothing beyond it is read. Guards
 * that ask the same are counted once.
 */
const exceededSql = statement(
  'flags.exceeded',
  `
  with watching as materialized (
    select env, key, ramp_id as ramp, ramp -> 'guard' ->> 'inbox' as inbox, ramp -> 'guard' ->> 'tag' as tag,
      (ramp -> 'guard' ->> 'above')::bigint as above, (ramp -> 'guard' ->> 'within')::bigint as within
    from flags where guard_until > $1 and (ramp ->> 'startedAt')::bigint <= $1),
  counted as materialized (
    select g.*, o.n from (select distinct env, inbox, tag, above, within from watching) g
    cross join lateral (
      select coalesce(sum(n), 0)::int as n from (
        select ${occurrencesSql} as n from events e where ${recent} and g.tag is null order by e.at desc limit g.above + 1) newest
      union all
      select coalesce(sum(n), 0)::int as n from (
        select ${occurrencesSql} as n from events e join items i on i.env = e.env and i.id = e.item
        where ${recent} and g.tag is not null and i.tags @> array[g.tag collate "C"] order by e.at desc limit g.above + 1) newest) o
    where o.n > g.above)
  select w.env, w.key, w.ramp, c.n from watching w join counted c on c.env = w.env and c.inbox = w.inbox and c.tag is not distinct from w.tag
    and c.above = w.above and c.within = w.within`,
);

interface ExceededGuard {
  readonly env: number;
  readonly key: string;
  /** The ramp that was counted for; another one may have replaced it. */
  readonly ramp: string;
  readonly n: number;
}

const guardActor: ActorRef & { readonly role: null } = { type: 'system', id: null, name: 'guard', role: null };

/** Returns the flag after its guard has ended the ramp. */
const toGuardedFlag = (flag: ResolvedFlag, ramp: Ramp, happening: FlagChangeOrigin): ResolvedFlag => {
  const isBack = ramp.guard?.then === 'rollback';
  return withRamp(
    flag,
    {
      rollout: isBack ? Math.round(ramp.from * 1000) : flag.rollout,
      ramp: { ...ramp, status: isBack ? 'rolled_back' : 'stopped' },
    },
    happening,
  );
};

const guardReason = ({ inbox, tag, within }: RampGuard, count: number): string =>
  `${String(count)} or more occurrences${tag === null ? '' : ` with the tag ${tag}`} in ${inbox} within ${String(within / 1000)} s.`;

/** Tries to end a ramp while others change its flag; the next sweep tries again. */
const conflictsMax = 20;

/** Ends the ramp of a flag, unless it has ended meanwhile. */
const endRampByGuard = async (
  deps: FlagDeps,
  { env: envId, key, ramp_id: id }: FlagRow,
  reason: string,
): Promise<void> => {
  const { db, clock, directory } = deps;
  for (let conflicts = 0; conflicts < conflictsMax; conflicts++) {
    const stored = await readFlagRow(db, envId, key);
    const declared = directory.environmentById(envId)?.definition.flags.get(key);
    if (stored === undefined || declared === undefined || stored.ramp_id !== id) return;
    const flag = resolveFlag(declared, stored);
    const { ramp } = flag;
    if (ramp === null || (ramp.status !== 'running' && ramp.status !== 'done')) return;
    const happening: FlagChangeOrigin = {
      at: clock.now(),
      by: guardActor,
      requestId: ramp.requestId,
      address: null,
      approvedBy: null,
    };
    const verb = ramp.guard?.then === 'rollback' ? 'flag.rollback' : 'flag.stop';
    const written = await writeRampUpdates(deps, happening.at, [
      { envId, before: flag, after: toGuardedFlag(flag, ramp, happening), verb, reason, happening },
    ]);
    if (written > 0) {
      notifyFlagsChanged(deps);
      return;
    }
  }
};

/** Checks every guard that watches now, and ends the ramps above their limit. */
export const checkRampGuards = async (deps: FlagDeps): Promise<void> => {
  const now = deps.clock.now();
  const first = firstEventId(deps.directory.past(), now - limits.guardWithinMs);
  for (const { env, key, ramp, n } of await queryRows<ExceededGuard>(deps.db, exceededSql, [now, first])) {
    const flag = await readFlagRow(deps.db, env, key);
    const guard = flag?.ramp?.guard ?? null;
    if (flag?.ramp_id === ramp && guard !== null) await endRampByGuard(deps, flag, guardReason(guard, n));
  }
};
