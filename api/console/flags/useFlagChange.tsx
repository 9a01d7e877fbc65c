/** Changes of a flag: tried out and confirmed where the flag wants it, undone by the inverse change. Used by the page of a flag. */
import { useEffect, useSyncExternalStore, type ReactNode } from 'react';
import { useFreshSignIn } from '../shell/freshSignIn.tsx';
import { useSession } from '../shell/session.ts';
import { changeTexts } from './changeTexts.ts';
import { confirmationsOf, type Waiting } from './confirmations.ts';
import { ConfirmChange, type Given } from './ConfirmChange.tsx';
import type { FlagPart } from './part.ts';
import { patchFor } from './patch.ts';
import { conflictOf, keepFlag, messageOf, useFlagSending } from './useFlagSending.ts';

interface FlagChanges {
  readonly change: FlagPart['change'];
  readonly dialog: ReactNode;
}

/** `name`: the flag whose page it is. */
export const useFlagChange = (name: string): FlagChanges => {
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
      if (patch === null) return changeTexts.changedMeanwhile(name);
      confirmations.replace(one, { ...one, flag: current, patch });
      return changeTexts.conflictToConfirm(name);
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
  return {
    change: async (flag, patch, done, isAsked) => (await attempt(flag, patch, done, isAsked)) === 'made',
    dialog,
  };
};
