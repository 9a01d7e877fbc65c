/** The rollout over the time of a ramp: planned as a dashed line, done as a solid one. Used by RampSection. */
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../shell/session.ts';
import { useNow } from '../ui/clock.ts';
import { whenTime } from '../ui/time.ts';
import { flagHistoryQuery } from '../wire/flagQueries.ts';
import type { Flag, Ramp } from '../wire/types.ts';
import { rampTexts } from './rampTexts.ts';
import { percent } from './words.ts';

const texts = rampTexts.chart;

const width = 640;
const height = 120;
/** Room for the line at 0 and at 100 %. */
const margin = 6;

export const RampChart = ({ flag, ramp }: { readonly flag: Flag; readonly ramp: Ramp }) => {
  const { http } = useSession();
  const { data: history } = useQuery(flagHistoryQuery(http, flag.flag));
  const now = useNow();
  const { startedAt, over, from, to } = ramp;
  const end = startedAt + over;
  const steps = (history?.entries ?? []).flatMap(({ at, type, after }) => {
    const { rollout }: { readonly rollout?: unknown } = after;
    return at >= startedAt && type !== 'change' && typeof rollout === 'number' ? [{ at, rollout }] : [];
  });
  const last = Math.max(end, ...steps.map(({ at }) => at));
  const x = (at: number): number => Math.round(((Math.min(at, last) - startedAt) / (last - startedAt)) * width);
  const y = (rollout: number): number => Math.round(height - margin - (rollout / 100) * (height - 2 * margin));
  const isGoing = ramp.status === 'running';
  const done = steps
    .toReversed()
    .reduce((path, { at, rollout }) => `${path} H${String(x(at))} V${String(y(rollout))}`, `M0 ${String(y(from))}`);
  const present = Math.max(startedAt, Math.min(now, last), ...steps.map(({ at }) => at));
  return (
    <figure className="ramp-chart">
      <svg
        viewBox={`0 0 ${String(width)} ${String(height)}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={texts.label(percent(from), percent(to), percent(flag.rollout ?? from))}
      >
        <path
          className="grid"
          d={`M0 ${String(y(0))} H${String(width)} M0 ${String(y(50))} H${String(width)} M0 ${String(y(100))} H${String(width)}`}
        />
        <path className="planned" d={`M0 ${String(y(from))} L${String(x(end))} ${String(y(to))}`} />
        <path className="done" d={isGoing ? `${done} H${String(x(present))}` : done} />
      </svg>
      <figcaption className="soft">
        <span>{texts.at(whenTime(startedAt), percent(from))}</span>
        <span>{texts.legend}</span>
        <span>{texts.at(whenTime(end), percent(to))}</span>
      </figcaption>
    </figure>
  );
};
