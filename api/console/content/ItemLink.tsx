/** The link to an item, by its title. Used wherever an item is known by its id alone. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useSession } from '../shell/session.ts';
import { itemTitleQuery } from '../wire/itemTitles.ts';
import { legible } from './legible.ts';

interface ItemLinkProps {
  readonly id: string;
  /** Absent: it is asked for. */
  readonly title?: string | null;
}

export const ItemLink = ({ id, title }: ItemLinkProps) => {
  const { http, environment } = useSession();
  const { data } = useQuery({ ...itemTitleQuery(http, id), enabled: title === undefined });
  return (
    <Link to="/env/$environment/items" params={{ environment }} search={{ show: 'all', item: id }} dir="auto">
      {legible(title ?? data ?? id)}
    </Link>
  );
};
