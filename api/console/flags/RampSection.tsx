/** The ramp of a flag: planned against done, its guard, ending it, and starting one. Used by FlagDetail. */
import { useState } from 'react';
import { Button } from '../ui/Button.tsx';
import { whenTime } from '../ui/time.ts';
import { NewRamp } from './NewRamp.tsx';
import type { FlagPart } from './part.ts';
import { RampChart } from './RampChart.tsx';
import { rampTexts } from './rampTexts.ts';
import { goingRamp, guardText, rampText, stayText } from './words.ts';

export const RampSection = ({ flag, mayChange, change }: FlagPart) => {
  const [isMaking, setMaking] = useState(false);
  const { ramp } = flag;
  const going = goingRamp(flag);
  return (
    <section aria-label={rampTexts.title}>
      <h2>{rampTexts.title}</h2>
      {ramp === null ? (
        <p className="soft">{rampTexts.none}</p>
      ) : (
        <>
          <p>
            {rampText(ramp)}{' '}
            <span className="soft">
              ·{' '}
              {ramp.nextAt === null
                ? rampTexts.step(ramp.step, ramp.steps)
                : rampTexts.stepAndNext(ramp.step, ramp.steps, whenTime(ramp.nextAt))}
            </span>
          </p>
          <RampChart flag={flag} ramp={ramp} />
          {ramp.guard !== null && (
            <p className={ramp.status === 'stopped' || ramp.status === 'rolled_back' ? 'problem' : 'soft'}>
              {rampTexts.guard(guardText(ramp.guard))}
            </p>
          )}
        </>
      )}
      {mayChange && !isMaking && (
        <div className="verdict-buttons">
          {going !== null && (
            <Button onClick={() => void change(flag, { ramp: null }, rampTexts.ended(stayText(flag)))}>
              {rampTexts.end(stayText(flag))}
            </Button>
          )}
          <Button onClick={() => setMaking(true)}>{going === null ? rampTexts.begin : rampTexts.replace}</Button>
        </div>
      )}
      {isMaking && <NewRamp flag={flag} change={change} onClose={() => setMaking(false)} />}
    </section>
  );
};
