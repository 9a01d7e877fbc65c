/** What somebody has asked for of a flag and nobody has decided, with the way to decide it. Used by FlagDetail. */
import { Link } from '@tanstack/react-router';
import { legible } from '../content/legible.ts';
import { useSession } from '../shell/session.ts';
import { Ago } from '../ui/Time.tsx';
import { flagTexts } from './texts.tsx';
import { useFlagRequests } from './useFlagRequests.ts';

const texts = flagTexts.waiting;

export const WaitingChanges = ({ flag }: { readonly flag: string }) => {
  const { environment } = useSession();
  const requests = useFlagRequests()(flag);
  if (requests.length === 0) return null;
  return (
    <section aria-label={texts.title}>
      <h2>{texts.title}</h2>
      <ul className="flag-rows">
        {requests.map(({ id, sentence, reason, requestedBy, requestedAt }) => (
          <li key={id}>
            <span dir="auto">
              {texts.asked(requestedBy.name, legible(sentence))}
              {reason !== null && <span className="soft"> · {legible(reason)}</span>}
            </span>
            <span className="soft">
              <Ago at={requestedAt} />
            </span>
            <Link to="/env/$environment/approvals/$id" params={{ environment, id }}>
              {texts.decide}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
};
