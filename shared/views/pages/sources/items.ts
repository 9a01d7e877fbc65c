/** The source `items`: a list of items, or their number. For page.ts. */
import { limits } from '../../../catalogue/limits.ts';
import { parseBlockQuery } from '../../../environments/pages/query.ts';
import type { ItemsQuery } from '../../../environments/pages/schema.ts';
import { resolveItemList } from '../../../items/filters.ts';
import { countItems } from '../../../items/list/count.ts';
import { listItems } from '../../../items/list/page.ts';
import type { CursorKeys, ItemListRequest } from '../../../items/list/request.ts';
import { itemRowJson } from '../../../items/present.ts';
import type { Db } from '../../../platform/db/knex.ts';
import type { TextRow } from '../../../platform/db/sql.ts';
import { blockTitle, type BlockResolver } from '../context.ts';

/** Returns the first `limit` items: a page that was cut short is read on, as nobody can ask a block for its rest. */
const readWhole = async (
  db: Db,
  request: Omit<ItemListRequest, 'after' | 'limit'>,
  limit: number,
): Promise<TextRow[]> => {
  const rows: TextRow[] = [];
  for (let after: CursorKeys | null = null; ;) {
    const page = await listItems(db, { ...request, after, limit: limit - rows.length });
    rows.push(...page.rows);
    if (page.next === null || rows.length === limit) return rows;
    after = page.next;
  }
};

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
  const rows = request === null ? [] : await readWhole(deps.db, request, query.limit ?? limits.pageDefault);
  return {
    type: 'items',
    title,
    items: rows.map((row) => JSON.parse(itemRowJson(row, caller.principal.access)) as unknown),
  };
};
