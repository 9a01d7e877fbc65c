/** Links to the pages of things, to a record, and to what the audit log has about either. Used wherever one of them is named. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { may } from '../shell/rights.ts';
import { useSession, useRead } from '../shell/session.ts';
import { meQuery } from '../wire/queries.ts';
import { itemTitleQuery } from '../wire/searchQueries.ts';
import { contentTexts } from './texts.tsx';
import { legible } from './values.ts';

interface ThingLinkProps {
  /** By the API's name. */
  readonly type: string | null;
  readonly id: string;
  readonly title?: string;
  readonly className?: string;
  readonly dir?: 'auto';
  readonly onClick?: () => void;
  readonly children: ReactNode;
}

/** Returns whether things of a type have pages of their own; those of records are reached by `RecordLink`. */
export const hasPage = (type: string | null): boolean =>
  type !== null && ['item', 'approval', 'run', 'bulk', 'flag'].includes(type);

/** The link to the page of a thing; its words alone where it has none. */
export const ThingLink = ({ type, id, ...link }: ThingLinkProps) => {
  const { environment } = useSession();
  switch (type) {
    case 'item':
      return (
        <Link to="/env/$environment/items" params={{ environment }} search={{ show: 'all', item: id }} {...link} />
      );
    case 'approval':
      return <Link to="/env/$environment/approvals/$id" params={{ environment, id }} {...link} />;
    case 'run':
      return <Link to="/env/$environment/runs" params={{ environment }} search={{ run: id }} {...link} />;
    case 'bulk':
      return <Link to="/env/$environment/bulks/$id" params={{ environment, id }} {...link} />;
    case 'flag':
      return <Link to="/env/$environment/flags/$flag" params={{ environment, flag: id }} {...link} />;
    case null:
    default:
      return <>{link.children}</>;
  }
};

interface ItemLinkProps {
  readonly id: string;
  /** Absent: it is asked for. */
  readonly title?: string | null;
}

/** The link to an item, by its title. Used wherever an item is known by its id alone. */
export const ItemLink = ({ id, title }: ItemLinkProps) => {
  const { data } = useRead((http) => ({ ...itemTitleQuery(http, id), enabled: title === undefined }));
  return (
    <ThingLink type="item" id={id} dir="auto">
      {legible(title ?? data ?? id)}
    </ThingLink>
  );
};

/** The link to an item in its inbox, by its title. Used by lists of items. */
export const InboxItemLink = ({ inbox, id, title }: Readonly<Record<'inbox' | 'id' | 'title', string>>) => {
  const { environment } = useSession();
  return (
    <Link
      to="/env/$environment/inbox/$inbox"
      params={{ environment, inbox }}
      search={{ show: 'all', item: id }}
      dir="auto"
    >
      {title}
    </Link>
  );
};

interface RecordLinkProps {
  readonly resource: string;
  readonly id: string;
  readonly title: string;
  readonly onClick?: () => void;
}

/** The link to a record's page. Used wherever a record is named. */
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

interface AuditLinkProps {
  /** A filter of the audit log: the id of an item, or `<resource>:<id>` of a record. */
  readonly about: { readonly target: string } | { readonly record: string };
}

export const AuditLink = ({ about }: AuditLinkProps) => {
  const { environment } = useSession();
  const { data: me } = useRead(meQuery);
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
