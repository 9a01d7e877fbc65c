/** Calls an action, or tries it out; says what the API refuses at the field that it is about. Used by ActionForm. */
import { useEffect, useRef, useState } from 'react';
import { useFreshSignIn } from '../shell/freshSignIn.tsx';
import { useSession } from '../shell/session.ts';
import { ApiError } from '../wire/apiError.ts';
import type { CopiedRequest } from '../wire/copying.ts';
import { newIdempotencyKey } from '../wire/http.ts';
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

const problemsOf = (body: Readonly<Record<string, unknown>>): readonly InputProblem[] =>
  (Array.isArray(body['details']) ? (body['details'] as readonly unknown[]) : []).flatMap((detail) =>
    typeof detail === 'object' &&
    detail !== null &&
    'path' in detail &&
    'message' in detail &&
    typeof detail.path === 'string'
      ? [{ path: detail.path, message: String(detail.message) }]
      : [],
  );

/** Returns a path within the input; null: it is about another member of the request. */
const inputPathOf = (path: string): string | null =>
  path === 'input' ? '' : path.startsWith('input.') ? path.slice('input.'.length) : null;

const toRefusal = (error: unknown): Refusal => {
  if (!(error instanceof ApiError))
    return { text: String(error), code: 'internal', run: null, problems: [], reason: [] };
  const { run } = error.body;
  const problems = error.code === 'invalid' ? problemsOf(error.body) : [];
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

export const useActionCall = (request: ActionRequest, action: Action, onRun: (run: string) => void) => {
  const { http, notices } = useSession();
  const { run, dialog } = useFreshSignIn();
  const [busy, setBusy] = useState<'run' | 'dry' | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [tried, setTried] = useState<Tried | null>(null);
  /** The key of this call: another input is another run. */
  const sent = useRef({ text: '', key: '' });
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const bodyOf = ({ input, reason }: CallBody) => ({
    action: request.action,
    ...(request.record === null ? {} : { record: request.record }),
    ...(request.item == null ? {} : { item: request.item }),
    input,
    ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
    ...(action.danger === null ? {} : { confirmed: true }),
  });
  const call = async <T>(kind: 'run' | 'dry', send: () => Promise<T>, done: (answer: T) => void): Promise<void> => {
    setBusy(kind);
    setRefusal(null);
    setTried(null);
    try {
      done(await run(send));
    } catch (error) {
      const refused = toRefusal(error);
      // The app was called and did not say that it refused: the run says what is known of that.
      if (kind === 'run' && refused.run !== null && refused.code !== 'action_failed' && isShown.current)
        onRun(refused.run);
      else setRefusal(refused);
      // A lost connection, or an error of a proxy, leaves open what came of the call: the same key finds out.
      const isOpen = error instanceof ApiError && (error.status === 0 || (error.status >= 500 && refused.run === null));
      if (!isOpen) sent.current = { text: '', key: '' };
      if (!isShown.current) notices.show({ tone: 'failed', text: actionTexts.failed(action.label, refused.text) });
    }
    setBusy(null);
  };
  const send = (body: CallBody): Promise<void> => {
    const text = JSON.stringify(bodyOf(body));
    if (sent.current.text !== text) sent.current = { text, key: newIdempotencyKey() };
    const { key } = sent.current;
    return call(
      'run',
      () => http.call<{ run: string }>('POST', '/actions', { body: bodyOf(body), idempotencyKey: key }),
      (answer) => {
        if (isShown.current) onRun(answer.body.run);
        else notices.show({ tone: 'done', text: actionTexts.underWayOrDone(action.label) });
      },
    );
  };
  const tryOut = (body: CallBody): Promise<void> =>
    call(
      'dry',
      () => http.call<ActionDryRun>('POST', '/actions', { body: { ...bodyOf(body), dryRun: true } }),
      (answer) => setTried({ answer: answer.body, request: { method: 'POST', path: '/actions', body: bodyOf(body) } }),
    );
  return { send, tryOut, busy, refusal, tried, dialog };
};
