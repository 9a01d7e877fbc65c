/** Takes the step of a ramp that is due by now. Called by the job rampStep, which is staged again in the same statement. */
import type { Db } from '../db/knex.ts';
import type { Deps } from '../deps.ts';
import type { Environment } from '../environments/definition.ts';
import { announceFlags } from './change.ts';
import { flagOf, readFlagRow, type Flag } from './model.ts';
import { dueStep, isRunning, nextAt, rolloutAt, type Ramp } from './ramp.ts';
import { writeMove, type Happening, type Move } from './write.ts';

export interface RampJob {
  readonly flag: string;
  readonly ramp: string;
  /** The row in `staged_jobs` that a worker has claimed. */
  readonly job: { readonly id: string; readonly fence: number };
}

/** When to come again; null: there is nothing left to do, or the job is staged again already. */
type Next = number | null;

/** Steps are those of who started the ramp. */
const happeningOf = ({ by, requestId, address }: Ramp, at: number): Happening => ({ at, by, requestId, address, approvedBy: null });

export const movedFlag = (flag: Flag, moved: Pick<Flag, 'rollout' | 'ramp'>, { at, by: { type, id, name } }: Happening): Flag =>
  ({ ...flag, ...moved, version: flag.version + 1, updatedAt: at, updatedBy: { type, id, name } });

/** The flag after the step that is due at `at`; null when none is. A step that was missed is skipped: only the value that is due counts. */
const steppedFlag = (flag: Flag, ramp: Ramp, at: number): Flag | null => {
  const step = dueStep(ramp, at);
  if (step <= ramp.step) return null;
  const after: Ramp = { ...ramp, step, status: step >= ramp.steps ? 'done' : 'running' };
  return movedFlag(flag, { rollout: rolloutAt(ramp, step), ramp: after }, happeningOf(ramp, at));
};

const conflictsMax = 50;

/** The flag with its running ramp of that id; a flag that is declared no more, or otherwise, has none. */
const readRamp = async (db: Db, env: Environment, key: string, id: string): Promise<{ flag: Flag; ramp: Ramp } | null> => {
  const stored = await readFlagRow(db, env.id, key);
  const declared = env.definition.flags.get(key);
  if (stored === undefined || declared === undefined || stored.ramp_id !== id) return null;
  const flag = flagOf(declared, stored);
  return isRunning(flag.ramp) ? { flag, ramp: flag.ramp } : null;
};

/** A ramp whose flag is hidden, or of another kind now: it ends where it is, so that the flag keeps its value. */
const endHidden = async (deps: Deps, env: Environment, { flag: key, ramp: id }: RampJob): Promise<void> => {
  const stored = await readFlagRow(deps.db, env.id, key);
  if (stored === undefined || stored.ramp_id !== id || !isRunning(stored.ramp)) return;
  const { ramp } = stored;
  const flag = flagOf({ key, kind: stored.kind, default: stored.value }, stored);
  const happening = happeningOf(ramp, deps.clock.now());
  const move: Move = { verb: 'flag.stop', reason: 'The app does not declare this on/off flag any more.', happening, job: null };
  await writeMove(deps.db, env.id, flag, movedFlag(flag, { rollout: flag.rollout, ramp: { ...ramp, status: 'stopped' } }, happening), move);
};

export const stepRamp = async (deps: Deps, env: Environment, wanted: RampJob): Promise<Next> => {
  const { db, clock } = deps;
  for (let conflicts = 0; conflicts < conflictsMax; conflicts++) {
    const found = await readRamp(db, env, wanted.flag, wanted.ramp);
    if (found === null) {
      await endHidden(deps, env, wanted);
      return null;
    }
    const { flag, ramp } = found;
    const at = clock.now();
    const after = steppedFlag(flag, ramp, at);
    if (after === null) return nextAt(ramp);
    if (await writeMove(db, env.id, flag, after, { verb: 'flag.step', reason: null, happening: happeningOf(ramp, at), job: wanted.job })) {
      announceFlags(deps);
      return null;
    }
  }
  return clock.now();
};
