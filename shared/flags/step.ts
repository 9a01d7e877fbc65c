/** Takes the steps of an environment's ramps that are due by now. Called by the job rampStep. */
import type { Db } from '../db/knex.ts';
import { rows, statement } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import type { Environment } from '../environments/definition.ts';
import { announceFlags } from './change.ts';
import { columns, flagOf, type Flag, type FlagRow } from './model.ts';
import { dueStep, isRunning, rolloutAt, type Ramp } from './ramp.ts';
import { writeMoves, type Happening, type Move } from './write.ts';

/** Rows of one statement; fewer when their targets are large. */
const batchRows = 200;
const batchBytes = 4 * 1024 * 1024;

const due = statement('flags.due', `
  select ${columns} from (
    select *, sum(pg_column_size(targets)) over (order by next_at, key) - pg_column_size(targets) as before from flags where env = $1 and next_at <= $2
  ) f where before < ${String(batchBytes)} order by next_at, key limit ${String(batchRows)}`);

/** Steps are those of who started the ramp. */
const happeningOf = ({ by, requestId, address }: Ramp, at: number): Happening => ({ at, by, requestId, address, approvedBy: null });

export const movedFlag = (flag: Flag, moved: Pick<Flag, 'rollout' | 'ramp'>, { at, by: { type, id, name } }: Happening): Flag =>
  ({ ...flag, ...moved, version: flag.version + 1, updatedAt: at, updatedBy: { type, id, name } });

/** The step that is due at `at`; null when none is. One that was missed is skipped: only the value that is due counts. */
const stepOf = (flag: Flag, ramp: Ramp, at: number): Move | null => {
  const step = dueStep(ramp, at);
  if (step <= ramp.step) return null;
  const happening = happeningOf(ramp, at);
  const after = movedFlag(flag, { rollout: rolloutAt(ramp, step), ramp: { ...ramp, step, status: step >= ramp.steps ? 'done' : 'running' } }, happening);
  return { before: flag, after, verb: 'flag.step', reason: null, happening };
};

/** A ramp whose flag is hidden, or of another kind now, ends where it is, so that the flag keeps its value. */
const endOf = (stored: FlagRow, ramp: Ramp, at: number): Move => {
  const flag = flagOf({ key: stored.key, kind: stored.kind, default: stored.value }, stored);
  const happening = happeningOf(ramp, at);
  return { before: flag, after: movedFlag(flag, { rollout: flag.rollout, ramp: { ...ramp, status: 'stopped' } }, happening), verb: 'flag.stop', reason: 'The app does not declare this on/off flag any more.', happening };
};

const isDeclared = ({ definition }: Environment, { key, kind }: FlagRow): boolean => definition.flags.get(key)?.kind === kind;

const moveOf = (env: Environment, stored: FlagRow, at: number): Move | null => {
  const { ramp, key } = stored;
  if (!isRunning(ramp)) return null;
  const declared = env.definition.flags.get(key);
  return declared !== undefined && isDeclared(env, stored) ? stepOf(flagOf(declared, stored), ramp, at) : endOf(stored, ramp, at);
};

/** The definition may be older than the flag in this process. */
const environmentOf = async ({ directory }: Deps, known: Environment, found: readonly FlagRow[]): Promise<Environment> => {
  if (found.every((stored) => isDeclared(known, stored))) return known;
  await directory.refresh();
  return directory.environmentById(known.id) ?? known;
};

const conflictsMax = 50;

const readDue = (db: Db, env: number, at: number): Promise<FlagRow[]> => rows<FlagRow>(db, due, [env, at]);

/** Takes every step that is due at the call, and leaves to others what becomes due meanwhile and what they have taken. */
export const stepDue = async (deps: Deps, known: Environment): Promise<void> => {
  const { db, clock } = deps;
  const until = clock.now();
  for (let conflicts = 0; conflicts < conflictsMax; ) {
    const found = await readDue(db, known.id, until);
    const at = clock.now();
    const env = await environmentOf(deps, known, found);
    const moves = found.flatMap((stored) => moveOf(env, stored, at) ?? []);
    if (moves.length === 0) return;
    const written = await writeMoves(db, env.id, at, moves);
    if (written.size > 0) announceFlags(deps);
    if (written.size < moves.length) conflicts += 1;
  }
};
