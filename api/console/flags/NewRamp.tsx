/** The form of a new ramp, with its guard. Used by RampSection. */
import { useQuery } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { useFormDraft } from '../ui/draft.ts';
import { fromLocalTime } from '../ui/timeZone.ts';
import { inboxesQuery, tagsQuery } from '../wire/queries.ts';
import { GuardCount } from './GuardCount.tsx';
import type { FlagPart } from './part.ts';
import { rampTexts } from './rampTexts.ts';
import { percentOf } from './value.ts';
import { percent, spanText } from './words.ts';

const texts = rampTexts.form;

const units = [
  ['1000', texts.units.seconds],
  ['60000', texts.units.minutes],
  ['3600000', texts.units.hours],
  ['86400000', texts.units.days],
] as const;

const initial = {
  to: '100',
  over: '2',
  overUnit: '3600000',
  every: '10',
  everyUnit: '60000',
  at: '',
  inbox: '',
  tag: '',
  above: '10',
  within: '10',
  withinUnit: '60000',
  consequence: 'rollback',
};
type Fields = typeof initial;

const spanOf = (amount: string, unit: string): number => Math.round(Number(amount) * Number(unit));

/** Returns the ramp of a form; null: a field is wrong. */
const rampOf = (fields: Fields): Readonly<Record<string, unknown>> | null => {
  const to = percentOf(fields.to);
  const over = spanOf(fields.over, fields.overUnit);
  const every = spanOf(fields.every, fields.everyUnit);
  const at = fields.at === '' ? null : fromLocalTime(fields.at);
  const above = Number(fields.above);
  const within = spanOf(fields.within, fields.withinUnit);
  if (to === null || !(every >= 1_000) || !(over >= every) || Number.isNaN(at)) return null;
  if (fields.inbox === '') return { to, over, every, at };
  if (!Number.isInteger(above) || above < 0 || !(within >= 1_000)) return null;
  const tag = fields.tag.trim() === '' ? null : fields.tag.trim();
  // oxlint-disable-next-line unicorn/no-thenable -- the API's own name
  return { to, over, every, at, guard: { inbox: fields.inbox, tag, above, within, then: fields.consequence } };
};

interface SpanProps {
  readonly label: string;
  readonly amount: string;
  readonly unit: string;
  readonly onAmount: (amount: string) => void;
  readonly onUnit: (unit: string) => void;
}

const Span = ({ label, amount, unit, onAmount, onUnit }: SpanProps) => (
  <div className="span">
    <label>
      {label}
      <input inputMode="decimal" value={amount} onChange={({ target }) => onAmount(target.value)} />
    </label>
    <select aria-label={texts.unit(label)} value={unit} onChange={({ target }) => onUnit(target.value)}>
      {units.map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  </div>
);

export const NewRamp = ({
  flag,
  change,
  onClose,
}: Pick<FlagPart, 'flag' | 'change'> & { readonly onClose: () => void }) => {
  const { http, environment } = useSession();
  const { data: inboxes = [] } = useQuery(inboxesQuery(http));
  const tagsId = useId();
  const [fields, set, forget] = useFormDraft(`${environment}.ramp.${flag.flag}`, initial);
  const { data: tags = [] } = useQuery({ ...tagsQuery(http, fields.inbox), enabled: fields.inbox !== '' });
  const [isBusy, setBusy] = useState(false);
  const ramp = rampOf(fields);
  const input = (name: keyof Fields, label: string, type = 'text') => (
    <label>
      {label}
      <input
        type={type}
        value={fields[name]}
        autoComplete="off"
        onChange={({ target }) => set({ [name]: target.value })}
      />
    </label>
  );
  const span = (label: string, amount: keyof Fields, unit: keyof Fields) => (
    <Span
      label={label}
      amount={fields[amount]}
      unit={fields[unit]}
      onAmount={(text) => set({ [amount]: text })}
      onUnit={(text) => set({ [unit]: text })}
    />
  );
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (ramp === null || isBusy) return;
    setBusy(true);
    const isDone = await change(
      flag,
      { ramp },
      texts.begun(percent(Number(ramp['to'])), spanText(Number(ramp['over']))),
    );
    setBusy(false);
    if (!isDone) return;
    forget();
    onClose();
  };
  return (
    <form className="flag-form" aria-label={texts.title} onSubmit={(event) => void submit(event)}>
      {input('to', texts.to)}
      {span(texts.over, 'over', 'overUnit')}
      {span(texts.every, 'every', 'everyUnit')}
      {input('at', texts.at, 'datetime-local')}
      <label>
        {texts.guard}
        <select value={fields.inbox} onChange={({ target }) => set({ inbox: target.value })}>
          <option value="">{texts.noGuard}</option>
          {inboxes.map(({ name, label }) => (
            <option key={name} value={name}>
              {texts.watches(label)}
            </option>
          ))}
        </select>
      </label>
      {fields.inbox !== '' && (
        <>
          <label>
            {texts.tag}
            <input
              value={fields.tag}
              list={tagsId}
              autoComplete="off"
              onChange={({ target }) => set({ tag: target.value })}
            />
            <datalist id={tagsId}>
              {tags.map(({ tag }) => (
                <option key={tag} value={tag} />
              ))}
            </datalist>
          </label>
          {input('above', texts.above)}
          {span(texts.within, 'within', 'withinUnit')}
          <label>
            {texts.consequence}
            <select value={fields.consequence} onChange={({ target }) => set({ consequence: target.value })}>
              <option value="rollback">{texts.rollback}</option>
              <option value="stop">{texts.stop}</option>
            </select>
          </label>
          <GuardCount
            inbox={fields.inbox}
            tag={fields.tag.trim()}
            above={Number(fields.above)}
            within={spanOf(fields.within, fields.withinUnit)}
            isStop={fields.consequence === 'stop'}
          />
        </>
      )}
      {ramp === null && (
        <p className="problem" role="alert">
          {texts.isWrong}
        </p>
      )}
      <div className="verdict-buttons">
        <Button type="submit" tone="main" disabled={isBusy || ramp === null}>
          {texts.begin}
        </Button>
        <Button onClick={onClose}>{texts.cancel}</Button>
      </div>
    </form>
  );
};
