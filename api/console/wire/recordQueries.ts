/** Queries of records: lists, one with everything around it, and the search over all. Used by the pages of records. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { recordKeys, type RecordRef } from './actionQueries.ts';
import type { Http } from './http.ts';
import type { AppRecord, RecordPage } from './types.ts';

const pathOf = ({ resource, id }: RecordRef): string =>
  `/resources/${encodeURIComponent(resource)}/${encodeURIComponent(id)}`;

export const recordQuery = (http: Http, ref: RecordRef) =>
  queryOptions({
    queryKey: [...recordKeys.one(ref.resource, ref.id), 'page'],
    queryFn: async ({ signal }) => (await http.call<RecordPage>('GET', pathOf(ref), { signal })).body,
    staleTime: 10_000,
  });

/** Returns the part of a record's history that comes before a cursor. */
export const readHistory = async (
  http: Http,
  ref: RecordRef,
  cursor: string,
): Promise<Pick<RecordPage, 'history' | 'historyCursor' | 'archivedBefore'>> =>
  (await http.call<RecordPage>('GET', pathOf(ref), { query: { historyCursor: cursor } })).body;

interface Records {
  readonly records: readonly AppRecord[];
  readonly cursor: string | null;
}

/** A list of records, page by page. */
const pages = (
  http: Http,
  queryKey: readonly unknown[],
  path: string,
  query: Readonly<Record<string, string | undefined>>,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: async ({ pageParam, signal }) =>
      (
        await http.call<Records>('GET', path, {
          query: { ...query, ...(pageParam === null ? {} : { cursor: pageParam }) },
          signal,
        })
      ).body,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- names the type of the later cursors
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor,
    staleTime: 10_000,
  });

/** The filters and the order of a list of records, as the API takes them. */
interface RecordsFilter {
  readonly q?: string | undefined;
  readonly filters?: string | undefined;
  readonly sort?: string | undefined;
}

export const recordsQuery = (http: Http, resource: string, { q, filters, sort }: RecordsFilter) =>
  pages(http, ['records', resource, q, filters, sort], `/resources/${encodeURIComponent(resource)}/list`, {
    q,
    filters,
    sort,
    limit: '100',
  });

export const relatedQuery = (http: Http, ref: RecordRef, relation: string) =>
  pages(
    http,
    [...recordKeys.one(ref.resource, ref.id), 'related', relation],
    `${pathOf(ref)}/related/${encodeURIComponent(relation)}`,
    { limit: '10' },
  );

interface FoundRecord {
  readonly record: AppRecord;
  readonly matched: string;
}

/** Records of all resources that have all words. */
export const searchRecordsQuery = (http: Http, q: string) =>
  queryOptions({
    queryKey: ['search', 'records', q],
    queryFn: async ({ signal }) =>
      (
        await http.call<{ results: FoundRecord[]; incomplete: string[] }>('GET', '/search', {
          query: { q, types: 'records' },
          signal,
        })
      ).body,
    staleTime: 10_000,
  });
