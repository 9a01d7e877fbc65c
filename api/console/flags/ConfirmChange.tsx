/** What a change of a flag would do, tried out, with the reason and the confirmation that the flag wants. Used by useFlagChange. */
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { differences, rampMember } from '../content/difference.ts';
import { useSession } from '../shell/session.ts';
import { FormDialog } from '../ui/FormDialog.tsx';
import { count } from '../ui/time.ts';
import { reasonMost, TooLong } from '../ui/TooLong.tsx';
import type { Flag } from '../wire/types.ts';
import { changeTexts } from './changeTexts.ts';
import type { FlagPatch } from './patch.ts';
import { goingRamp, percent, planText, rampText, valueText } from './words.ts';

/** Reason and confirmation of a change. */
export interface Given {
  readonly confirmed?: true;
  readonly reason?: string;
}

interface ConfirmChangeProps {
  readonly flag: Flag;
  readonly patch: FlagPatch;
  readonly done: string;
  /** Returns why the change was not made; null: it was. */
  readonly onConfirm: (given: Given) => Promise<string | null>;
  readonly onClose: () => void;
}

interface DryRun {
  readonly would: 'change' | 'pend' | 'nothing';
  readonly flag: Flag;
}

/** Returns the value of a member of a flag as people read it. */
const memberText = (name: string, value: unknown): string => {
  if (value === undefined || value === null) return changeTexts.none;
  if (name === 'rollout') return percent(Number(value));
  return name === 'rules' && Array.isArray(value) ? count(value.length) : valueText(value);
};

/** Returns what would change: the name of each member, what it is and what it would be. A ramp is told as a whole. */
const changesOf = (flag: Flag, after: Flag): readonly (readonly [string, string, string])[] => {
  const rows = differences(flag, flag, after, rampMember).map(({ name, now, after: will }) => ({ name, now, will }));
  const isOfRamp = ({ name }: { readonly name: string }): boolean => name === rampMember;
  const going = goingRamp(flag);
  const next = goingRamp(after);
  return [
    ...rows
      .filter((row) => !isOfRamp(row))
      .map(({ name, now, will }) => [name, memberText(name, now), memberText(name, will)] as const),
    ...(rows.some(isOfRamp)
      ? [
          [
            changeTexts.ramp,
            going === null ? changeTexts.none : rampText(going),
            next === null ? changeTexts.none : planText(next),
          ] as const,
        ]
      : []),
  ];
};

export const ConfirmChange = ({ flag, patch, done, onConfirm, onClose }: ConfirmChangeProps) => {
  const { http } = useSession();
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const [isBusy, setBusy] = useState(false);
  /** Why the last confirmation was refused; null: it was not. */
  const [refusal, setRefusal] = useState<string | null>(null);
  const confirmed = flag.danger === null ? {} : { confirmed: true as const };
  const given = { ...confirmed, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) };
  const {
    data: dry,
    error,
    refetch,
  } = useQuery({
    queryKey: ['flag', flag.flag, 'dry', patch, flag.version],
    queryFn: async ({ signal }) => {
      // The reason is not known yet where one is wanted; a dry run takes any.
      const body = {
        change: patch,
        dryRun: true,
        ...confirmed,
        ...(flag.reasonRequired ? { reason: 'dry-run' } : {}),
      };
      return (await http.call<DryRun>('POST', `/flags/${encodeURIComponent(flag.flag)}`, { body, signal })).body;
    },
    retry: false,
    gcTime: 0,
  });
  const rows = dry === undefined ? [] : changesOf(flag, dry.flag);
  const isTyped = flag.danger !== 'high' || typed.trim() === flag.flag;
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!isTyped || isBusy) return;
    // What it would do is seen before it is confirmed: where it could not be tried out, and after a conflict.
    if (error !== null) return void refetch();
    if (refusal !== null && dry === undefined) return;
    setBusy(true);
    setRefusal(await onConfirm(given));
    setBusy(false);
  };
  return (
    <FormDialog
      title={changeTexts.title(flag.flag, done)}
      about={
        dry?.would === 'pend'
          ? changeTexts.pends
          : dry?.would === 'nothing'
            ? changeTexts.isSoAlready
            : changeTexts.happensAtOnce
      }
      deed={dry?.would === 'pend' ? changeTexts.ask : changeTexts.change}
      problem={error?.message ?? refusal}
      onSubmit={(event) => void submit(event)}
      onClose={onClose}
    >
      {rows.length > 0 && (
        <dl className="fields">
          {rows.map(([name, now, after]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd dir="auto">
                {now} → {after}
              </dd>
            </div>
          ))}
        </dl>
      )}
      <label>
        {flag.reasonRequired ? changeTexts.reason : changeTexts.reasonOptional}
        <input
          autoFocus
          required={flag.reasonRequired}
          value={reason}
          autoComplete="off"
          onChange={({ target }) => setReason(target.value)}
        />
      </label>
      <TooLong what={changeTexts.theReason} text={reason} most={reasonMost} />
      {flag.danger === 'high' && (
        <label>
          {changeTexts.typeToConfirm(flag.flag)}
          <input required value={typed} autoComplete="off" onChange={({ target }) => setTyped(target.value)} />
        </label>
      )}
    </FormDialog>
  );
};
