/** Blocks made from items: a list of them, or how many there are. */
import { limits } from '../../../catalogue/limits.ts';
import { resolveList } from '../../../items/filters.ts';
import { countItems } from '../../../items/list/count.ts';
import { listItems } from '../../../items/list/page.ts';
import { rowJson } from '../../../items/present.ts';
import { readQuery } from '../../../environments/pages/query.ts';
import type { ItemsQuery } from '../../../environments/pages/schema.ts';
import { titleOf, type Resolve } from '../context.ts';

export const itemsBlock: Resolve = async ({ deps, caller, params, now }, block) => {
  const query = readQuery<ItemsQuery>('items', block, params);
  const { request } = resolveList(caller, query, now);
  const title = titleOf(block);
  if (block['type'] === 'stat') {
    const count = request === null ? 0 : await countItems(deps.db, request);
    return { type: 'stat', title, value: count > limits.countExact ? `${String(limits.countExact)}+` : count, unit: null, change: null };
  }
  const { rows } = request === null ? { rows: [] } : await listItems(deps.db, { ...request, after: null, limit: query.limit ?? limits.pageDefault });
  return { type: 'items', title, items: rows.map((row) => JSON.parse(rowJson(row, caller.principal.access)) as unknown) };
};
