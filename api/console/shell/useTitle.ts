/** The title of the browser's tab, made of the address and of what is known of what it names. Used by Shell. */
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useItem } from '../wire/itemStore.ts';
import { countsQuery, inboxesQuery } from '../wire/queries.ts';
import { useSession } from './session.ts';
import { titleTexts } from './titleTexts.ts';

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Returns the parts of an address below its environment, decoded. */
const partsOf = (path: string): readonly string[] =>
  path
    .replace(/^.*?\/env\/[^/]+/, '')
    .split('/')
    .filter(Boolean)
    .map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    });

export const useTitle = (): void => {
  const { http, items, environment } = useSession();
  const { pathname, search: asked } = useLocation();
  const { data: inboxes } = useQuery(inboxesQuery(http));
  const { data: counts } = useQuery(countsQuery(http));
  const search: Readonly<Record<string, unknown>> = asked;
  const item = useItem(items, textOf(search['item']) ?? '');
  const known: Readonly<Record<string, string>> = titleTexts.pages;
  const [page = '', name] = partsOf(pathname);
  const decidable = counts?.approvals.decidable ?? 0;
  const placeOf = (): readonly string[] => {
    if (page === 'inbox') return [inboxes?.find((each) => each.name === name)?.label ?? name ?? ''];
    const label = known[page] ?? titleTexts.noPage;
    if (page === 'approvals' && decidable > 0) return [titleTexts.withCount(label, decidable)];
    return name !== undefined && (page === 'flags' || page === 'pages') ? [name, label] : [label];
  };
  const title = [...(item === undefined ? [] : [item.title]), ...placeOf(), environment].join(titleTexts.between);
  useEffect(() => {
    document.title = title;
  }, [title]);
};
