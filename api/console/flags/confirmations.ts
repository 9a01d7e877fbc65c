/** The change of a flag that waits for its confirmation: one a session, so that an undo, which may come from any page, finds the dialog on the page of its flag. Used by useFlagChange. */
import type { Session } from '../shell/session.ts';
import type { Flag } from '../wire/types.ts';
import type { FlagPatch, PatchOf } from './patch.ts';

/** How a change ended: made or asked for, refused for now, or neither wanted nor possible any more. */
export type Outcome = 'made' | 'refused' | 'dropped';

export interface Waiting {
  readonly flag: Flag;
  readonly change: FlagPatch | PatchOf;
  /** The change of the flag as it is. */
  readonly patch: FlagPatch;
  /** The change in words. */
  readonly done: string;
  readonly answer: (outcome: Outcome) => void;
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
  const listeners = new Set<() => void>();
  const set = (next: Waiting | null): void => {
    waiting = next;
    for (const listener of listeners) listener();
  };
  const end: Confirmations['end'] = (one, outcome) => {
    one.answer(outcome);
    if (waiting === one) set(null);
  };
  return {
    waiting: () => waiting,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
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
