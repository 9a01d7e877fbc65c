/** Changes of a flag: tried out and confirmed where the flag wants it, undone by the inverse change. Used by the page of a flag. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { differences, rampMember } from '../content/difference.ts';
import { useFreshSignIn } from '../shell/freshSignIn.tsx';
import { useSession } from '../shell/session.ts';
import { TextInput, TooLong, reasonMost, useSubmit } from '../ui/fields.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { count } from '../ui/plural.ts';
import { uiTexts } from '../ui/texts.tsx';
import { messageOf } from '../wire/apiError.ts';
import type { Flag } from '../wire/types.ts';
import { type FlagPart, patchFor } from './patch.ts';
import { type Given, type Waiting, confirmationsOf, conflictOf, keepFlag, useFlagSending } from './useFlagSending.ts';
import { goingRamp, percent, planText, rampText, valueText } from './words.ts';
import { wordTexts } from './wordTexts.ts';

interface ConfirmChangeProps extends Pick<Waiting, 'flag' | 'patch' | 'done'> {
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
  if (value === undefined || value === null) return wordTexts.none;
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
            wordTexts.changed.ramp,
            going === null ? wordTexts.none : rampText(going),
            next === null ? wordTexts.none : planText(next),
          ] as const,
        ]
      : []),
  ];
};

/** What a change of a flag would do, tried out, with the reason and the confirmation that the flag wants. */
const ConfirmChange = ({ flag, patch, done, onConfirm, onClose }: ConfirmChangeProps) => {
  const { http } = useSession();
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
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
  const { submit } = useSubmit(async () => {
    if (!isTyped) return;
    // What it would do is seen before it is confirmed: where it could not be tried out, and after a conflict.
    if (error !== null) return void refetch();
    if (refusal !== null && dry === undefined) return;
    setRefusal(await onConfirm(given));
  });
  return (
    <FormDialog
      title={wordTexts.change.title(flag.flag, done)}
      about={
        dry?.would === 'pend'
          ? wordTexts.change.pends
          : dry?.would === 'nothing'
            ? wordTexts.change.isSoAlready
            : wordTexts.change.happensAtOnce
      }
      deed={dry?.would === 'pend' ? wordTexts.change.ask : wordTexts.change.change}
      problem={error?.message ?? refusal}
      onSubmit={submit}
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
      <TextInput
        label={flag.reasonRequired ? uiTexts.form.reason : wordTexts.change.reasonOptional}
        autoFocus
        required={flag.reasonRequired}
        value={reason}
        onValue={setReason}
      />
      <TooLong what={uiTexts.form.theReason} text={reason} most={reasonMost} />
      {flag.danger === 'high' && (
        <TextInput label={wordTexts.change.typeToConfirm(flag.flag)} required value={typed} onValue={setTyped} />
      )}
    </FormDialog>
  );
};

/** `name`: the flag whose page it is. */
export const useFlagChange = (name: string) => {
  const session = useSession();
  const { run, dialog: freshDialog } = useFreshSignIn();
  const { send, attempt } = useFlagSending(run);
  const confirmations = confirmationsOf(session);
  const waiting = useSyncExternalStore(confirmations.subscribe, confirmations.waiting);
  useEffect(() => () => confirmations.drop(name), [confirmations, name]);
  /** Returns why a change was not made; null: it was. After a conflict the same change of the flag as it is now waits. */
  const confirm = async (one: Waiting, given: Given): Promise<string | null> => {
    try {
      await send(one, given);
    } catch (error) {
      const current = conflictOf(error);
      if (current === null) return messageOf(error);
      keepFlag(session, current);
      const patch = patchFor(one.change, current);
      if (patch === null) return wordTexts.change.changedMeanwhile(name);
      confirmations.replace(one, { ...one, flag: current, patch });
      return wordTexts.change.conflictToConfirm(name);
    }
    confirmations.end(one, 'made');
    return null;
  };
  const dialog = (
    <>
      {waiting?.flag.flag === name && (
        <ConfirmChange
          flag={waiting.flag}
          patch={waiting.patch}
          done={waiting.done}
          onConfirm={(given) => confirm(waiting, given)}
          onClose={() => confirmations.end(waiting, 'dropped')}
        />
      )}
      {freshDialog}
    </>
  );
  const change: FlagPart['change'] = async (...given) => (await attempt(...given)) === 'made';
  return { change, dialog };
};
