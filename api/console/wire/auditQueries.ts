/** Queries of the audit log. Used by its page and the ledger of agents. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Http } from './http.ts';
import type { ItemQuery } from './queries.ts';
import { byCursor, withCursor, read, type PageOf } from './reading.ts';
import type { AuditEntry } from './types.ts';

type AuditPage = PageOf<'entries', AuditEntry> & { readonly archivedBefore?: number };

export const readAuditPage = (http: Http, query: ItemQuery, cursor: string | null): Promise<AuditPage> =>
  read(http, '/audit', withCursor({ ...query, limit: 200 }, cursor));

export const auditQuery = (http: Http, query: ItemQuery) =>
  infiniteQueryOptions({
    queryKey: ['audit', query],
    queryFn: ({ pageParam }) => readAuditPage(http, query, pageParam),
    ...byCursor,
  });

/** How often it is asked whether more was done, in ms. */
const watchedMs = 3_000;

/** Query of the newest entries of a time that is not over. */
export const arrivalsQuery = (http: Http, query: ItemQuery) =>
  queryOptions({
    queryKey: ['arrivals', query],
    queryFn: async () => (await readAuditPage(http, query, null)).entries,
    refetchInterval: watchedMs,
    gcTime: 0,
    retry: false,
  });
