/** Fresh sign-in: prompts for the password, or opens the provider, when the API requires it, and repeats the call. Used by settings and approvals. */
import { useCallback, useRef, useState, type FormEvent, type ReactNode, type RefObject } from 'react';
import { Button } from '../ui/Button.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { ApiError, messageOf } from '../wire/apiError.ts';
import { laterTexts } from './laterTexts.ts';
import { explain, openProvider, useProviderEnd, useSignInMethods } from './providerSignIn.ts';
import { useSession } from './session.ts';
import { shellTexts } from './texts.tsx';

interface Waiting {
  readonly done: () => void;
  readonly cancel: () => void;
}

interface FreshDialogProps {
  readonly problem: string | null;
  readonly onProblem: (problem: string | null) => void;
  readonly input: RefObject<HTMLInputElement | null>;
  readonly onSubmit: (event: FormEvent) => void;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const FreshDialog = ({ problem, onProblem, input, onSubmit, onClose, onDone }: FreshDialogProps) => {
  const { environment } = useSession();
  const { password, oidc } = useSignInMethods(environment);
  const done = useRef(onDone);
  done.current = onDone;
  const end = useCallback(
    (failed: string | null) => {
      if (failed === null) done.current();
      else void explain(failed).then(onProblem);
    },
    [onProblem],
  );
  useProviderEnd(end);
  const byProvider = (): void => onProblem(openProvider(environment, true));
  if (!password && oidc === null) return null;
  const provider = shellTexts.continueWith(oidc?.label ?? '');
  return (
    <FormDialog
      title={laterTexts.freshSignIn.title}
      about={laterTexts.freshSignIn.about}
      deed={password ? laterTexts.freshSignIn.deed : provider}
      problem={problem}
      onSubmit={(event) => {
        if (password) return onSubmit(event);
        event.preventDefault();
        event.stopPropagation();
        byProvider();
      }}
      onClose={onClose}
    >
      {password && (
        <label>
          {shellTexts.password}
          <input ref={input} name="password" type="password" required autoFocus autoComplete="current-password" />
        </label>
      )}
      {password && oidc !== null && <Button onClick={byProvider}>{provider}</Button>}
    </FormDialog>
  );
};

/** Returns a function that makes a call, after a fresh sign-in if it is needed, and the dialog that prompts for it. */
export const useFreshSignIn = (): { run<T>(call: () => Promise<T>): Promise<T>; dialog: ReactNode } => {
  const { http } = useSession();
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const run = useCallback(async <T,>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'fresh_sign_in_required') throw error;
      await new Promise<void>((done, fail) => {
        setWaiting({ done, cancel: () => fail(error) });
      });
      return call();
    }
  }, []);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    event.stopPropagation();
    try {
      await http.call('POST', '/sign-in/fresh', { body: { password: input.current?.value ?? '' } });
      setWaiting(null);
      setProblem(null);
      waiting?.done();
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const cancel = (): void => {
    waiting?.cancel();
    setWaiting(null);
    setProblem(null);
  };
  const dialog = waiting !== null && (
    <FreshDialog
      problem={problem}
      onProblem={setProblem}
      input={input}
      onSubmit={(event) => void submit(event)}
      onClose={cancel}
      onDone={() => {
        setWaiting(null);
        setProblem(null);
        waiting.done();
      }}
    />
  );
  return { run, dialog };
};
