/** Calls an action, or tries it out; says what the API refuses at the field that it is about. Used by ActionForm. */
import { useState } from 'react';
import type { CopiedRequest } from '../shell/copying.ts';
import { useFreshSignIn } from '../shell/freshSignIn.tsx';
import { useSession, useOnScreen } from '../shell/session.ts';
import { ApiError } from '../wire/apiError.ts';
import { useSending } from '../wire/sendings.ts';
import type { Action, ActionDryRun } from '../wire/types.ts';
import type { InputProblem } from './inputDraft.ts';
import type { ActionRequest } from './request.ts';
import { actionTexts } from './texts.tsx';

interface CallBody {
  readonly input: unknown;
  readonly reason: string;
}

interface Refusal {
  readonly text: string;
  readonly code: string;
  /** The run that the app refused; null: there is none. */
  readonly run: string | null;
  /** By fields of the input. */
  readonly problems: readonly InputProblem[];
  /** What is wrong with the reason for the history. */
  readonly reason: readonly string[];
}

export interface Tried {
  readonly answer: ActionDryRun;
  /** The request that would run it. */
  readonly request: CopiedRequest;
}

/** Returns a path within the input; null: it is about another member of the request. */
const inputPathOf = (path: string): string | null =>
  path === 'input' ? '' : path.startsWith('input.') ? path.slice('input.'.length) : null;

const toRefusal = (error: unknown): Refusal => {
  if (!(error instanceof ApiError))
    return { text: String(error), code: 'internal', run: null, problems: [], reason: [] };
  const { run } = error.body;
  const problems = error.code === 'invalid' ? error.details : [];
  const isApp = error.code === 'action_failed';
  return {
    text: isApp ? actionTexts.appRefused(error.message) : error.message,
    code: error.code,
    run: typeof run === 'string' ? run : null,
    problems: problems.flatMap(({ path, message }) => {
      const within = inputPathOf(path);
      return within === null ? [] : [{ path: within, message }];
    }),
    reason: problems.flatMap(({ path, message }) => (path === 'reason' ? [message] : [])),
  };
};

interface ActionCallOptions {
  /** The key of what is typed: what is sent from it goes on when the sheet is closed, and is known to the next one. */
  readonly draft: string;
  /** Called when the call was taken, also when the sheet is closed by then. */
  readonly onTaken: () => void;
  readonly onRun: (run: string) => void;
}

export const useActionCall = (request: ActionRequest, action: Action, { draft, onTaken, onRun }: ActionCallOptions) => {
  const { http, notices, sendings } = useSession();
  const { run, dialog } = useFreshSignIn();
  const isSending = useSending(sendings, draft)?.isUnderWay === true;
  const [isTrying, setTrying] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [tried, setTried] = useState<Tried | null>(null);
  const isShown = useOnScreen(true);
  const bodyOf = ({ input, reason }: CallBody) => ({
    action: request.action,
    ...(request.record === null ? {} : { record: request.record }),
    ...(request.item == null ? {} : { item: request.item }),
    input,
    ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
    ...(action.danger === null ? {} : { confirmed: true }),
  });
  const fail = (refused: Refusal): void => {
    setRefusal(refused);
    if (!isShown.current) notices.failed(actionTexts.failed(action.label, refused.text));
  };
  const begin = (): void => {
    setRefusal(null);
    setTried(null);
  };
  const send = async (body: CallBody): Promise<void> => {
    begin();
    const idempotencyKey = sendings.begin(draft, JSON.stringify(bodyOf(body)));
    const show = (id: string): void => {
      if (isShown.current) onRun(id);
      else notices.done(actionTexts.underWayOrDone(action.label));
    };
    try {
      const answer = await run(() =>
        http.call<{ run: string }>('POST', '/actions', { body: bodyOf(body), idempotencyKey }),
      );
      sendings.take(draft);
      onTaken();
      show(answer.body.run);
    } catch (error) {
      const refused = toRefusal(error);
      // A lost connection, or an error of a proxy, leaves open what came of the call: the same key finds out.
      const isOpen = error instanceof ApiError && (error.status === 0 || (error.status >= 500 && refused.run === null));
      sendings.refuse(draft, refused.text, isOpen);
      // The app was called and did not say that it refused: the run says what is known of that.
      if (refused.run === null || refused.code === 'action_failed' || !isShown.current) fail(refused);
      else {
        onTaken();
        onRun(refused.run);
      }
    }
  };
  const tryOut = async (body: CallBody): Promise<void> => {
    begin();
    setTrying(true);
    try {
      const { body: answer } = await run(() =>
        http.call<ActionDryRun>('POST', '/actions', { body: { ...bodyOf(body), dryRun: true } }),
      );
      setTried({ answer, request: { method: 'POST', path: '/actions', body: bodyOf(body) } });
    } catch (error) {
      fail(toRefusal(error));
    }
    setTrying(false);
  };
  const busy: 'run' | 'dry' | null = isSending ? 'run' : isTrying ? 'dry' : null;
  return { send, tryOut, busy, refusal, tried, dialog };
};
