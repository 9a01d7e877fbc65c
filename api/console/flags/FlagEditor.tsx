/** Value and rollout of a flag; sends only what was changed. Used by FlagsPage. */
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { useFormDraft } from '../ui/draft.ts';
import { ProblemText, Hint, useSubmit } from '../ui/fields.tsx';
import { endingOf } from './endings.ts';
import { RolloutInput, ValueInput, fromInput, rolloutOf, toInput } from './inputs.tsx';
import type { FlagPart, FlagPatch } from './patch.ts';
import { flagTexts } from './texts.tsx';
import { percent, valueText } from './words.ts';
import { wordTexts } from './wordTexts.ts';

const texts = flagTexts.form;

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
  const ending = isChanged && !isWrong ? endingOf(flag, patch) : null;
  const done = wordTexts.change.together([
    ...(movesValue ? [texts.toValue(valueText(value))] : []),
    ...(movesRollout && typeof rollout === 'number' ? [texts.toRollout(percent(rollout))] : []),
    ...(movesRollout && typeof rollout !== 'number' && ending === null ? [texts.toNoRollout] : []),
    ...(ending === null ? [] : [ending.done]),
  ]);
  const now = valueText(flag.value);
  const { isBusy, submit } = useSubmit(async () => {
    if (isChanged && !isWrong && (await change(flag, patch, done))) forget();
  });
  return (
    <form className="flag-form" aria-label={texts.title} onSubmit={submit}>
      <ValueInput
        kind={flag.kind}
        label={fields.rollout.trim() === '' ? texts.value : texts.valueWithoutRollout}
        text={fields.value}
        onText={(text) => set({ value: text })}
      />
      {flag.kind === 'boolean' && (
        <RolloutInput label={texts.rollout} text={fields.rollout} onText={(text) => set({ rollout: text })} />
      )}
      {isChanged && (
        <>
          <Button type="submit" tone="main" disabled={isBusy || isWrong}>
            {ending?.deed ?? texts.save}
          </Button>
          <Button onClick={forget}>{texts.discard}</Button>
        </>
      )}
      <ProblemText text={isWrong ? (value === undefined ? texts.isNo(flag.kind) : texts.isNoRollout) : null} />
      {isChanged && fields.base !== '' && fields.base !== base && (
        <Hint>
          {texts.changedMeanwhile(flag.rollout === null ? now : texts.rolloutAndValue(percent(flag.rollout), now))}
        </Hint>
      )}
      {ending !== null && <Hint>{ending.will}</Hint>}
    </form>
  );
};
