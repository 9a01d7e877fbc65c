/** Signing in by e-mail and password, or by the provider, and how other tabs hear of it. Shown wherever nobody is signed in. */
import { useCallback, useEffect, useState, type FormEvent } from 'react';
import { Button } from '../ui/Button.tsx';
import { ProblemText } from '../ui/fields.tsx';
import { loadedLater } from '../ui/lazy.tsx';
import { ApiError } from '../wire/apiError.ts';
import { createHttp } from '../wire/http.ts';
import {
  everyEnvironment,
  explain,
  leaveForProvider,
  openProvider,
  problemOfAddress,
  useProviderEnd,
  useSignInMethods,
} from './providerSignIn.ts';
import { shellTexts } from './texts.tsx';

const channelName = 'console.session';

/** Sends the other tabs word that somebody has signed in or out here. */
export const tellOtherTabs = (): void => {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage(null);
  channel.close();
};

/** Calls `onChange` when somebody has signed in or out in another tab. */
export const useOtherTabs = (onChange: () => void): void => {
  useEffect(() => {
    const channel = new BroadcastChannel(channelName);
    channel.addEventListener('message', onChange);
    return () => channel.close();
  }, [onChange]);
};

const ForgotPassword = loadedLater(async () => (await import('./PasswordLink.tsx')).ForgotPassword);

interface SignInProps {
  /** null: none in particular. */
  readonly environment: string | null;
  /** Whether a session has ended while somebody worked. */
  readonly isAgain: boolean;
  /** Called with the environments of the person; where `environment` is given, with that one alone. */
  readonly onDone: (environments: readonly string[]) => void;
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
  const { password, reset, oidc } = useSignInMethods(environment);
  const [isForgotten, setForgotten] = useState(false);
  const end = useCallback(
    (failed: string | null) => {
      if (failed !== null) void explain(failed).then(setProblem);
      else if (environment !== null) {
        tellOtherTabs();
        onDone([environment]);
      }
    },
    [environment, onDone],
  );
  useProviderEnd(end);
  useEffect(() => {
    if (problemOfAddress !== null && !isAgain) void explain(problemOfAddress).then(setProblem);
  }, [isAgain]);
  const goToProvider = (): void => {
    const where = environment ?? everyEnvironment;
    if (isAgain) setProblem(openProvider(where, false));
    else leaveForProvider(where, environment !== null);
  };
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    setBusy(true);
    setProblem(null);
    try {
      const body = { email: textOf(data, 'email').trim(), password: textOf(data, 'password') };
      const http = createHttp(environment ?? everyEnvironment);
      const signedIn = await http.call<{ environments: string[] }>('POST', '/sign-in', { body });
      tellOtherTabs();
      onDone(environment === null ? signedIn.body.environments : [environment]);
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  if (isForgotten) return <ForgotPassword onEnd={() => setForgotten(false)} />;
  return (
    <main className="sign-in">
      <form onSubmit={(event) => void submit(event)}>
        <h1>{environment === null ? shellTexts.console : shellTexts.signInTo(environment)}</h1>
        {isAgain && <p className="soft">{shellTexts.signInAgain}</p>}
        {password && (
          <>
            <label>
              {shellTexts.email}
              <input name="email" type="email" required autoFocus autoComplete="username" />
            </label>
            <label>
              {shellTexts.password}
              <input name="password" type="password" required autoComplete="current-password" />
            </label>
          </>
        )}
        <ProblemText text={problem} />
        {password && (
          <Button type="submit" tone="main" disabled={isBusy}>
            {shellTexts.signIn}
          </Button>
        )}
        {reset && (
          <Button tone="bare" onClick={() => setForgotten(true)}>
            {shellTexts.forgotPassword}
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
