/** Guards of ramps: count the occurrences in their inboxes and end ramps above their limit. Called by the sweep dueRamps. */
import type { ActorRef } from '../catalogue/events.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRow, queryRows, statement } from '../platform/db/sql.ts';
import { notifyFlagsChanged } from './changeFlag.ts';
import type { FlagDeps } from './deps.ts';
import { flagColumns, readFlagRow, resolveFlag, type FlagRow, type ResolvedFlag } from './model.ts';
import type { Ramp, RampGuard } from './ramp.ts';
import { withRamp } from './rampSteps.ts';
import { writeRampUpdates, type FlagChangeOrigin } from './write.ts';

const guardedFlagsSql = statement('flags.watched', `select ${flagColumns} from flags where guard_until > $1`);

const occurrencesSql = `coalesce((e.after ->> 'occurrences')::int, 0) - coalesce((e.before ->> 'occurrences')::int, 0)`;
const recent = `e.env = $1 and e.inbox = $2 and e.at > $3 and e.verb in ('item.create', 'item.occur') and e.outcome = 'ok'`;
/** Each row is at least one occurrence, so that one row more than the guard allows decides: nothing beyond it is read. */
const countAllSql = statement(
  'flags.occurred',
  `
  select coalesce(sum(n), 0)::int as n from (select ${occurrencesSql} as n from events e where ${recent} order by e.at desc limit $4) newest`,
);
const countTaggedSql = statement(
  'flags.occurredTagged',
  `
  select coalesce(sum(n), 0)::int as n from (
    select ${occurrencesSql} as n from events e join items i on i.env = e.env and i.id = e.item
    where ${recent} and i.tags @> array[$5::text collate "C"] order by e.at desc limit $4) newest`,
);

/** Returns the number of occurrences in the last `within` ms; exact up to `above`, beyond it any number above it. */
const countOccurrences = async (
  db: Db,
  envId: number,
  { inbox, tag, above, within }: RampGuard,
  now: number,
): Promise<number> => {
  const values = [envId, inbox, now - within, above + 1];
  return (
    (
      await queryRow<{ n: number }>(
        db,
        tag === null ? countAllSql : countTaggedSql,
        tag === null ? values : [...values, tag],
      )
    )?.n ?? 0
  );
};

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

/** Ends one ramp, unless it has ended meanwhile. */
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
    const written = await writeRampUpdates(db, happening.at, [
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
  for (const flag of await queryRows<FlagRow>(deps.db, guardedFlagsSql, [now])) {
    const { guard = null, startedAt = 0 } = flag.ramp ?? {};
    if (guard === null || startedAt > now) continue;
    const count = await countOccurrences(deps.db, flag.env, guard, now);
    if (count > guard.above) await endRampByGuard(deps, flag, guardReason(guard, count));
  }
};
