/** What the target of an entry is called: an item by its title, anything else by its id. Used by AuditRow and the ledger of agents. */
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../shell/session.ts';
import { itemTitleQuery } from '../wire/itemTitles.ts';
import type { AuditEntry } from '../wire/types.ts';

export const TargetName = ({ target: { type, id } }: Pick<AuditEntry, 'target'>) => {
  const { http } = useSession();
  const { data: title } = useQuery({ ...itemTitleQuery(http, id ?? ''), enabled: type === 'item' && id !== null });
  return title == null ? (
    <span className="mono">{id}</span>
  ) : (
    <span className="target-name" dir="auto">
      {title}
    </span>
  );
};
