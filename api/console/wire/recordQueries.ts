/** Queries of records: lists, one with everything around it, and the search over all. Used by the pages of records. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { recordKeys, type RecordRef } from './actionQueries.ts';
import type { Http } from './http.ts';
import { answerOf, pagesOf } from './reading.ts';
import type { AppRecord, RecordPage } from './types.ts';

const pathOf = ({ resource, id }: RecordRef): string =>
  `/resources/${encodeURIComponent(resource)}/${encodeURIComponent(id)}`;

export const recordQuery = (http: Http, ref: RecordRef) =>
  queryOptions({
    queryKey: [...recordKeys.one(ref.resource, ref.id), 'page'],
    ...answerOf<RecordPage>(http, pathOf(ref)),
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

/** The filters and the order of a list of records, as the API takes them. */
interface RecordsFilter {
  readonly q?: string | undefined;
  readonly filters?: string | undefined;
  readonly sort?: string | undefined;
}

export const recordsQuery = (http: Http, resource: string, { q, filters, sort }: RecordsFilter) =>
  infiniteQueryOptions({
    queryKey: ['records', resource, q, filters, sort],
    ...pagesOf<Records>(http, `/resources/${encodeURIComponent(resource)}/list`, { q, filters, sort, limit: 100 }),
    staleTime: 10_000,
  });

export const relatedQuery = (http: Http, ref: RecordRef, relation: string) =>
  infiniteQueryOptions({
    queryKey: [...recordKeys.one(ref.resource, ref.id), 'related', relation],
    ...pagesOf<Records>(http, `${pathOf(ref)}/related/${encodeURIComponent(relation)}`, { limit: 10 }),
    staleTime: 10_000,
  });

interface FoundRecord {
  readonly record: AppRecord;
  readonly matched: string;
}

/** Records of all resources that have all words. */
export const searchRecordsQuery = (http: Http, q: string) =>
  queryOptions({
    queryKey: ['search', 'records', q],
    ...answerOf<{ results: FoundRecord[]; incomplete: string[] }>(http, '/search', { q, types: 'records' }),
    staleTime: 10_000,
  });
