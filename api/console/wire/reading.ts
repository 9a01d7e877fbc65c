/** How queries read the API: one answer, a member of one, a whole list, and a list page by page. Used by the files of queries. */
import { queryOptions, type QueryKey } from '@tanstack/react-query';
import type { Answer, Http } from './http.ts';

type Query = Readonly<Record<string, string | number | undefined>>;

export interface Reading {
  readonly signal: AbortSignal;
}

/** Returns the body of an answer. */
export const body = async <T>(answer: Promise<Answer<T>>): Promise<T> => (await answer).body;

/** Returns what is read at a path. */
export const read = <T>(http: Http, path: string, query: Query = {}, signal?: AbortSignal): Promise<T> =>
  body(http.call<T>('GET', path, { query, signal }));

/** Reads an answer. */
export const answerOf = <T>(http: Http, path: string, query: Query = {}) => ({
  queryFn: ({ signal }: Reading) => read<T>(http, path, query, signal),
});

/** Reads the member `name` of an answer. */
export const memberOf = <T>(http: Http, path: string, name: string, query: Query = {}) => ({
  queryFn: async ({ signal }: Reading): Promise<T> => {
    const answer = await read<Readonly<Record<string, unknown>>>(http, path, query, signal);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API holds its answers against its schemas
    return answer[name] as T;
  },
});

/** Reads the whole of the list that is the member `name` of each page. */
export const wholeOf = <T>(http: Http, path: string, name: string, query: Query = {}) => ({
  queryFn: async ({ signal }: Reading): Promise<readonly T[]> => {
    const all: T[] = [];
    let cursor: unknown = null;
    do {
      const next = { ...query, limit: 200, ...(typeof cursor === 'string' ? { cursor } : {}) };
      const page: Readonly<Record<string, unknown>> = await read(http, path, next, signal);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API holds its answers against its schemas
      all.push(...(page[name] as T[]));
      ({ cursor } = page);
    } while (typeof cursor === 'string');
    return all;
  },
});

/** Returns the query of a whole list, the same for everybody in the environment; `name`: the member of each page that has it. */
export const listQuery =
  <T>(queryKey: QueryKey, path: string, name: string, options: { readonly staleTime?: number } = {}) =>
  (http: Http) =>
    queryOptions({ queryKey, ...wholeOf<T>(http, path, name), ...options });

/** A page of a list, which is the member `Name`. */
export type PageOf<Name extends string, T> = Readonly<Record<Name, readonly T[]>> & { readonly cursor: string | null };

/** Goes on from page to page by their cursors. */
export const byCursor = {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- names the type of the later cursors
  initialPageParam: null as string | null,
  getNextPageParam: ({ cursor }: { readonly cursor: string | null }) => cursor,
};

/** Returns a query with the cursor of a page after the first. */
export const withCursor = (query: Query, cursor: string | null): Query =>
  cursor === null ? query : { ...query, cursor };

/** Reads a list page by page. */
export const pagesOf = <P extends { readonly cursor: string | null }>(http: Http, path: string, query: Query) => ({
  queryFn: ({ pageParam, signal }: Reading & { readonly pageParam: string | null }) =>
    read<P>(http, path, withCursor(query, pageParam), signal),
  ...byCursor,
});
