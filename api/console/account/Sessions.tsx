/** Where one is signed in; each session can be ended. Used by AccountPage. */
import { useQuery } from '@tanstack/react-query';
import { useSettingsChange } from '../settings/useSettingsChange.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Problem } from '../ui/Problem.tsx';
import { Row, Rows } from '../ui/Rows.tsx';
import { Ago } from '../ui/Time.tsx';
import { sessionsQuery, settingsKeys } from '../wire/settingsQueries.ts';
import type { OwnSession } from '../wire/types.ts';
import { sessionTexts } from './sessionTexts.tsx';

const About = ({ session: { createdAt, lastUsedAt, address, current } }: { readonly session: OwnSession }) => {
  const opened = <Ago isInSentence at={createdAt} />;
  const used = <Ago isInSentence at={lastUsedAt} />;
  const where = address === null ? sessionTexts.fromUnknown : sessionTexts.from(address);
  return (
    <span>
      {current ? <strong>{sessionTexts.thisOne}</strong> : where}{' '}
      <span className="soft">
        {current && address !== null ? sessionTexts.usedFrom(address, opened, used) : sessionTexts.used(opened, used)}
      </span>
    </span>
  );
};

export const Sessions = () => {
  const { http } = useSession();
  const { data: sessions, error, refetch } = useQuery(sessionsQuery(http));
  const { change, dialog } = useSettingsChange(settingsKeys.sessions);
  const signOut = async (): Promise<void> => {
    if (await change({ method: 'POST', path: '/sign-out' }, sessionTexts.signedOut)) location.reload();
  };
  return (
    <section className="waiting" aria-label={sessionTexts.label}>
      <h2>{sessionTexts.title}</h2>
      {error !== null && sessions === undefined && <Problem error={error} onRetry={() => void refetch()} />}
      <Rows>
        {sessions?.map((session) => (
          <Row key={session.id}>
            <About session={session} />
            {session.current ? (
              <Button onClick={() => void signOut()}>{sessionTexts.signOut}</Button>
            ) : (
              <Button
                aria-label={session.address === null ? sessionTexts.endOfUnknown : sessionTexts.endOf(session.address)}
                onClick={() =>
                  void change({ method: 'DELETE', path: `/me/sessions/${session.id}` }, sessionTexts.ended)
                }
              >
                {sessionTexts.end}
              </Button>
            )}
          </Row>
        ))}
      </Rows>
      {dialog}
    </section>
  );
};
