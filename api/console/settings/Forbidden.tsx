/** The page in place of one that the role may not see: names the missing right and who has it. Used by the settings. */
import { useRead } from '../shell/session.ts';
import { peopleQuery } from '../wire/queries.ts';
import { settingsTexts } from './texts.ts';

/** So many people at most are named. */
const namedMost = 5;

interface ForbiddenProps {
  /** Such as `audit: see`. */
  readonly needs: string;
  /** Whether there is nothing else on the page. */
  readonly isPage?: boolean;
}

export const Forbidden = ({ needs, isPage = false }: ForbiddenProps) => {
  // A role that may assign nothing is not told who is here.
  const { data: people = [] } = useRead(peopleQuery);
  const admins = people.filter(({ role }) => role === 'admin').map(({ name }) => name);
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div className="empty" role="alert">
      <Heading>{settingsTexts.forbidden}</Heading>
      <p>{settingsTexts.needs(needs)}</p>
      <p dir="auto">
        {admins.length === 0 ? settingsTexts.adminsHaveIt : settingsTexts.adminsNamed(admins.slice(0, namedMost))}
      </p>
    </div>
  );
};
