/** What stands in the place of a page that does not exist, or is not visible, with ways to go on. Used by the router and InboxPage. */
import { Link } from '@tanstack/react-router';
import { useSession } from './session.ts';
import { shellTexts } from './texts.tsx';

interface NowhereProps {
  /** What is not there; absent: a page. */
  readonly title?: string;
}

export const Nowhere = ({ title = shellTexts.nowhere.noPage }: NowhereProps) => {
  const { environment } = useSession();
  return (
    <div className="empty" role="alert">
      <h1>{title}</h1>
      <p>
        {shellTexts.nowhere.goOn(
          (words) => (
            <Link to="/env/$environment/items" params={{ environment }}>
              {words}
            </Link>
          ),
          (words) => (
            <Link to="/env/$environment" params={{ environment }}>
              {words}
            </Link>
          ),
        )}
      </p>
    </div>
  );
};
