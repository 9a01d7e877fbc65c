/** Changes of a flag: tried out and confirmed where the flag wants it, undone by the inverse change. Used by the page of a flag. */
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore, type ReactNode } from 'react';
import { useFreshSignIn } from '../shell/freshSignIn.tsx';
import { useSession, type Session } from '../shell/session.ts';
import { ApiError } from '../wire/apiError.ts';
import { keys } from '../wire/queries.ts';
import type { Flag } from '../wire/types.ts';
import { changeTexts } from './changeTexts.ts';
import { confirmationsOf, type Outcome, type Waiting } from './confirmations.ts';
import { ConfirmChange, type Given } from './ConfirmChange.tsx';
import type { FlagPart } from './part.ts';
import { isQuick, patchFor, undoOf, type FlagPatch, type PatchOf } from './patch.ts';

interface FlagChanges {
  readonly change: FlagPart['change'];
  readonly dialog: ReactNode;
}

const keepFlag = ({ queries }: Session, flag: Flag): void => {
  queries.setQueryData<Flag>(keys.flag(flag.flag), (known) =>
    known !== undefined && known.version > flag.version ? known : flag,
  );
  queries.setQueryData<readonly Flag[]>(keys.flags, (known) =>
    known?.map((each) => (each.flag === flag.flag && each.version <= flag.version ? flag : each)),
  );
  void queries.invalidateQueries({ queryKey: keys.flagHistory(flag.flag) });
};

/** Returns the flag as somebody else left it; null: the failure is no conflict. */
const conflictOf = (error: unknown): Flag | null =>
  error instanceof ApiError && error.code === 'version_conflict'
    ? // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API's own answer to a conflict of flags
      (error.body['current'] as Flag)
    : null;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Whether a change is confirmed in a dialog before it is sent. */
const isConfirmed = ({ danger, approval, reasonRequired }: Flag, patch: FlagPatch): boolean =>
  (danger !== null || approval || reasonRequired) && !isQuick(patch);

/** `name`: the flag whose page it is. */
export const useFlagChange = (name: string): FlagChanges => {
  const session = useSession();
  const { http, queries, notices, environment } = session;
  const navigate = useNavigate();
  const { run, dialog: freshDialog } = useFreshSignIn();
  const confirmations = confirmationsOf(session);
  const waiting = useSyncExternalStore(confirmations.subscribe, confirmations.waiting);
  useEffect(() => () => confirmations.drop(name), [confirmations, name]);
  /** Lets the last change be undone from any page; an undo that was refused can be tried again. */
  const offerUndo = (flag: Flag, patch: FlagPatch, changed: Flag, done: string): void => {
    let isUndone = false;
    const undo = undoOf(flag, patch, changed);
    const back = async (): Promise<void> => {
      if (isUndone) return;
      isUndone = true;
      const present = queries.getQueryData<Flag>(keys.flag(flag.flag)) ?? changed;
      const inverse = undo(present);
      if (inverse !== null && isConfirmed(present, inverse))
        void navigate({ to: '/env/$environment/flags/$flag', params: { environment, flag: flag.flag } });
      if ((await attempt(present, undo, changeTexts.undone(done))) !== 'refused') return;
      isUndone = false;
      notices.remember(() => void back());
    };
    notices.remember(() => void back());
    notices.show({
      tone: 'done',
      text: changeTexts.done(flag.flag, done),
      actions: [{ label: changeTexts.undo, key: 'u', run: () => void back() }],
    });
  };
  const send = async ({ flag, patch, done }: Pick<Waiting, 'flag' | 'patch' | 'done'>, given: Given): Promise<void> => {
    const { body } = await run(() =>
      http.call<{ flag?: Flag; changed?: boolean; pending?: boolean }>(
        'POST',
        `/flags/${encodeURIComponent(flag.flag)}`,
        {
          body: { change: patch, ...given },
          ifMatch: flag.version,
        },
      ),
    );
    if (body.flag === undefined) {
      notices.show({ tone: 'done', text: changeTexts.asked(done) });
      void queries.invalidateQueries({ queryKey: keys.approvals });
      return;
    }
    keepFlag(session, body.flag);
    if (body.changed !== true) notices.show({ tone: 'done', text: changeTexts.wasSo(flag.flag) });
    else if (isQuick(patch)) notices.show({ tone: 'done', text: changeTexts.done(flag.flag, done) });
    else offerUndo(flag, patch, body.flag, done);
  };
  const attempt = async (flag: Flag, wanted: FlagPatch | PatchOf, done: string): Promise<Outcome> => {
    const patch = patchFor(wanted, flag);
    if (patch === null) {
      notices.show({ tone: 'failed', text: changeTexts.changedMeanwhile(flag.flag) });
      return 'dropped';
    }
    if (isConfirmed(flag, patch))
      return new Promise<Outcome>((answer) => confirmations.begin({ flag, change: wanted, patch, done, answer }));
    try {
      await send({ flag, patch, done }, {});
      return 'made';
    } catch (error) {
      const current = conflictOf(error);
      if (current !== null) keepFlag(session, current);
      notices.show({ tone: 'failed', text: current === null ? messageOf(error) : changeTexts.conflict(flag.flag) });
      return current !== null || (error instanceof ApiError && error.isTransient) ? 'refused' : 'dropped';
    }
  };
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
    change: async (flag, patch, done) => (await attempt(flag, patch, done)) === 'made',
    dialog,
  };
};
