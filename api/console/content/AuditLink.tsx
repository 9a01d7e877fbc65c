/** A link to what the audit log has about one thing, for those who may see it. Used by the pages of items and records. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { may } from '../shell/rights.ts';
import { useSession } from '../shell/session.ts';
import { meQuery } from '../wire/queries.ts';
import { contentTexts } from './texts.ts';

interface AuditLinkProps {
  /** A filter of the audit log: the id of an item, or `<resource>:<id>` of a record. */
  readonly about: { readonly target: string } | { readonly record: string };
}

export const AuditLink = ({ about }: AuditLinkProps) => {
  const { http, environment } = useSession();
  const { data: me } = useQuery(meQuery(http));
  if (me === undefined || !may(me, 'audit', 'see')) return null;
  return (
    <p>
      <Link
        to="/env/$environment/settings/{-$section}/{-$id}"
        params={{ environment, section: 'audit', id: undefined }}
        search={about}
      >
        {contentTexts.auditOfThis}
      </Link>
    </p>
  );
};
