/** The ramp of a flag: planned against done, its guard, ending it, and starting one. Used by FlagsPage. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { whenTime } from '../ui/time.ts';
import { useNow } from '../ui/Time.tsx';
import { flagHistoryQuery } from '../wire/flagQueries.ts';
import type { Flag, Ramp } from '../wire/types.ts';
import { NewRamp } from './NewRamp.tsx';
import type { FlagPart } from './patch.ts';
import { flagTexts } from './texts.tsx';
import { goingRamp, guardText, percent, rampText, stayText } from './words.ts';

const texts = flagTexts.ramps.chart;

const width = 640;
const height = 120;
/** Room for the line at 0 and at 100 %. */
const margin = 6;

/** The rollout over the time of a ramp: planned as a dashed line, done as a solid one. */
const RampChart = ({ flag, ramp }: { readonly flag: Flag; readonly ramp: Ramp }) => {
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

export const RampSection = ({ flag, mayChange, change }: FlagPart) => {
  const [isMaking, setMaking] = useState(false);
  const { ramp } = flag;
  const going = goingRamp(flag);
  return (
    <section aria-label={flagTexts.ramps.title}>
      <h2>{flagTexts.ramps.title}</h2>
      {ramp === null ? (
        <p className="soft">{flagTexts.ramps.none}</p>
      ) : (
        <>
          <p>
            {rampText(ramp)}{' '}
            <span className="soft">
              ·{' '}
              {ramp.nextAt === null
                ? flagTexts.ramps.step(ramp.step, ramp.steps)
                : flagTexts.ramps.stepAndNext(ramp.step, ramp.steps, whenTime(ramp.nextAt))}
            </span>
          </p>
          <RampChart flag={flag} ramp={ramp} />
          {ramp.guard !== null && (
            <p className={ramp.status === 'stopped' || ramp.status === 'rolled_back' ? 'problem' : 'soft'}>
              {flagTexts.ramps.guard(guardText(ramp.guard))}
            </p>
          )}
        </>
      )}
      {mayChange && !isMaking && (
        <div className="verdict-buttons">
          {going !== null && (
            <Button onClick={() => void change(flag, { ramp: null }, flagTexts.ramps.ended(stayText(flag)))}>
              {flagTexts.ramps.end(stayText(flag))}
            </Button>
          )}
          <Button onClick={() => setMaking(true)}>
            {going === null ? flagTexts.ramps.begin : flagTexts.ramps.replace}
          </Button>
        </div>
      )}
      {isMaking && <NewRamp flag={flag} change={change} onClose={() => setMaking(false)} />}
    </section>
  );
};
