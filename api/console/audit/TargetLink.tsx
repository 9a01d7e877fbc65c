/** What an entry was done to, as a link where it has a page. Used by AuditRow and the ledger of agents. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../shell/session.ts';
import type { AuditEntry } from '../wire/types.ts';

interface TargetLinkProps extends Pick<AuditEntry, 'target'> {
  /** Of the link; absent: the kind of the thing. */
  readonly children?: ReactNode;
}

export const TargetLink = ({ target: { type, id }, children }: TargetLinkProps) => {
  const { environment } = useSession();
  const shown = children ?? type;
  if (id === null) return shown;
  const link = { title: id, children: shown, className: children === undefined ? 'target-kind' : '' };
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
      return children === undefined ? (
        shown
      ) : (
        <>
          {type} {children}
        </>
      );
  }
};
