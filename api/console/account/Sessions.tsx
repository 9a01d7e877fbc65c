/** Where one is signed in; each session can be ended. Used by AccountPage. */
import { useQuery } from '@tanstack/react-query';
import { useSettingsChange } from '../settings/useSettingsChange.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Problem } from '../ui/Problem.tsx';
import { Ago } from '../ui/Time.tsx';
import { sessionsQuery, settingsKeys } from '../wire/settingsQueries.ts';

export const Sessions = () => {
  const { http } = useSession();
  const { data: sessions, error, refetch } = useQuery(sessionsQuery(http));
  const { change, dialog } = useSettingsChange(settingsKeys.sessions);
  const signOut = async (): Promise<void> => {
    if (await change({ method: 'POST', path: '/sign-out' }, 'You are signed out.')) location.reload();
  };
  return (
    <section className="waiting" aria-label="Sessions">
      <h2>Where you are signed in</h2>
      {error !== null && sessions === undefined && <Problem error={error} onRetry={() => void refetch()} />}
      <ul>
        {sessions?.map(({ id, createdAt, lastUsedAt, address, current }) => (
          <li key={id}>
            <span>
              {current ? <strong>This session</strong> : `From ${address ?? 'an unknown address'}`}{' '}
              <span className="soft">
                {current && address !== null ? `from ${address}, ` : ''}opened <Ago isInSentence at={createdAt} />, used{' '}
                <Ago isInSentence at={lastUsedAt} />
              </span>
            </span>
            {current ? (
              <Button onClick={() => void signOut()}>Sign out</Button>
            ) : (
              <Button
                onClick={() =>
                  void change({ method: 'DELETE', path: `/me/sessions/${id}` }, 'The session has ended, everywhere.')
                }
              >
                End it
                <span className="hidden"> from {address}</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
      {dialog}
    </section>
  );
};
