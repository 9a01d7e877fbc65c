/** Signing in: the environment's address, then e-mail and password, or the provider. Shown wherever nobody is signed in. */
import { useCallback, useEffect, useRef, useState, type FormEvent } from 'react';
import { Button } from '../ui/Button.tsx';
import { ApiError } from '../wire/apiError.ts';
import { createHttp } from '../wire/http.ts';
import { tellOtherTabs } from './otherTabs.ts';
import {
  explain,
  leaveForProvider,
  openProvider,
  problemOfAddress,
  useProviderEnd,
  useSignInMethods,
} from './providerSignIn.ts';
import { shellTexts } from './texts.ts';

interface SignInProps {
  /** null: it is asked for. */
  readonly environment: string | null;
  /** Whether a session has ended while somebody worked. */
  readonly isAgain: boolean;
  readonly onDone: (environment: string) => void;
}

const textOf = (data: FormData, name: string): string => {
  const value = data.get(name);
  return typeof value === 'string' ? value : '';
};

const problemOf = (error: unknown): string => {
  if (!(error instanceof ApiError)) return String(error);
  if (error.status === 401) return shellTexts.wrongPassword;
  if (error.status === 404) return shellTexts.noEnvironment;
  return error.message;
};

export const SignIn = ({ environment, isAgain, onDone }: SignInProps) => {
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { password, oidc } = useSignInMethods(environment);
  const form = useRef<HTMLFormElement>(null);
  const end = useCallback(
    (failed: string | null) => {
      if (failed !== null) void explain(failed).then(setProblem);
      else if (environment !== null) {
        tellOtherTabs();
        onDone(environment);
      }
    },
    [environment, onDone],
  );
  useProviderEnd(end);
  useEffect(() => {
    if (problemOfAddress !== null && !isAgain) void explain(problemOfAddress).then(setProblem);
  }, [isAgain]);
  const goToProvider = (): void => {
    const where =
      environment ?? (form.current === null ? '' : textOf(new FormData(form.current), 'environment').trim());
    if (where === '') form.current?.reportValidity();
    else if (isAgain) setProblem(openProvider(where, false));
    else leaveForProvider(where, environment !== null);
  };
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const where = environment ?? textOf(data, 'environment').trim();
    setBusy(true);
    setProblem(null);
    try {
      const body = { email: textOf(data, 'email').trim(), password: textOf(data, 'password') };
      await createHttp(where).call('POST', '/sign-in', { body });
      tellOtherTabs();
      onDone(where);
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <main className="sign-in">
      <form ref={form} onSubmit={(event) => void submit(event)}>
        <h1>{environment === null ? shellTexts.console : shellTexts.signInTo(environment)}</h1>
        {isAgain && <p className="soft">{shellTexts.signInAgain}</p>}
        {environment === null && (
          <label>
            {shellTexts.environment}
            <input name="environment" required autoFocus autoComplete="organization" spellCheck={false} />
          </label>
        )}
        {password && (
          <>
            <label>
              {shellTexts.email}
              <input name="email" type="email" required autoFocus={environment !== null} autoComplete="username" />
            </label>
            <label>
              {shellTexts.password}
              <input name="password" type="password" required autoComplete="current-password" />
            </label>
          </>
        )}
        {problem !== null && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        {password && (
          <Button type="submit" tone="main" disabled={isBusy}>
            {shellTexts.signIn}
          </Button>
        )}
        {oidc !== null && (
          <Button tone={password ? 'plain' : 'main'} onClick={goToProvider}>
            {shellTexts.continueWith(oidc.label)}
          </Button>
        )}
      </form>
    </main>
  );
};
