/** Decides requests, and tells what came of it where the person is by then: on the request, on another one, or elsewhere. Used by ApprovalsPage. */
import { useEffect, useRef, useState } from 'react';
import { useFreshSignIn } from '../shell/freshSignIn.tsx';
import { useSession } from '../shell/session.ts';
import { keys } from '../wire/queries.ts';
import type { Approval } from '../wire/types.ts';
import { problemOf } from './problem.ts';
import { shortened } from './shortened.ts';
import { approvalTexts } from './texts.ts';
import { useApproved, type ApprovedAnswer } from './useApproved.ts';

export type Verb = 'approve' | 'reject';

interface DecideOptions {
  readonly note: string;
  /** Called once it is decided, whatever is on screen. */
  readonly onDecided: () => void;
  /** Called when it has ended, well or not, while the request is still on screen. */
  readonly onAnswered: (isDecided: boolean) => void;
}

/** `shown`: the id of the request on screen. */
export const useDecide = (shown: string | null) => {
  const { http, queries, notices } = useSession();
  const { run, dialog } = useFreshSignIn();
  const tellApproved = useApproved(run);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<{ readonly id: string; readonly text: string } | null>(null);
  /** Null: none, or the page has been left. */
  const onScreen = useRef<string | null>(null);
  useEffect(() => {
    onScreen.current = shown;
    return () => {
      onScreen.current = null;
    };
  }, [shown]);
  const decide = async (
    approval: Approval,
    verb: Verb,
    { note, onDecided, onAnswered }: DecideOptions,
  ): Promise<void> => {
    const { id, sentence } = approval;
    setBusy(true);
    setProblem(null);
    let isDecided = false;
    try {
      const { body: answer } = await run(() =>
        http.call<ApprovedAnswer>('POST', `/approvals/${id}/${verb}`, {
          body: note.trim() === '' ? {} : { note: note.trim() },
        }),
      );
      isDecided = true;
      onDecided();
      if (verb === 'approve') tellApproved(approval, answer);
      else notices.show({ tone: 'done', text: approvalTexts.rejected(shortened(sentence)) });
    } catch (error) {
      const text = problemOf(error);
      setProblem({ id, text });
      if (onScreen.current !== id)
        notices.show({ tone: 'failed', text: approvalTexts.notDecided(shortened(sentence), text) });
    }
    setBusy(false);
    if (onScreen.current === id) onAnswered(isDecided);
    void queries.invalidateQueries({ queryKey: keys.approvals });
    void queries.invalidateQueries({ queryKey: keys.approval(id) });
  };
  return { decide, isBusy, problem: problem !== null && problem.id === shown ? problem.text : null, dialog };
};
