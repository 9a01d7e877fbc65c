/** The console's start: the environment that was shown last, or signing in to one. Used by the router. */
import { Navigate, useNavigate } from '@tanstack/react-router';
import { SignIn } from './SignIn.tsx';

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
    // Without storage the environment is asked for again.
  }
};

export const Start = () => {
  const navigate = useNavigate();
  const last = lastEnvironment();
  if (last !== null) return <Navigate to="/env/$environment" params={{ environment: last }} replace />;
  return (
    <SignIn
      environment={null}
      isAgain={false}
      onDone={(environment) => void navigate({ to: '/env/$environment', params: { environment } })}
    />
  );
};
