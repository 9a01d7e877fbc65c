/** The ramp of a flag: planned against done, its guard, ending it, and starting one. Used by FlagDetail. */
import { useState } from 'react';
import { Button } from '../ui/Button.tsx';
import { count, whenTime } from '../ui/time.ts';
import { NewRamp } from './NewRamp.tsx';
import type { FlagPart } from './part.ts';
import { RampChart } from './RampChart.tsx';
import { goingRamp, guardText, rampText } from './words.ts';

export const RampSection = ({ flag, mayChange, change }: FlagPart) => {
  const [isMaking, setMaking] = useState(false);
  const { ramp } = flag;
  const going = goingRamp(flag);
  return (
    <section aria-label="Ramp">
      <h2>Ramp</h2>
      {ramp === null ? (
        <p className="soft">None: the rollout stays until somebody changes it.</p>
      ) : (
        <>
          <p>
            {rampText(ramp)}{' '}
            <span className="soft">
              · step {count(ramp.step)} of {count(ramp.steps)}
              {ramp.nextAt !== null && `, the next at ${whenTime(ramp.nextAt)}`}
            </span>
          </p>
          <RampChart flag={flag} ramp={ramp} />
          {ramp.guard !== null && (
            <p className={ramp.status === 'stopped' || ramp.status === 'rolled_back' ? 'problem' : 'soft'}>
              Guard: {guardText(ramp.guard)}.
            </p>
          )}
        </>
      )}
      {mayChange && !isMaking && (
        <div className="verdict-buttons">
          {going !== null && (
            <Button onClick={() => void change(flag, { ramp: null }, 'ramp ended')}>End the ramp</Button>
          )}
          <Button onClick={() => setMaking(true)}>{going === null ? 'Start a ramp' : 'Replace the ramp'}</Button>
        </div>
      )}
      {isMaking && <NewRamp flag={flag} change={change} onClose={() => setMaking(false)} />}
    </section>
  );
};
