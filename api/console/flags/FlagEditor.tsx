/** Value and rollout of a flag; sends only what was changed. Used by FlagDetail. */
import { useState, type FormEvent } from 'react';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { useFormDraft } from '../ui/draft.ts';
import type { FlagPart } from './part.ts';
import type { FlagPatch } from './patch.ts';
import { RolloutInput } from './RolloutInput.tsx';
import { fromInput, rolloutOf, toInput } from './value.ts';
import { ValueInput } from './ValueInput.tsx';
import { goingRamp, percent, valueText } from './words.ts';

export const FlagEditor = ({ flag, change }: FlagPart) => {
  const { environment } = useSession();
  const present = {
    value: toInput(flag.kind, flag.value),
    rollout: flag.rollout === null ? '' : String(flag.rollout),
  };
  const [fields, setFields, forget] = useFormDraft(`${environment}.flag.${flag.flag}`, { ...present, base: '' });
  const base = JSON.stringify(present);
  /** Keeps what was there when the typing began. */
  const set = (part: Partial<typeof present>): void =>
    setFields({ ...present, ...fields, base: fields.base === '' ? base : fields.base, ...part });
  const [isBusy, setBusy] = useState(false);
  const value = fromInput(flag.kind, fields.value);
  const rollout = rolloutOf(fields.rollout);
  const isWrong = value === undefined || rollout === undefined;
  const movesValue = fields.value !== present.value;
  const movesRollout = fields.rollout.trim() !== present.rollout;
  const isChanged = movesValue || movesRollout;
  const patch: FlagPatch = {
    ...(movesValue ? { value } : {}),
    // A value alone would take the rollout away.
    ...(movesRollout || (movesValue && flag.rollout !== null) ? { rollout: rollout ?? null } : {}),
  };
  const done = [
    ...(movesValue ? [`value ${valueText(value)}`] : []),
    ...(movesRollout ? [typeof rollout === 'number' ? `rollout ${percent(rollout)}` : 'no rollout'] : []),
  ].join(', ');
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!isChanged || isWrong || isBusy) return;
    setBusy(true);
    if (await change(flag, patch, done)) forget();
    setBusy(false);
  };
  return (
    <form className="flag-form" aria-label="Value and rollout" onSubmit={(event) => void submit(event)}>
      <ValueInput kind={flag.kind} label="Value" text={fields.value} onText={(text) => set({ value: text })} />
      {flag.kind === 'boolean' && (
        <RolloutInput label="Rollout in %" text={fields.rollout} onText={(text) => set({ rollout: text })} />
      )}
      {isChanged && (
        <>
          <Button type="submit" tone="main" disabled={isBusy || isWrong}>
            Save
          </Button>
          <Button onClick={forget}>Discard</Button>
        </>
      )}
      {isWrong && (
        <p className="problem" role="alert">
          {value === undefined ? `This is no ${flag.kind}.` : 'A rollout is a number from 0 to 100, or nothing.'}
        </p>
      )}
      {isChanged && fields.base !== '' && fields.base !== base && (
        <p className="hint" role="status">
          It became{' '}
          {flag.rollout === null ? valueText(flag.value) : `${percent(flag.rollout)}, ${valueText(flag.value)}`}{' '}
          meanwhile. Saving replaces that.
        </p>
      )}
      {isChanged && movesRollout && goingRamp(flag) !== null && (
        <p className="hint">A rollout set by hand ends the ramp.</p>
      )}
    </form>
  );
};
