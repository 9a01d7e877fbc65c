/** The ramp of a flag: planned against done, its guard, ending it, and starting one. Used by FlagsPage. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSession, useRead } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { useFormDraft } from '../ui/draft.ts';
import { Choice, Select, Suggested, TextInput, ProblemText, Hint, useSubmit } from '../ui/fields.tsx';
import { useNow } from '../ui/marks.tsx';
import { Section } from '../ui/PageParts.tsx';
import { uiTexts } from '../ui/texts.tsx';
import { whenTime } from '../ui/time.ts';
import { fromLocalTime } from '../ui/wallTime.ts';
import { flagHistoryQuery } from '../wire/appQueries.ts';
import { inboxesQuery, tagsQuery } from '../wire/queries.ts';
import { read } from '../wire/reading.ts';
import type { Flag, Ramp } from '../wire/types.ts';
import { percentOf } from './inputs.tsx';
import type { FlagPart } from './patch.ts';
import { flagTexts } from './texts.tsx';
import { goingRamp, guardText, percent, rampText, stayText, spanText } from './words.ts';

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
    return (await read<{ total: number }>(http, '/items', query, signal)).total;
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
  if (items === 0 && tagged === 0) return <Hint>{countedTexts.noTag(tag)}</Hint>;
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

const formTexts = flagTexts.ramps.form;

const units = [
  ['1000', formTexts.units.seconds],
  ['60000', formTexts.units.minutes],
  ['3600000', formTexts.units.hours],
  ['86400000', formTexts.units.days],
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
    <Select aria-label={formTexts.unit(label)} value={unit} options={units} onValue={onUnit} />
  </div>
);

/** The form of a new ramp, with its guard and what that would count now. */
const NewRamp = ({ flag, change, onClose }: Pick<FlagPart, 'flag' | 'change'> & { readonly onClose: () => void }) => {
  const { http, environment } = useSession();
  const { data: inboxes = [] } = useRead(inboxesQuery);
  const [fields, set, forget] = useFormDraft(`${environment}.ramp.${flag.flag}`, initial);
  const { data: tags = [] } = useQuery({ ...tagsQuery(http, fields.inbox), enabled: fields.inbox !== '' });
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
  const { isBusy, submit } = useSubmit(async () => {
    if (ramp === null) return;
    const begun = formTexts.begun(percent(Number(ramp['to'])), spanText(Number(ramp['over'])));
    if (!(await change(flag, { ramp }, begun))) return;
    forget();
    onClose();
  });
  return (
    <form className="flag-form" aria-label={formTexts.title} onSubmit={submit}>
      {input('to', formTexts.to)}
      {span(formTexts.over, 'over', 'overUnit')}
      {span(formTexts.every, 'every', 'everyUnit')}
      {input('at', formTexts.at, 'datetime-local')}
      <Choice
        label={formTexts.guard}
        value={fields.inbox}
        any={formTexts.noGuard}
        options={inboxes.map(({ name, label }) => [name, formTexts.watches(label)])}
        onValue={(inbox) => set({ inbox })}
      />
      {fields.inbox !== '' && (
        <>
          <Suggested
            label={formTexts.tag}
            options={tags.map(({ tag }) => tag)}
            value={fields.tag}
            onChange={({ target }) => set({ tag: target.value })}
          />
          {input('above', formTexts.above)}
          {span(formTexts.within, 'within', 'withinUnit')}
          <Choice
            label={formTexts.consequence}
            value={fields.consequence}
            options={[
              ['rollback', formTexts.rollback],
              ['stop', formTexts.stop],
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
      <ProblemText text={ramp === null ? formTexts.isWrong : null} />
      <div className="verdict-buttons">
        <Button type="submit" tone="main" disabled={isBusy || ramp === null}>
          {formTexts.begin}
        </Button>
        <Button onClick={onClose}>{uiTexts.form.cancel}</Button>
      </div>
    </form>
  );
};

const texts = flagTexts.ramps.chart;

const width = 640;
const height = 120;
/** Room for the line at 0 and at 100 %. */
const margin = 6;

/** The rollout over the time of a ramp: planned as a dashed line, done as a solid one. */
const RampChart = ({ flag, ramp }: { readonly flag: Flag; readonly ramp: Ramp }) => {
  const { data: history } = useRead((http) => flagHistoryQuery(http, flag.flag));
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
    <Section title={flagTexts.ramps.title}>
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
    </Section>
  );
};
