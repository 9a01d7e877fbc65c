/** The title of the browser's tab, made of the address and of what is known of what it names. Used by Shell. */
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useItem } from '../wire/itemStore.ts';
import { countsQuery, inboxesQuery } from '../wire/queries.ts';
import { useSession } from './session.ts';
import { shellTexts } from './texts.tsx';

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
  const known: Readonly<Record<string, string>> = shellTexts.title.pages;
  const [page = '', name] = partsOf(pathname);
  const decidable = counts?.approvals.decidable ?? 0;
  const placeOf = (): readonly string[] => {
    if (page === 'inbox') return [inboxes?.find((each) => each.name === name)?.label ?? name ?? ''];
    const label = known[page] ?? shellTexts.title.noPage;
    if (page === 'approvals' && decidable > 0) return [shellTexts.title.withCount(label, decidable)];
    return name !== undefined && (page === 'flags' || page === 'pages') ? [name, label] : [label];
  };
  const title = [...(item === undefined ? [] : [item.title]), ...placeOf(), environment].join(shellTexts.title.between);
  useEffect(() => {
    document.title = title;
  }, [title]);
};
