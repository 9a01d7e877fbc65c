/** What a change of value and rollout ends: a ramp, a guard that still watches, or a rollout. Used by FlagEditor and FlagHistory. */
import type { Flag } from '../wire/types.ts';
import { setsValue, type FlagPatch } from './patch.ts';
import { flagTexts } from './texts.tsx';
import { goingRamp, percent } from './words.ts';

interface Ending {
  /** What saving does, before it is done. */
  readonly will: string;
  /** The words of the button that does it. */
  readonly deed: string;
  /** What became of it, after it was done. */
  readonly done: string;
}

type State = Pick<Flag, 'value' | 'rollout'>;

/** Returns the percentage of an on/off flag that is on without targets and rules. */
const shareOf = ({ value, rollout }: State): number => rollout ?? (value === true ? 100 : 0);

/** Returns value and rollout after a change: a value alone clears the rollout. */
const stateAfter = (flag: Flag, patch: FlagPatch): State => ({
  value: 'value' in patch ? patch.value : flag.value,
  rollout: patch.rollout !== undefined ? patch.rollout : 'value' in patch ? null : flag.rollout,
});

/** Returns whether the guard of a ramp that has arrived still watches: it does so for its span after the last step. */
const isWatching = ({ ramp }: Flag): boolean =>
  ramp?.status === 'done' &&
  ramp.guard !== null &&
  Date.now() < ramp.startedAt + ramp.steps * ramp.every + ramp.guard.within;

const shareText = (share: number): string =>
  share === 100 ? flagTexts.ending.everybody : share === 0 ? flagTexts.ending.nobody : percent(share);

/** Returns what a change ends in words; null: nothing that goes on. */
export const endingOf = (flag: Flag, patch: FlagPatch): Ending | null => {
  if (!setsValue(patch)) return null;
  const after = stateAfter(flag, patch);
  const [from, to] = [shareOf(flag), shareOf(after)];
  const ramp = goingRamp(flag);
  const isWatched = isWatching(flag);
  const loses = flag.rollout !== null && after.rollout === null && from !== to;
  if (ramp === null && !isWatched && !loses) return null;
  const texts =
    ramp !== null
      ? flagTexts.ending[ramp.guard === null ? 'ramp' : 'guardedRamp']
      : flagTexts.ending[isWatched ? 'guard' : 'rollout'];
  const isSame = from === to;
  return {
    will: texts.will(
      isSame ? flagTexts.ending.stays(shareText(to)) : flagTexts.ending.moves(percent(from), shareText(to)),
    ),
    deed: texts.deed,
    done: texts.done(
      isSame ? flagTexts.ending.stays(shareText(to)) : flagTexts.ending.moved(percent(from), shareText(to)),
    ),
  };
};
