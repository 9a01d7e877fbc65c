/** Confirms that a run is run again, with what it needs for that. Used by useRunDeeds. */
import { useEffect, useRef, useState } from 'react';
import { useFreshSignIn } from '../shell/freshSignIn.tsx';
import { useSession } from '../shell/session.ts';
import { ReasonInput } from '../ui/fields.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { uiTexts } from '../ui/texts.tsx';
import { ApiError, messageOf } from '../wire/apiError.ts';
import { newIdempotencyKey } from '../wire/http.ts';
import { runKeys } from '../wire/runStore.ts';
import type { Action, Run } from '../wire/types.ts';
import { Confirmation, confirmationWord, isConfirmed } from './Confirmation.tsx';
import { meaningOf } from './RunView.tsx';
import { actionTexts } from './texts.tsx';

interface RetryDialogProps {
  readonly run: Run;
  readonly action: Action;
  readonly onClose: () => void;
}

export const RetryDialog = ({ run, action, onClose }: RetryDialogProps) => {
  const { http, queries } = useSession();
  const { run: call, dialog } = useFreshSignIn();
  const [confirmation, setConfirmation] = useState('');
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const key = useRef(newIdempotencyKey());
  const attempt = useRef(run.attempt);
  const word = confirmationWord(run.record, run.label);
  // It has begun: the page behind shows how it goes on.
  useEffect(() => {
    if (run.attempt > attempt.current) onClose();
  }, [run.attempt, onClose]);
  const send = async (): Promise<void> => {
    if (isBusy) return;
    if (!isConfirmed(action.danger, word, confirmation)) {
      setProblem(action.danger === 'low' ? actionTexts.runs.tickFirst : actionTexts.runs.typeFirst(word));
      return;
    }
    setBusy(true);
    setProblem(null);
    try {
      await call(() =>
        http.call('POST', `/runs/${run.id}/retry`, {
          body: {
            ...(action.danger === null ? {} : { confirmed: true }),
            ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
          },
          idempotencyKey: key.current,
        }),
      );
      onClose();
    } catch (error) {
      // A lost connection keeps its key: whatever came of the first call counts.
      if (error instanceof ApiError && error.status !== 0) key.current = newIdempotencyKey();
      if (error instanceof ApiError && error.code === 'action_failed') onClose();
      else setProblem(messageOf(error));
    }
    setBusy(false);
    void queries.invalidateQueries({ queryKey: runKeys.one(run.id) });
  };
  return (
    <>
      <FormDialog
        title={actionTexts.runs.againTitle(run.label)}
        about={meaningOf(run, null)}
        deed={isBusy ? actionTexts.running : actionTexts.runs.again}
        problem={problem}
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
        onClose={onClose}
      >
        <Confirmation
          danger={action.danger}
          reversible={action.reversible}
          word={word}
          value={confirmation}
          onChange={setConfirmation}
        />
        <ReasonInput
          label={uiTexts.form.reason}
          value={reason}
          required={action.reasonRequired && run.reason === null}
          onValue={setReason}
        />
      </FormDialog>
      {dialog}
    </>
  );
};
