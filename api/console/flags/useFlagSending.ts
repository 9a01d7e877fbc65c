/** Sends changes of flags, waits for the confirmation of those that want one, and takes them back by the inverse change. Used by useFlagChange and the page of approvals. */
import { useNavigate } from '@tanstack/react-router';
import type { useFreshSignIn } from '../shell/freshSignIn.tsx';
import { type Session, useSession } from '../shell/session.ts';
import { ApiError, messageOf } from '../wire/apiError.ts';
import { flagQuery } from '../wire/appQueries.ts';
import { createListeners } from '../wire/listeners.ts';
import { keys } from '../wire/queries.ts';
import type { Flag } from '../wire/types.ts';
import { type FlagPatch, type PatchOf, isQuick, patchFor, undoOf } from './patch.ts';
import { wordTexts } from './wordTexts.ts';

/** How a change ended: made or asked for, refused for now, or neither wanted nor possible any more. */
type Outcome = 'made' | 'refused' | 'dropped';

export interface Waiting {
  readonly flag: Flag;
  readonly change: FlagPatch | PatchOf;
  /** The change of the flag as it is. */
  readonly patch: FlagPatch;
  /** The change in words. */
  readonly done: string;
  readonly answer: (outcome: Outcome) => void;
}

/** Reason and confirmation of a change. */
export interface Given {
  readonly confirmed?: true;
  readonly reason?: string;
}

interface Confirmations {
  /** null: nothing waits. */
  readonly waiting: () => Waiting | null;
  readonly subscribe: (listener: () => void) => () => void;
  /** Lets a change wait; another one that waits is dropped. */
  begin(next: Waiting): void;
  /** Puts a change in the place of one that waits. */
  replace(former: Waiting, next: Waiting): void;
  end(one: Waiting, outcome: Outcome): void;
  /** Drops what waits of a flag. */
  drop(flag: string): void;
}

const createConfirmations = (): Confirmations => {
  let waiting: Waiting | null = null;
  const listeners = createListeners();
  const set = (next: Waiting | null): void => {
    waiting = next;
    listeners.tell();
  };
  const end: Confirmations['end'] = (one, outcome) => {
    one.answer(outcome);
    if (waiting === one) set(null);
  };
  return {
    waiting: () => waiting,
    subscribe: listeners.subscribe,
    begin: (next) => {
      waiting?.answer('dropped');
      set(next);
    },
    replace: (former, next) => {
      if (waiting === former) set(next);
    },
    end,
    drop: (flag) => {
      if (waiting?.flag.flag === flag) end(waiting, 'dropped');
    },
  };
};

const known = new WeakMap<Session, Confirmations>();

export const confirmationsOf = (session: Session): Confirmations => {
  const confirmations = known.get(session) ?? createConfirmations();
  known.set(session, confirmations);
  return confirmations;
};

/** A change that was made. */
interface Made extends Pick<Waiting, 'patch' | 'done'> {
  readonly before: Flag;
  readonly after: Flag;
}

/** Puts a flag in the place of older ones that are known. */
export const keepFlag = ({ queries }: Session, flag: Flag): void => {
  queries.setQueryData<Flag>(keys.flag(flag.flag), (known) =>
    known !== undefined && known.version > flag.version ? known : flag,
  );
  queries.setQueryData<readonly Flag[]>(keys.flags, (known) =>
    known?.map((each) => (each.flag === flag.flag && each.version <= flag.version ? flag : each)),
  );
  void queries.invalidateQueries({ queryKey: keys.flagHistory(flag.flag) });
};

/** Returns the flag as somebody else left it; null: the failure is no conflict. */
export const conflictOf = (error: unknown): Flag | null =>
  error instanceof ApiError && error.code === 'version_conflict'
    ? // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API's own answer to a conflict of flags
      (error.body['current'] as Flag)
    : null;

/** Whether a change is confirmed in a dialog before it is sent. */
const isConfirmed = ({ danger, approval, reasonRequired }: Flag, patch: FlagPatch): boolean =>
  (danger !== null || approval || reasonRequired) && !isQuick(patch);

/** `run`: calls, after a fresh sign-in where the API wants one. */
export const useFlagSending = (run: ReturnType<typeof useFreshSignIn>['run']) => {
  const session = useSession();
  const { http, queries, notices, environment } = session;
  const navigate = useNavigate();
  const confirmations = confirmationsOf(session);
  /** Returns a function that takes a change back, once; an undo that was refused can be tried again. */
  const undoing = ({ before, patch, after, done }: Made): (() => void) => {
    let isUndone = false;
    const undo = undoOf(before, patch, after);
    const back = async (): Promise<void> => {
      if (isUndone) return;
      isUndone = true;
      const known = queries.getQueryData<Flag>(keys.flag(after.flag));
      const present = known ?? (await queries.fetchQuery(flagQuery(http, after.flag)).catch(() => after));
      const inverse = undo(present);
      if (inverse !== null && isConfirmed(present, inverse))
        void navigate({ to: '/env/$environment/flags/$flag', params: { environment, flag: after.flag } });
      if ((await attempt(present, undo, wordTexts.change.undone(done))) !== 'refused') return;
      isUndone = false;
      notices.remember(() => void back());
    };
    return () => void back();
  };
  /** Lets the last change be undone from any page. */
  const offerUndo = (made: Made): void => {
    const back = undoing(made);
    notices.remember(back);
    notices.done(wordTexts.change.title(made.after.flag, made.done), back);
  };
  const send = async ({ flag, patch, done }: Pick<Waiting, 'flag' | 'patch' | 'done'>, given: Given): Promise<void> => {
    const { body } = await run(() =>
      http.call<{ flag?: Flag; changed?: boolean; pending?: boolean }>(
        'POST',
        `/flags/${encodeURIComponent(flag.flag)}`,
        { body: { change: patch, ...given }, ifMatch: flag.version },
      ),
    );
    if (body.flag === undefined) {
      notices.done(wordTexts.change.asked(done));
      void queries.invalidateQueries({ queryKey: keys.approvals });
      return;
    }
    keepFlag(session, body.flag);
    if (body.changed !== true) notices.done(wordTexts.change.wasSo(flag.flag));
    else offerUndo({ before: flag, patch, after: body.flag, done });
  };
  const attempt = async (flag: Flag, wanted: FlagPatch | PatchOf, done: string, isAsked = false): Promise<Outcome> => {
    const patch = patchFor(wanted, flag);
    if (patch === null) {
      notices.failed(wordTexts.change.changedMeanwhile(flag.flag));
      return 'dropped';
    }
    if (isAsked || isConfirmed(flag, patch))
      return new Promise<Outcome>((answer) => confirmations.begin({ flag, change: wanted, patch, done, answer }));
    try {
      await send({ flag, patch, done }, {});
      return 'made';
    } catch (error) {
      const current = conflictOf(error);
      if (current !== null) keepFlag(session, current);
      notices.failed(current === null ? messageOf(error) : wordTexts.change.conflict(flag.flag));
      return current !== null || (error instanceof ApiError && error.isTransient) ? 'refused' : 'dropped';
    }
  };
  return { send, attempt, undoing };
};
