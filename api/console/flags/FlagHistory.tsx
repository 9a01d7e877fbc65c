/** The history of a flag, newest first; an earlier state can be restored. Used by FlagDetail. */
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Problem, Skeleton } from '../ui/Problem.tsx';
import { Ago } from '../ui/Time.tsx';
import { flagHistoryQuery } from '../wire/flagQueries.ts';
import type { FlagEntry } from '../wire/types.ts';
import { changeTexts } from './changeTexts.ts';
import { endingOf } from './endings.ts';
import type { FlagPart } from './part.ts';
import type { FlagPatch } from './patch.ts';
import { rampBefore, reachedBy, restoring } from './restoring.ts';
import { flagTexts } from './texts.tsx';
import { changeText, percent } from './words.ts';

const texts = flagTexts.history;

type Members = Readonly<Record<string, unknown>>;

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
    <li>
      <details>
        <summary>{texts.steps(steps.length, percent(Number(from ?? 0)), percent(Number(to ?? 0)))}</summary>
        <ul>
          {steps.map((step) => (
            <li key={step.id}>
              {textOf(step)}{' '}
              <span className="soft">
                <Ago at={step.at} />
              </span>
            </li>
          ))}
        </ul>
      </details>
      <span className="soft">
        <Ago at={last.at} />
      </span>
    </li>
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
  const done = changeTexts.together([
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
  const { http } = useSession();
  const { data, error } = useQuery(flagHistoryQuery(http, flag.flag));
  if (error !== null && data === undefined) return <Problem error={error} />;
  if (data === undefined) return <Skeleton rows={3} />;
  return (
    <section aria-label={texts.title}>
      <h2>{texts.title}</h2>
      {data.entries.length === 0 && <p className="soft">{texts.none}</p>}
      <ul className="flag-rows">
        {folded(data.entries).map((group) => {
          const [entry] = group;
          if (group.length > 1) return <Steps key={entry.id} steps={group} />;
          const patch = entry.type === 'change' ? restoring(flag, entry) : null;
          return (
            <li key={entry.id}>
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
            </li>
          );
        })}
      </ul>
      {data.isMore && <p className="soft">{texts.more}</p>}
    </section>
  );
};
