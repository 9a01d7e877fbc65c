/** The history of a flag, newest first; an earlier state can be restored. Used by FlagDetail. */
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Problem, Skeleton } from '../ui/Problem.tsx';
import { count } from '../ui/time.ts';
import { Ago } from '../ui/Time.tsx';
import { flagHistoryQuery } from '../wire/flagQueries.ts';
import type { Flag, FlagEntry } from '../wire/types.ts';
import type { FlagPart } from './part.ts';
import type { FlagPatch } from './patch.ts';
import { changeText, percent } from './words.ts';

type Members = Readonly<Record<string, unknown>>;

const kinds: Readonly<Record<string, string>> = {
  step: 'a step',
  stop: 'the guard stopped it',
  rollback: 'the guard rolled it back',
};

/** Returns the change that gives the flag back what the entry took; null: it took nothing that can be set. */
const restoring = (flag: Flag, entry: FlagEntry): FlagPatch | null => {
  const before: Members = { ...entry.before };
  const patch: FlagPatch = {
    ...('value' in before ? { value: before['value'] } : {}),
    ...(flag.kind === 'boolean' && ('rollout' in before || 'value' in before)
      ? {
          rollout:
            typeof before['rollout'] === 'number' ? before['rollout'] : 'rollout' in before ? null : flag.rollout,
        }
      : {}),
    ...(Array.isArray(before['rules']) ? { rules: before['rules'] as readonly unknown[] } : {}),
    ...(typeof before['targets'] === 'object' && before['targets'] !== null
      ? { targets: { ...before['targets'] } }
      : {}),
  };
  return Object.keys(patch).length === 0 ? null : patch;
};

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

/** The steps of a ramp in one line, which opens; newest first, as all of the history. */
const Steps = ({ steps }: { readonly steps: readonly [FlagEntry, ...FlagEntry[]] }) => {
  const last = steps[0];
  const first = steps.at(-1) ?? last;
  const { rollout: from }: Members = { ...first.before };
  const { rollout: to }: Members = { ...last.after };
  return (
    <li>
      <details>
        <summary>
          The ramp took {count(steps.length)} steps: rollout {percent(Number(from ?? 0))} → {percent(Number(to ?? 0))}
        </summary>
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

export const FlagHistory = ({ flag, mayChange, change }: FlagPart) => {
  const { http } = useSession();
  const { data, error } = useQuery(flagHistoryQuery(http, flag.flag));
  if (error !== null && data === undefined) return <Problem error={error} />;
  if (data === undefined) return <Skeleton rows={3} />;
  return (
    <section aria-label="History">
      <h2>History</h2>
      {data.entries.length === 0 && <p className="soft">Nobody has changed it yet.</p>}
      <ul className="flag-rows">
        {folded(data.entries).map((group) => {
          const [entry] = group;
          if (group.length > 1) return <Steps key={entry.id} steps={group} />;
          const patch = entry.type === 'change' ? restoring(flag, entry) : null;
          return (
            <li key={entry.id}>
              <span dir="auto">
                {entry.type === 'step' ? 'The ramp' : entry.by.name}: {kinds[entry.type] ?? textOf(entry)}
                {entry.type === 'step' && ` (${textOf(entry)})`}
                {entry.approvedBy !== null && <span className="soft"> · approved by {entry.approvedBy.name}</span>}
                {entry.reason !== null && <span className="soft"> · {entry.reason}</span>}
              </span>
              <span className="soft">
                <Ago at={entry.at} />
              </span>
              {mayChange && patch !== null && (
                <Button
                  tone="bare"
                  aria-label={`Restore what was before ${textOf(entry)}`}
                  onClick={() => void change(flag, patch, 'restored what was before')}
                >
                  Restore
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      {data.isMore && <p className="soft">Earlier changes stand in the audit log.</p>}
    </section>
  );
};
