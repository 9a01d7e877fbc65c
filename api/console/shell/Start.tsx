/** The console's start: choosing a password by a link, the environment that was shown last, or signing in. Used by the router. */
import { Navigate, useNavigate } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { loadedLater } from '../ui/lazy.tsx';
import type { ChoosePassword as ChoosePasswordType } from './PasswordLink.tsx';
import { SignIn } from './SignIn.tsx';

type ChoosePasswordProps = ComponentProps<typeof ChoosePasswordType>;

const ChoosePassword = loadedLater<ChoosePasswordProps>(
  async () => (await import('./PasswordLink.tsx')).ChoosePassword,
);

const readLink = (hash: string): ChoosePasswordProps['link'] | null => {
  const [, kind, token = ''] = /^#(invitation|reset)=([\w-]+)$/.exec(hash) ?? [];
  return kind === 'invitation' || kind === 'reset' ? { kind, token } : null;
};

/** Read before the router may change the address; null: the page was not opened by a link. */
const linkOfAddress = readLink(location.hash);

const lastKey = 'console.environment';

const lastEnvironment = (): string | null => {
  try {
    return localStorage.getItem(lastKey);
  } catch {
    return null;
  }
};

/** Keeps the environment that is shown, for the next start. */
export const remember = (environment: string): void => {
  try {
    localStorage.setItem(lastKey, environment);
  } catch {
    // Without storage the first environment is shown.
  }
};

export const Start = () => {
  const navigate = useNavigate();
  const last = lastEnvironment();
  const go = (environments: readonly string[]): void => {
    const environment = last !== null && environments.includes(last) ? last : environments[0];
    if (environment !== undefined) void navigate({ to: '/env/$environment', params: { environment } });
  };
  if (linkOfAddress !== null) return <ChoosePassword link={linkOfAddress} onDone={go} />;
  if (last !== null) return <Navigate to="/env/$environment" params={{ environment: last }} replace />;
  return <SignIn environment={null} isAgain={false} onDone={go} />;
};
