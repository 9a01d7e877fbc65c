/** The source `items`: a list of items, or their number. For page.ts. */
import { limits } from '../../../catalogue/limits.ts';
import { parseBlockQuery } from '../../../environments/pages/query.ts';
import type { ItemsQuery } from '../../../environments/pages/schema.ts';
import { resolveItemList } from '../../../items/filters.ts';
import { countItems } from '../../../items/list/count.ts';
import { listItems } from '../../../items/list/page.ts';
import { itemRowJson } from '../../../items/present.ts';
import { blockTitle, type BlockResolver } from '../context.ts';

export const itemsBlock: BlockResolver = async ({ deps, caller, params, now }, block) => {
  const query = parseBlockQuery<ItemsQuery>('items', block, params);
  const { request } = await resolveItemList(deps.db, caller, query, now);
  const title = blockTitle(block);
  if (block['type'] === 'stat') {
    const count = request === null ? 0 : await countItems(deps.db, request);
    return {
      type: 'stat',
      title,
      value: count > limits.countExact ? `${String(limits.countExact)}+` : count,
      unit: null,
      change: null,
    };
  }
  const { rows } =
    request === null
      ? { rows: [] }
      : await listItems(deps.db, { ...request, after: null, limit: query.limit ?? limits.pageDefault });
  return {
    type: 'items',
    title,
    items: rows.map((row) => JSON.parse(itemRowJson(row, caller.principal.access)) as unknown),
  };
};
