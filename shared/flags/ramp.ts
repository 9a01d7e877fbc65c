/** Ramps: rollouts that move by themselves. Pure functions of the ramp and a time; used by all of shared/flags. */
import type { ActorRef } from '../catalogue/events.ts';

export interface RampGuard {
  readonly inbox: string;
  readonly tag: string | null;
  /** More occurrences than this … */
  readonly above: number;
  /** … within so many ms … */
  readonly within: number;
  /** … stop the ramp, or set the rollout back to where it began. */
  readonly then: 'stop' | 'rollback';
}

/** A ramp as the client requested it. */
export interface RampRequest {
  /** A percentage. */
  readonly to: number;
  /** ms from its start to its last step. */
  readonly over: number;
  /** ms between two steps. */
  readonly every: number;
  /** When it starts; null: at once. */
  readonly at: number | null;
  readonly guard: RampGuard | null;
}

/** `done`: at its last step; `stopped`, `rolled_back`: by its guard, or `stopped` because its flag is not declared any more. */
type RampStatus = 'running' | 'done' | 'stopped' | 'rolled_back';

/** A ramp as the column `flags.ramp` stores it. */
export interface Ramp extends RampRequest {
  /** Every update by a step names it, so that steps of a ramp that was stopped or replaced change nothing. */
  readonly id: string;
  /** The percentage at its start. */
  readonly from: number;
  readonly startedAt: number;
  /** The number of steps taken. */
  readonly step: number;
  readonly steps: number;
  readonly status: RampStatus;
  /** When its last step was taken; absent before, and where an earlier release took it. */
  readonly doneAt?: number;
  /** Who started it, and so the actor of its steps. */
  readonly by: ActorRef & { readonly role: string | null };
  readonly requestId: string | null;
  readonly address: string | null;
}

export const countRampSteps = ({ over, every }: Pick<RampRequest, 'over' | 'every'>): number => Math.ceil(over / every);

/** Returns the step that is due at a time; 0: none yet. */
export const dueStep = ({ startedAt, every, steps }: Ramp, at: number): number =>
  Math.max(0, Math.min(steps, Math.floor((at - startedAt) / every)));

/** Returns when step `step` is due. */
const stepAt = ({ startedAt, every }: Ramp, step: number): number => startedAt + step * every;

/** Returns the rollout after step `step`, in thousandths of a percent; after the last one it is exactly `to`. */
export const rolloutAt = ({ from, to, every, over, steps }: Ramp, step: number): number =>
  Math.round((step >= steps ? to : from + (to - from) * Math.min(1, (step * every) / over)) * 1000);

export const isRampRunning = (ramp: Ramp | null): ramp is Ramp => ramp?.status === 'running';

/** Returns when the next step is due; null: there is none. */
export const nextStepAt = (ramp: Ramp | null): number | null =>
  isRampRunning(ramp) ? stepAt(ramp, ramp.step + 1) : null;

/** Later than any time. */
const always = Number.MAX_SAFE_INTEGER;

/**
 * Returns until when a ramp's guard watches: while the ramp runs, and `within` ms after its last step was taken, which may be
 * long after that was due. Null: no guard watches.
 */
export const guardUntil = (ramp: Ramp | null): number | null => {
  if (ramp === null || ramp.guard === null) return null;
  if (ramp.status === 'running') return always;
  return ramp.status === 'done' ? (ramp.doneAt ?? stepAt(ramp, ramp.steps)) + ramp.guard.within : null;
};

export const rampJson = (ramp: Ramp, at: number): Readonly<Record<string, unknown>> => {
  const { to, over, every, from, startedAt, step, steps, status, guard } = ramp;
  return {
    to,
    over,
    every,
    at: ramp.at,
    guard,
    from,
    startedAt,
    step,
    steps,
    nextAt: nextStepAt(ramp),
    status: status === 'running' && at < startedAt ? 'scheduled' : status,
  };
};
