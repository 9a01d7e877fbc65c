/** The saved views of an inbox, or of all, below its name. Used by Rail. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { savedViewsQuery, type SavedView } from '../wire/savedViews.ts';
import { useSession } from './session.ts';
import { shellTexts } from './texts.ts';

interface RailViewsProps {
  /** null: views of all inboxes. */
  readonly inbox: string | null;
  /** The person's id. */
  readonly me: string | null;
}

export const RailViews = ({ inbox, me }: RailViewsProps) => {
  const { http, environment } = useSession();
  const { data: views = [] } = useQuery(savedViewsQuery(http));
  const shown = views.filter((view) => view.inbox === inbox);
  if (shown.length === 0) return null;
  const titleOf = ({ owner }: SavedView): string =>
    owner.id === me ? shellTexts.ownView : shellTexts.sharedView(owner.name);
  return (
    <ul className="rail-views">
      {shown.map((view) => {
        const more = { search: { view: view.id }, title: titleOf(view), className: 'rail-name' };
        return (
          <li key={view.id}>
            {inbox === null ? (
              <Link to="/env/$environment/items" params={{ environment }} {...more}>
                {view.name}
              </Link>
            ) : (
              <Link to="/env/$environment/inbox/$inbox" params={{ environment, inbox }} {...more}>
                {view.name}
              </Link>
            )}
          </li>
        );
      })}
    </ul>
  );
};
