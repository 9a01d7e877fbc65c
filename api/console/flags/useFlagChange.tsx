/** Changes of a flag: tried out and confirmed where the flag wants it, undone by the inverse change. Used by the pages of flags. */
import { useState, type ReactNode } from 'react';
import { useFreshSignIn } from '../shell/freshSignIn.tsx';
import { useSession, type Session } from '../shell/session.ts';
import { ApiError } from '../wire/apiError.ts';
import { keys } from '../wire/queries.ts';
import type { Flag } from '../wire/types.ts';
import { changeTexts } from './changeTexts.ts';
import { ConfirmChange } from './ConfirmChange.tsx';
import { targetsOf, type FlagPatch } from './patch.ts';

interface Asked {
  readonly flag: Flag;
  readonly patch: FlagPatch;
  readonly done: string;
  readonly answer: (changed: boolean) => void;
}

interface FlagChanges {
  /** Returns whether the change was made or asked for; false: it was refused or dropped. */
  change(flag: Flag, patch: FlagPatch, done: string): Promise<boolean>;
  readonly dialog: ReactNode;
}

/** Ending a ramp needs neither confirmation nor approval, so that it is always quick. */
const isQuick = (patch: FlagPatch): boolean => patch.ramp === null && Object.keys(patch).length === 1;

/** Returns the change that gives a flag back what the patch takes; a ramp that it ended is not begun again. */
const inverseOf = (flag: Flag, patch: FlagPatch): FlagPatch => ({
  ...('value' in patch || 'rollout' in patch || (patch.ramp ?? null) !== null
    ? { value: flag.value, ...(flag.kind === 'boolean' ? { rollout: flag.rollout } : {}) }
    : {}),
  ...(patch.rules === undefined ? {} : { rules: flag.rules }),
  ...(patch.targets === undefined
    ? {}
    : {
        targets: Object.fromEntries(
          Object.keys(patch.targets).map((id) => [id, Object.hasOwn(flag.targets, id) ? targetsOf(flag)[id] : null]),
        ),
      }),
});

const keepFlag = ({ queries }: Session, flag: Flag): void => {
  queries.setQueryData<Flag>(keys.flag(flag.flag), flag);
  queries.setQueryData<readonly Flag[]>(keys.flags, (known) =>
    known?.map((each) => (each.flag === flag.flag && each.version <= flag.version ? flag : each)),
  );
  void queries.invalidateQueries({ queryKey: keys.flagHistory(flag.flag) });
};

export const useFlagChange = (): FlagChanges => {
  const session = useSession();
  const { http, queries, notices } = session;
  const { run, dialog: freshDialog } = useFreshSignIn();
  const [asked, setAsked] = useState<Asked | null>(null);
  const send = async (
    { flag, patch, done }: Omit<Asked, 'answer'>,
    given: { readonly confirmed?: true; readonly reason?: string },
  ): Promise<void> => {
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
    const changed = body.flag;
    keepFlag(session, changed);
    if (isQuick(patch) || body.changed !== true) {
      notices.show({
        tone: 'done',
        text: body.changed === true ? changeTexts.done(flag.flag, done) : changeTexts.wasSo(flag.flag),
      });
      return;
    }
    let isUndone = false;
    const back = (): void => {
      if (isUndone) return;
      isUndone = true;
      const present = queries.getQueryData<Flag>(keys.flag(flag.flag)) ?? changed;
      void change(present, inverseOf(flag, patch), changeTexts.undone(done));
    };
    notices.remember(back);
    notices.show({
      tone: 'done',
      text: changeTexts.done(flag.flag, done),
      actions: [{ label: changeTexts.undo, key: 'u', run: back }],
    });
  };
  const fail = (flag: Flag, error: unknown): void => {
    if (error instanceof ApiError && error.code === 'version_conflict') {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API's own answer to a conflict of flags
      keepFlag(session, error.body['current'] as Flag);
      notices.show({
        tone: 'failed',
        text: changeTexts.conflict(flag.flag),
      });
      return;
    }
    notices.show({ tone: 'failed', text: error instanceof Error ? error.message : String(error) });
  };
  const change = async (flag: Flag, patch: FlagPatch, done: string): Promise<boolean> => {
    const wants = flag.danger !== null || flag.approval || flag.reasonRequired;
    if (wants && !isQuick(patch))
      return new Promise<boolean>((answer) => {
        setAsked({ flag, patch, done, answer });
      });
    try {
      await send({ flag, patch, done }, {});
      return true;
    } catch (error) {
      fail(flag, error);
      return false;
    }
  };
  const dialog = (
    <>
      {asked !== null && (
        <ConfirmChange
          flag={asked.flag}
          patch={asked.patch}
          done={asked.done}
          onConfirm={async (given) => {
            try {
              await send(asked, given);
            } catch (error) {
              fail(asked.flag, error);
              asked.answer(false);
              setAsked(null);
              return;
            }
            asked.answer(true);
            setAsked(null);
          }}
          onClose={() => {
            asked.answer(false);
            setAsked(null);
          }}
        />
      )}
      {freshDialog}
    </>
  );
  return { change, dialog };
};
