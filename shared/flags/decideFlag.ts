/** Computes a flag after a change, and the difference that its history shows. Pure; used by changeFlag.ts and write.ts. */
import { isDeepStrictEqual } from 'node:util';
import type { ActorRef } from '../catalogue/events.ts';
import type { FlagRule } from './evaluate.ts';
import { flagView, type ResolvedFlag } from './model.ts';
import { countRampSteps, type Ramp, type RampRequest } from './ramp.ts';

/** A patch: an absent member leaves the flag's. It has passed `parseFlagChange`. */
export interface FlagChange {
  readonly value?: unknown;
  /** A percentage. */
  readonly rollout?: number | null;
  /** Merged by record id; null removes a target. */
  readonly targets?: Readonly<Record<string, unknown>>;
  readonly rules?: readonly FlagRule[];
  readonly ramp?: RampRequest | null;
}

/** Who changes it, when, and by which request. */
interface FlagDecisionContext {
  readonly at: number;
  readonly by: ActorRef & { readonly role: string | null };
  readonly requestId: string | null;
  readonly address: string | null;
  readonly rampId: string;
  /** Whether a person approved the change: a ramp that should have started before the approval starts with it. */
  readonly approved: boolean;
}

const thousandths = (percentage: number): number => Math.round(percentage * 1000);

const mergeTargets = (targets: ResolvedFlag['targets'], patch: ResolvedFlag['targets']): ResolvedFlag['targets'] => {
  const all = new Map(Object.entries(targets));
  for (const [id, value] of Object.entries(patch)) {
    if (value === null) all.delete(id);
    else all.set(id, value);
  }
  return Object.fromEntries(all);
};

const startRamp = (
  given: RampRequest,
  { value, rollout }: Pick<ResolvedFlag, 'value' | 'rollout'>,
  occasion: FlagDecisionContext,
): Ramp => {
  const { at, by, requestId, address, rampId, approved } = occasion;
  const wanted = given.at ?? at;
  return {
    ...given,
    id: rampId,
    from: rollout === null ? (value === true ? 100 : 0) : rollout / 1000,
    startedAt: approved ? Math.max(wanted, at) : wanted,
    step: 0,
    steps: countRampSteps(given),
    status: 'running',
    by,
    requestId,
    address,
  };
};

/** Returns the flag after `change`, or the same object when the change leaves everything as it is. */
export const decideFlag = (flag: ResolvedFlag, change: FlagChange, occasion: FlagDecisionContext): ResolvedFlag => {
  let { value, rollout, ramp } = flag;
  if ('value' in change) [value, rollout, ramp] = [change.value, null, null];
  if (change.rollout !== undefined)
    [rollout, ramp] = [change.rollout === null ? null : thousandths(change.rollout), null];
  if (change.ramp !== undefined)
    ramp = change.ramp === null ? null : startRamp(change.ramp, { value, rollout }, occasion);
  const targets = change.targets === undefined ? flag.targets : mergeTargets(flag.targets, change.targets);
  const rules = change.rules ?? flag.rules;
  const is = { value, rollout, ramp, targets, rules };
  const was = { value: flag.value, rollout: flag.rollout, ramp: flag.ramp, targets: flag.targets, rules: flag.rules };
  if (isDeepStrictEqual(is, was)) return flag;
  const { type, id, name } = occasion.by;
  return {
    ...flag,
    ...is,
    version: flag.version + 1,
    changes: flag.changes + 1,
    updatedAt: occasion.at,
    updatedBy: { type, id, name },
  };
};

const historyMembers = ['value', 'rollout', 'rules', 'ramp'] as const;

type Members = Record<string, unknown>;

/** Returns the members that differ, before and after; of the targets those that differ, null where there is none. */
export const flagDifference = (
  before: ResolvedFlag,
  after: ResolvedFlag,
  at: number,
): { readonly before: Members; readonly after: Members } => {
  const [was, is]: [Members, Members] = [{}, {}];
  const [former, current] = [flagView(before, at), flagView(after, at)];
  for (const member of historyMembers) {
    if (isDeepStrictEqual(former[member], current[member])) continue;
    was[member] = former[member];
    is[member] = current[member];
  }
  if (before.targets !== after.targets) {
    const [old, now] = [new Map(Object.entries(before.targets)), new Map(Object.entries(after.targets))];
    const ids = [...new Set([...old.keys(), ...now.keys()])].filter(
      (id) => !isDeepStrictEqual(old.get(id), now.get(id)),
    );
    if (ids.length > 0) {
      was['targets'] = Object.fromEntries(ids.map((id) => [id, old.get(id) ?? null]));
      is['targets'] = Object.fromEntries(ids.map((id) => [id, now.get(id) ?? null]));
    }
  }
  return { before: was, after: is };
};
