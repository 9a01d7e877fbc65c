/** What came to the audit log since a list of its entries was read. Used by AuditPage and the ledger of agents. */
import { useQuery, type InfiniteData } from '@tanstack/react-query';
import { useSession } from '../shell/session.ts';
import type { ItemQuery } from '../wire/queries.ts';
import { arrivalsQuery } from '../wire/settingsQueries.ts';
import type { AuditEntry } from '../wire/types.ts';

export interface Listed {
  /** Of the infinite query. */
  readonly queryKey: readonly unknown[];
  /** undefined: not read yet. */
  readonly entries: readonly AuditEntry[] | undefined;
  /** Filters of what is asked for; the time is added. */
  readonly query: ItemQuery;
  /** Milliseconds since 1970 UTC: entries from then on count as new while the list is empty. */
  readonly since: number;
  /** Whether an entry that was found belongs to the list. */
  readonly isListed?: (entry: AuditEntry) => boolean;
}

/** Returns how many entries came, and a function that reads the newest page again and drops the others. */
export const useNewEntries = ({ queryKey, entries, query, since, isListed = () => true }: Listed) => {
  const { http, queries } = useSession();
  const from = entries?.[0]?.at ?? since;
  const isPast = query['to'] !== undefined && Number(query['to']) < since;
  const { data: later = [] } = useQuery({
    ...arrivalsQuery(http, { ...query, from: String(from) }),
    enabled: entries !== undefined && !isPast,
  });
  const known = new Set(entries?.map(({ id }) => id));
  return {
    newCount: later.filter((entry) => isListed(entry) && !known.has(entry.id)).length,
    readAnew: (): void => {
      queries.setQueryData<InfiniteData<unknown>>(queryKey, (data) =>
        data === undefined ? data : { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
      );
      void queries.invalidateQueries({ queryKey });
    },
  };
};
