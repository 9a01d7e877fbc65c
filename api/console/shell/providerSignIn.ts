/**
 * Sign-in by the OpenID Connect provider: what is configured, and the ways there. A first sign-in leaves the page; one in
 * between opens a window, so that nothing on the page is lost. Used by SignIn.tsx, freshSignIn.tsx and SignedIn.tsx.
 */
import { useEffect, useState } from 'react';
import { publicBase } from '../wire/base.ts';
import { createHttp } from '../wire/http.ts';
import { shellTexts } from './texts.tsx';

interface Methods {
  readonly password: boolean;
  /** Whether a link to set a new password is mailed. */
  readonly reset: boolean;
  readonly oidc: { readonly label: string } | null;
}

/** In the address of a call: no environment in particular. */
export const everyEnvironment = '*';

/** Messages of the sign-in window to the page that opened it, by BroadcastChannel: the opener policy cuts `window.opener`. */
export const signInChannel = 'console.signIn';

const parameter = 'signInProblem';

/** Read before the router may change the address. */
export const problemOfAddress = new URLSearchParams(location.search).get(parameter);

/** Returns the sentence of a problem, by the API’s word for it; that of another word says no more than that it failed. */
export const explain = (problem: string): Promise<string> =>
  import('./laterTexts.ts').then(
    ({ laterTexts: { signInProblem: sentences } }) =>
      Object.entries(sentences).find(([word]) => word === problem)?.[1] ?? sentences.other,
    () => shellTexts.signInFailed(problem),
  );

/** The same for every environment; null: not known yet. */
let configured: Methods | null = null;

/** Returns how people sign in: by nothing until that is known, by password where it can't be. */
export const useSignInMethods = (environment: string | null): Methods => {
  const [methods, setMethods] = useState<Methods>(configured ?? { password: false, reset: false, oidc: null });
  useEffect(() => {
    createHttp(environment ?? everyEnvironment)
      .call<Methods>('GET', '/sign-in/methods')
      .then(({ body }) => {
        configured = body;
        setMethods(body);
      })
      .catch(() => setMethods(configured ?? { password: true, reset: false, oidc: null }));
  }, [environment]);
  return methods;
};

const addressOf = (environment: string, returnTo: string, fresh: boolean): string => {
  const query = new URLSearchParams({ returnTo, ...(fresh ? { fresh: 'true' } : {}) });
  return `${publicBase}/api/env/${encodeURIComponent(environment)}/sign-in/oidc?${query.toString()}`;
};

/** Leaves for the provider, which sends the browser back to this page, or to the start of the environment. */
export const leaveForProvider = (environment: string, isHere: boolean): void => {
  const here = new URL(location.href);
  here.searchParams.delete(parameter);
  const home =
    environment === everyEnvironment ? `${publicBase}/` : `${publicBase}/env/${encodeURIComponent(environment)}`;
  location.assign(addressOf(environment, isHere ? here.pathname + here.search : home, false));
};

/**
 * Opens the provider in a window of its own; the page that it comes back to says so on the channel, and closes it. Returns
 * why it could not; null: it could.
 */
export const openProvider = (environment: string, fresh: boolean): string | null => {
  const end = `${publicBase}/env/${encodeURIComponent(environment)}/signed-in`;
  const opened = window.open(addressOf(environment, end, fresh), '_blank', 'popup,width=520,height=680');
  return opened === null ? shellTexts.noWindow : null;
};

/** Calls `onEnd` when a window has come back, with the problem or null. */
export const useProviderEnd = (onEnd: (problem: string | null) => void): void => {
  useEffect(() => {
    const channel = new BroadcastChannel(signInChannel);
    channel.addEventListener('message', ({ data }: MessageEvent<unknown>) =>
      onEnd(typeof data === 'string' ? data : null),
    );
    return () => channel.close();
  }, [onEnd]);
};
