/** Queries of what the app has: records, with the search over all of them, pages and flags. Used by their pages, the palette, home and approvals. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { recordKeys, type RecordRef } from './actionQueries.ts';
import type { Http } from './http.ts';
import { keys } from './queries.ts';
import { answerOf, pagesOf, memberOf, listQuery, type PageOf, read } from './reading.ts';
import type { AppRecord, RecordPage, Block, Page, Flag, FlagEntry } from './types.ts';

const pathOf = ({ resource, id }: RecordRef): string =>
  `/resources/${encodeURIComponent(resource)}/${encodeURIComponent(id)}`;

export const recordQuery = (http: Http, ref: RecordRef) =>
  queryOptions({
    queryKey: [...recordKeys.one(ref.resource, ref.id), 'page'],
    ...answerOf<RecordPage>(http, pathOf(ref)),
    staleTime: 10_000,
  });

/** Returns the part of a record's history that comes before a cursor. */
export const readHistory = (http: Http, ref: RecordRef, cursor: string) =>
  read<Pick<RecordPage, 'history' | 'historyCursor' | 'archivedBefore'>>(http, pathOf(ref), { historyCursor: cursor });

type Records = PageOf<'records', AppRecord>;

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

export const pagesQuery = listQuery<Page>(['pages'], '/pages', 'pages', { staleTime: 60_000 });

interface FilledPage {
  readonly page: Page;
  readonly blocks: readonly Block[];
  /** When the blocks were filled. */
  readonly at: number;
}

export const pageQuery = (http: Http, name: string, params: Readonly<Record<string, string>>) =>
  queryOptions({
    queryKey: ['page', name, params],
    ...answerOf<FilledPage>(
      http,
      `/pages/${encodeURIComponent(name)}`,
      Object.keys(params).length === 0 ? {} : { params: JSON.stringify(params) },
    ),
    staleTime: Infinity,
    gcTime: 60_000,
  });

/** The flags of a definition are few; more than a page has are read page by page. */
export const flagsQuery = listQuery<Flag>(keys.flags, '/flags', 'flags', { staleTime: 30_000 });

export const flagQuery = (http: Http, name: string) =>
  queryOptions({
    queryKey: keys.flag(name),
    ...memberOf<Flag>(http, `/flags/${encodeURIComponent(name)}`, 'flag'),
    staleTime: 30_000,
  });

export const flagHistoryQuery = (http: Http, name: string) =>
  queryOptions({
    queryKey: keys.flagHistory(name),
    queryFn: async ({ signal }) => {
      const path = `/flags/${encodeURIComponent(name)}/history`;
      const { entries, cursor } = await read<PageOf<'entries', FlagEntry>>(http, path, { limit: 100 }, signal);
      return { entries, isMore: cursor !== null };
    },
    staleTime: 30_000,
  });
