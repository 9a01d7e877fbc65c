/** Takes the steps of ramps that are due by now, of all environments. Called by the job rampStep. */
import type { ManifestFlag } from '../app/manifest/manifest.ts';
import { queryRows, statement } from '../platform/db/sql.ts';
import { notifyFlagsChanged } from './changeFlag.ts';
import type { FlagDeps } from './flagCache.ts';
import { flagColumns, resolveFlag, type FlagRow, type ResolvedFlag } from './model.ts';
import { dueStep, isRampRunning, rolloutAt, type Ramp } from './ramp.ts';
import { writeRampUpdates, type FlagChangeOrigin, type RampUpdate } from './write.ts';

/** Rows of one statement; fewer when their targets are large. */
const batchRows = 200;
const batchBytes = 4 * 1024 * 1024;

const dueFlagsSql = statement(
  'flags.due',
  `
  select ${flagColumns} from (
    select *, sum(pg_column_size(targets)) over (order by next_at, env, key) - pg_column_size(targets) as before from flags where next_at <= $1
  ) f where before < ${String(batchBytes)} order by next_at, env, key limit ${String(batchRows)}`,
);

/** Returns the origin of a step: who started the ramp, by that request. */
const rampChangeOrigin = ({ by, requestId, address }: Ramp, at: number): FlagChangeOrigin => ({
  at,
  by,
  requestId,
  address,
  approvedBy: null,
});

/** Returns the flag with another rollout and ramp, one version later. */
export const withRamp = (
  flag: ResolvedFlag,
  moved: Pick<ResolvedFlag, 'rollout' | 'ramp'>,
  { at, by: { type, id, name } }: FlagChangeOrigin,
): ResolvedFlag => ({ ...flag, ...moved, version: flag.version + 1, updatedAt: at, updatedBy: { type, id, name } });

/** Returns the step that is due at `at`, null when none is. Steps that were missed are skipped. */
const buildStep = (envId: number, flag: ResolvedFlag, ramp: Ramp, at: number): RampUpdate | null => {
  const step = dueStep(ramp, at);
  if (step <= ramp.step) return null;
  const happening = rampChangeOrigin(ramp, at);
  const isLast = step >= ramp.steps;
  const moved: Ramp = { ...ramp, step, status: isLast ? 'done' : 'running', ...(isLast ? { doneAt: at } : {}) };
  const after = withRamp(flag, { rollout: rolloutAt(ramp, step), ramp: moved }, happening);
  return { envId, before: flag, after, verb: 'flag.step', reason: null, happening };
};

/** Returns the end of a ramp whose flag is not declared now, or of another kind: the rollout stays as it is. */
const buildRampEnd = (stored: FlagRow, ramp: Ramp, at: number): RampUpdate => {
  const flag = resolveFlag({ key: stored.key, kind: stored.kind, default: stored.value }, stored);
  const happening = rampChangeOrigin(ramp, at);
  const after = withRamp(flag, { rollout: flag.rollout, ramp: { ...ramp, status: 'stopped' } }, happening);
  return {
    envId: stored.env,
    before: flag,
    after,
    verb: 'flag.stop',
    reason: 'The app does not declare this on/off flag any more.',
    happening,
  };
};

/** Returns the declaration of a row's flag, undefined when the app declares none of this kind now. */
const declaredOf = ({ directory }: FlagDeps, { env: envId, key, kind }: FlagRow): ManifestFlag | undefined => {
  const declared = directory.environmentById(envId)?.definition.flags.get(key);
  return declared?.kind === kind ? declared : undefined;
};

const buildRampUpdate = (deps: FlagDeps, stored: FlagRow, at: number): RampUpdate | null => {
  const { env: envId, ramp } = stored;
  // Without its environment there is no telling whether the flag is declared.
  if (!isRampRunning(ramp) || deps.directory.environmentById(envId) === undefined) return null;
  const declared = declaredOf(deps, stored);
  return declared === undefined
    ? buildRampEnd(stored, ramp, at)
    : buildStep(envId, resolveFlag(declared, stored), ramp, at);
};

/** Batches that may lose rows to concurrent changes before the rest is left to the next job. */
const conflictsMax = 50;

const readDue = async (deps: FlagDeps, until: number): Promise<FlagRow[]> => {
  const found = await queryRows<FlagRow>(deps.db, dueFlagsSql, [until]);
  // The directory of this process may be older than the flags.
  if (found.some((stored) => declaredOf(deps, stored) === undefined)) await deps.directory.refresh();
  return found;
};

/** Takes every step that is due at the call. Steps that become due meanwhile have jobs of their own. */
export const takeDueRampSteps = async (deps: FlagDeps): Promise<void> => {
  const { clock } = deps;
  const until = clock.now();
  for (let conflicts = 0; conflicts < conflictsMax;) {
    const found = await readDue(deps, until);
    const at = clock.now();
    const moves = found.flatMap((stored) => buildRampUpdate(deps, stored, at) ?? []);
    if (moves.length === 0) return;
    const written = await writeRampUpdates(deps, at, moves);
    if (written > 0) notifyFlagsChanged(deps);
    if (written < moves.length) conflicts += 1;
  }
};
