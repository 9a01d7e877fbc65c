/** What can be done with a run: cancel it before it begins, or run it again. Used by the action sheet and the runs page. */
import { useState, type ReactNode } from 'react';
import { useSession, useRead } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { loadedLater } from '../ui/lazy.tsx';
import { actionsQuery } from '../wire/actionQueries.ts';
import { meQuery } from '../wire/queries.ts';
import { runKeys } from '../wire/runStore.ts';
import type { Action, Run } from '../wire/types.ts';
import { actionTexts } from './texts.tsx';

const RetryDialog = loadedLater<{ readonly run: Run; readonly action: Action; readonly onClose: () => void }>(
  async () => (await import('./RetryDialog.tsx')).RetryDialog,
);

const cancellable: readonly string[] = ['pending', 'queued'];
const retryable: readonly string[] = ['unknown', 'failed', 'expired'];

interface RunDeeds {
  /** undefined: not possible now. */
  readonly cancel: (() => void) | undefined;
  readonly retry: (() => void) | undefined;
  /** The buttons of what can be done now. */
  readonly buttons: ReactNode;
  /** The dialog that is open now. */
  readonly dialog: ReactNode;
}

/** `hasKeys`: whether the page's keys do the same. */
export const useRunDeeds = (run: Run | undefined, hasKeys: boolean): RunDeeds => {
  const { http, queries, notices } = useSession();
  const { data: actions } = useRead(actionsQuery);
  const [asking, setAsking] = useState<string | null>(null);
  const [cancelling, setCancelling] = useState<string | null>(null);
  const { data: me } = useRead(meQuery);
  // What waits for a decision is taken back by who asked for it; others reject it.
  const canCancel =
    run !== undefined &&
    cancellable.includes(run.status) &&
    (run.status !== 'pending' || run.by.id === me?.principal.id);
  const action = actions?.find(({ name }) => name === run?.action);
  const canRetry = run !== undefined && retryable.includes(run.status) && action !== undefined;
  const cancel = async (): Promise<void> => {
    if (!canCancel || cancelling === run.id) return;
    setCancelling(run.id);
    const answer = await notices.attempt(() => http.call('POST', `/runs/${run.id}/cancel`, { body: {} }));
    if (answer !== null) notices.done(actionTexts.runs.cancelled(run.label));
    setCancelling(null);
    void queries.invalidateQueries({ queryKey: runKeys.one(run.id) });
  };
  const retry = (): void => {
    if (canRetry) setAsking(run.id);
  };
  return {
    cancel: canCancel ? () => void cancel() : undefined,
    retry: canRetry ? retry : undefined,
    buttons: (
      <>
        {canCancel && (
          <Button
            disabled={cancelling === run.id}
            onClick={() => void cancel()}
            {...(hasKeys ? { shortcut: 'c' } : {})}
          >
            {actionTexts.runs.cancel}
          </Button>
        )}
        {canRetry && (
          <Button onClick={retry} {...(hasKeys ? { shortcut: 'r' } : {})}>
            {actionTexts.runs.again}
          </Button>
        )}
      </>
    ),
    dialog: run !== undefined && action !== undefined && asking === run.id && (
      <RetryDialog run={run} action={action} onClose={() => setAsking(null)} />
    ),
  };
};
