/** Queries of the app's pages: the list, and one with its blocks. Used by the pages and the palette. */
import { queryOptions } from '@tanstack/react-query';
import type { Http } from './http.ts';
import { answerOf, wholeOf } from './reading.ts';
import type { Block, Page } from './types.ts';

export const pagesQuery = (http: Http) =>
  queryOptions({ queryKey: ['pages'], ...wholeOf<Page>(http, '/pages', 'pages'), staleTime: 60_000 });

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
