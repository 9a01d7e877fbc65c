/** The history of a flag, newest first; an earlier state can be restored, with the ramp that ran then. Used by FlagsPage. */
import { isObject } from '../content/values.ts';
import { useRead } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Ago } from '../ui/marks.tsx';
import { Section } from '../ui/PageParts.tsx';
import { Problem, Skeleton } from '../ui/Problem.tsx';
import { Row, Rows } from '../ui/Rows.tsx';
import { flagHistoryQuery } from '../wire/appQueries.ts';
import type { Flag, FlagEntry, Ramp } from '../wire/types.ts';
import { endingOf } from './endings.ts';
import { type FlagPart, type FlagPatch, rampRest } from './patch.ts';
import { flagTexts } from './texts.tsx';
import { changeText, isGoing, percent } from './words.ts';
import { wordTexts } from './wordTexts.ts';

type Members = Readonly<Record<string, unknown>>;

/** Returns the ramp that an entry ended or replaced; null: none went on. */
const rampBefore = ({ before }: FlagEntry): Ramp | null => {
  const { ramp }: Members = { ...before };
  if (!isObject(ramp)) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API's own ramp
  const former = ramp as unknown as Ramp;
  return isGoing(former) ? former : null;
};

/** Returns the rollout that a ramp had reached. */
const reachedBy = ({ from, to, step, every, over }: Ramp): number =>
  Math.round((from + (to - from) * Math.min(1, (step * every) / over)) * 1_000) / 1_000;

/** Returns the rollout that comes back; undefined: the entry left it. */
const rolloutBefore = (flag: Flag, before: Members, ramp: Ramp | null): number | null | undefined => {
  if (flag.kind !== 'boolean') return undefined;
  if ('rollout' in before) return typeof before['rollout'] === 'number' ? before['rollout'] : null;
  if (ramp !== null) return reachedBy(ramp);
  // A value alone would take the rollout away.
  return 'value' in before ? flag.rollout : undefined;
};

/**
 * Returns the change that gives the flag back what the entry took; null: it took nothing that can be set. A ramp that it ended begins
 * again now, from where it was and with the time that it had left: its own times may be long past.
 */
const restoring = (flag: Flag, entry: FlagEntry): FlagPatch | null => {
  const before: Members = { ...entry.before };
  const ramp = flag.kind === 'boolean' ? rampBefore(entry) : null;
  const rollout = rolloutBefore(flag, before, ramp);
  const patch: FlagPatch = {
    ...('value' in before ? { value: before['value'] } : {}),
    ...(rollout === undefined ? {} : { rollout }),
    ...(ramp === null ? {} : { ramp: rampRest(ramp, null) }),
    ...(Array.isArray(before['rules']) ? { rules: before['rules'] as readonly unknown[] } : {}),
    ...(isObject(before['targets']) ? { targets: { ...before['targets'] } } : {}),
  };
  return Object.keys(patch).length === 0 ? null : patch;
};

const texts = flagTexts.history;

/** Returns the entries, the steps of one ramp together. */
const folded = (entries: readonly FlagEntry[]): readonly (readonly [FlagEntry, ...FlagEntry[]])[] => {
  const groups: [FlagEntry, ...FlagEntry[]][] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last?.[0].type === 'step' && entry.type === 'step') last.push(entry);
    else groups.push([entry]);
  }
  return groups;
};

const textOf = ({ before, after }: FlagEntry): string => changeText({ ...before }, { ...after });

/** Returns what an entry says: who or what changed the flag, and what it did. */
const entryText = (entry: FlagEntry): string => {
  const { type, by } = entry;
  if (type === 'step') return texts.entry(texts.ramp, texts.step(textOf(entry)));
  return texts.entry(by.name, type === 'stop' ? texts.stop : type === 'rollback' ? texts.rollback : textOf(entry));
};

/** The steps of a ramp in one line, which opens; newest first, as all of the history. */
const Steps = ({ steps }: { readonly steps: readonly [FlagEntry, ...FlagEntry[]] }) => {
  const last = steps[0];
  const first = steps.at(-1) ?? last;
  const { rollout: from }: Members = { ...first.before };
  const { rollout: to }: Members = { ...last.after };
  return (
    <Row>
      <details>
        <summary>{texts.steps(steps.length, percent(Number(from ?? 0)), percent(Number(to ?? 0)))}</summary>
        <Rows>
          {steps.map((step) => (
            <Row key={step.id}>
              {textOf(step)}{' '}
              <span className="soft">
                <Ago at={step.at} />
              </span>
            </Row>
          ))}
        </Rows>
      </details>
      <span className="soft">
        <Ago at={last.at} />
      </span>
    </Row>
  );
};

/** The button that brings back what was before a change; what ends a ramp or begins one again is tried out and confirmed. */
const Restore = ({
  entry,
  patch,
  flag,
  change,
}: Pick<FlagPart, 'flag' | 'change'> & { readonly entry: FlagEntry; readonly patch: FlagPatch }) => {
  const ended = endingOf(flag, patch);
  const ramp = rampBefore(entry);
  const done = wordTexts.change.together([
    texts.restored(textOf(entry)),
    ...(ended === null ? [] : [ended.done]),
    ...(ramp === null ? [] : [texts.rampGoesOn(percent(patch.rollout ?? reachedBy(ramp)), percent(ramp.to))]),
  ]);
  return (
    <Button
      tone="bare"
      aria-label={texts.restoreOf(textOf(entry))}
      onClick={() => void change(flag, patch, done, ended !== null || patch.ramp !== undefined)}
    >
      {texts.restore}
    </Button>
  );
};

export const FlagHistory = ({ flag, mayChange, change }: FlagPart) => {
  const { data, error } = useRead((http) => flagHistoryQuery(http, flag.flag));
  if (error !== null && data === undefined) return <Problem error={error} />;
  if (data === undefined) return <Skeleton rows={3} />;
  return (
    <Section title={texts.title}>
      {data.entries.length === 0 && <p className="soft">{texts.none}</p>}
      <Rows className="flag-rows" hasMore={data.isMore}>
        {folded(data.entries).map((group) => {
          const [entry] = group;
          if (group.length > 1) return <Steps key={entry.id} steps={group} />;
          const patch = entry.type === 'change' ? restoring(flag, entry) : null;
          return (
            <Row key={entry.id}>
              <span dir="auto">
                {entryText(entry)}
                {entry.approvedBy !== null && (
                  <span className="soft"> · {texts.approvedBy(entry.approvedBy.name)}</span>
                )}
                {entry.reason !== null && <span className="soft"> · {entry.reason}</span>}
              </span>
              <span className="soft">
                <Ago at={entry.at} />
              </span>
              {mayChange && patch !== null && <Restore entry={entry} patch={patch} flag={flag} change={change} />}
            </Row>
          );
        })}
      </Rows>
      {data.isMore && <p className="soft">{texts.more}</p>}
    </Section>
  );
};
