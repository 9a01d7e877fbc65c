/** The API request behind the open page, derived from its address. Used by the palette. */
import { listedInboxes, readListSearch, toQuery } from '../inbox/filter.ts';
import type { CopiedRequest } from '../shell/copying.ts';
import type { Inbox } from '../wire/types.ts';

type Search = Readonly<Record<string, string>>;

/** Returns the address of one, or of the list. */
const oneOf = (list: string, id: string | undefined): CopiedRequest => ({
  method: 'GET',
  path: id === undefined ? list : `${list}/${encodeURIComponent(id)}`,
});

const itemsShown = (inbox: string | null, search: Search, inboxes: readonly Inbox[]): CopiedRequest => {
  const { item } = search;
  if (item !== undefined) return oneOf('/items', item);
  const query = toQuery(readListSearch(search), inbox, listedInboxes(inboxes, inbox));
  return { method: 'GET', path: '/items', query };
};

const recordsShown = (resource: string | undefined, search: Search): CopiedRequest => {
  const { record, q, filters, sort } = search;
  if (resource === undefined)
    return q === undefined
      ? { method: 'GET', path: '/resources' }
      : { method: 'GET', path: '/search', query: { q, types: 'records' } };
  const base = `/resources/${encodeURIComponent(resource)}`;
  return record === undefined
    ? { method: 'GET', path: `${base}/list`, query: { q, filters, sort } }
    : oneOf(base, record);
};

/** Returns null for pages of which there is no one request. */
export const shownRequest = (address: URL, inboxes: readonly Inbox[]): CopiedRequest | null => {
  const [kind = '', id] = (/\/env\/[^/]+\/?(.*)$/.exec(address.pathname)?.[1] ?? '')
    .split('/')
    .filter(Boolean)
    .map(decodeURIComponent);
  const search: Search = Object.fromEntries(address.searchParams);
  switch (kind) {
    case '':
      return { method: 'GET', path: '/counts' };
    case 'items':
      return itemsShown(null, search, inboxes);
    case 'inbox':
      return itemsShown(id ?? null, search, inboxes);
    case 'records':
      return recordsShown(id, search);
    case 'pages':
      return {
        ...oneOf('/pages', id),
        ...(Object.keys(search).length === 0 ? {} : { query: { params: JSON.stringify(search) } }),
      };
    case 'runs': {
      const { run, status, action } = search;
      return run === undefined ? { method: 'GET', path: '/runs', query: { status, action } } : oneOf('/runs', run);
    }
    case 'bulks':
      return oneOf('/bulk', id);
    case 'flags':
    case 'approvals':
      return oneOf(`/${kind}`, id);
    default:
      return null;
  }
};
