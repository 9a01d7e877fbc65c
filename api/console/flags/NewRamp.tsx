/** The form of a new ramp, with its guard and what that would count now. Used by RampSection. */
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { useFormDraft } from '../ui/draft.ts';
import { Choice, Select, Suggested, TextInput } from '../ui/fields.tsx';
import { fromLocalTime } from '../ui/timeZone.ts';
import { inboxesQuery, tagsQuery } from '../wire/queries.ts';
import { percentOf } from './inputs.tsx';
import type { FlagPart } from './patch.ts';
import { flagTexts } from './texts.tsx';
import { percent, spanText } from './words.ts';

const countedTexts = flagTexts.ramps.counted;

interface GuardCountProps {
  readonly inbox: string;
  /** Empty: all. */
  readonly tag: string;
  readonly above: number;
  readonly within: number;
  /** Whether the ramp would stop, or else be rolled back. */
  readonly isStop: boolean;
}

const rereadMs = 15_000;

/** What a guard would count now: what came before a ramp counts too, so that a ramp may end as soon as it begins. */
const GuardCount = ({ inbox, tag, above, within, isStop }: GuardCountProps) => {
  const { http } = useSession();
  const count = async (since: object, signal: AbortSignal): Promise<number> => {
    const query = { inbox, ...(tag === '' ? {} : { tags: tag }), ...since, count: 1, limit: 1 };
    return (await http.call<{ total: number }>('GET', '/items', { query, signal })).body.total;
  };
  const { data: items } = useQuery({
    queryKey: ['guardCount', inbox, tag, within],
    queryFn: ({ signal }) => count({ seenAfter: Date.now() - within }, signal),
    enabled: within >= 1_000,
    refetchInterval: rereadMs,
    retry: false,
  });
  const { data: tagged } = useQuery({
    queryKey: ['guardCount', inbox, tag],
    queryFn: ({ signal }) => count({}, signal),
    enabled: tag !== '' && items === 0,
    refetchInterval: rereadMs,
    retry: false,
  });
  if (items === undefined) return null;
  const span = spanText(within);
  // A tag that is mistyped makes a guard that never ends anything.
  if (items === 0 && tagged === 0)
    return (
      <p className="hint" role="status">
        {countedTexts.noTag(tag)}
      </p>
    );
  if (items > above)
    return (
      <p className="problem" role="status">
        {(isStop ? countedTexts.stops : countedTexts.rollsBack)(items, span)}
      </p>
    );
  return (
    <p className="soft" role="status">
      {items === 0 ? countedTexts.nothing(span) : countedTexts.some(items, span)}
    </p>
  );
};

const texts = flagTexts.ramps.form;

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
    <TextInput label={label} inputMode="decimal" autoComplete="on" value={amount} onValue={onAmount} />
    <Select aria-label={texts.unit(label)} value={unit} options={units} onValue={onUnit} />
  </div>
);

export const NewRamp = ({
  flag,
  change,
  onClose,
}: Pick<FlagPart, 'flag' | 'change'> & { readonly onClose: () => void }) => {
  const { http, environment } = useSession();
  const { data: inboxes = [] } = useQuery(inboxesQuery(http));
  const [fields, set, forget] = useFormDraft(`${environment}.ramp.${flag.flag}`, initial);
  const { data: tags = [] } = useQuery({ ...tagsQuery(http, fields.inbox), enabled: fields.inbox !== '' });
  const [isBusy, setBusy] = useState(false);
  const ramp = rampOf(fields);
  const input = (name: keyof Fields, label: string, type = 'text') => (
    <TextInput label={label} type={type} value={fields[name]} onValue={(text) => set({ [name]: text })} />
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
      <Choice
        label={texts.guard}
        value={fields.inbox}
        any={texts.noGuard}
        options={inboxes.map(({ name, label }) => [name, texts.watches(label)])}
        onValue={(inbox) => set({ inbox })}
      />
      {fields.inbox !== '' && (
        <>
          <Suggested
            label={texts.tag}
            options={tags.map(({ tag }) => tag)}
            value={fields.tag}
            onChange={({ target }) => set({ tag: target.value })}
          />
          {input('above', texts.above)}
          {span(texts.within, 'within', 'withinUnit')}
          <Choice
            label={texts.consequence}
            value={fields.consequence}
            options={[
              ['rollback', texts.rollback],
              ['stop', texts.stop],
            ]}
            onValue={(consequence) => set({ consequence })}
          />
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
