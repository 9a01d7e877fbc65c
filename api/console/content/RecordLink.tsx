/** The link to a record's page. Used wherever a record is named. */
import { Link } from '@tanstack/react-router';
import { useSession } from '../shell/session.ts';

interface RecordLinkProps {
  readonly resource: string;
  readonly id: string;
  readonly title: string;
  readonly onClick?: () => void;
}

export const RecordLink = ({ resource, id, title, ...rest }: RecordLinkProps) => {
  const { environment } = useSession();
  return (
    <Link
      to="/env/$environment/records/$resource"
      params={{ environment, resource }}
      search={{ record: id }}
      dir="auto"
      {...rest}
    >
      {title}
    </Link>
  );
};
