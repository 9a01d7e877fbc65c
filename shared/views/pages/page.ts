/** Builds the blocks of a page, each from its source and with the caller's rights, concurrently. For api/routes/pages.ts. */
import { type Caller, toActorRef } from '../../accounts/access/principal.ts';
import { errorBlockFor, requireAnswer } from '../../app/blocks/appAnswers.ts';
import { renderBlock } from '../../app/blocks/renderBlocks.ts';
import { blockLimits } from '../../app/blocks/schema.ts';
import { validateBlock } from '../../app/blocks/validateBlocks.ts';
import { type Block, linkLimits } from '../../app/link/protocol.ts';
import type { ManifestPage } from '../../app/manifest/manifest.ts';
import { parseBlockQuery } from '../../app/manifest/pages/query.ts';
import type { BlockSource, ItemsQuery } from '../../app/manifest/pages/schema.ts';
import { Fault } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { listFlags } from '../../flags/read.ts';
import { resolveItemList } from '../../items/filters/filters.ts';
import { countItems } from '../../items/list/count.ts';
import { listItems } from '../../items/list/page.ts';
import type { CursorKeys, ItemListRequest } from '../../items/list/request.ts';
import { itemRowJson } from '../../items/present.ts';
import { presentBlocks } from '../../items/presentBlocks.ts';
import { fillTemplate } from '../../platform/conditions/conditions.ts';
import type { Db } from '../../platform/db/knex.ts';
import type { TextRow } from '../../platform/db/sql.ts';
import { isObject } from '../../platform/json/jsonLimits.ts';
import { createLimiter } from '../../platform/turns/limiter.ts';
import type { ViewDeps } from '../deps.ts';
import {
  type PageParams,
  type BlockResolver,
  type DeclaredBlock,
  type PageContext,
  tableBlock,
  blockTitle,
} from './context.ts';
import { countsBlock } from './sources/counts.ts';
import { recordsBlock } from './sources/records.ts';

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

const itemsBlock: BlockResolver = async ({ deps, caller, params, now }, block) => {
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

/** The source `flags`: a table of the flags that the role sees. For page.ts. */
const columns = [
  { name: 'flag', label: 'Flag', type: 'text' },
  { name: 'kind', label: 'Kind', type: 'text' },
  { name: 'value', label: 'Value', type: 'text' },
  { name: 'rollout', label: 'Rollout, %', type: 'number' },
  { name: 'description', label: 'Description', type: 'text' },
];

/** Rows; an app can't declare more flags. */
const most = 2_000;

const flagsBlock: BlockResolver = async ({ deps, caller, params }, block) => {
  parseBlockQuery('flags', block, params);
  const { flags } = await listFlags(deps, caller, { after: null, limit: most });
  return tableBlock(
    block,
    columns,
    flags.map((flag) => ({ ...flag })),
  );
};

/** The source `app`: a block that the customer's app makes, by the call `page.block`. For page.ts. */
const appBlock: BlockResolver = async ({ deps, caller, page, params }, declared, place) => {
  const title = blockTitle(declared);
  const outcome = await deps.link.call(
    caller.env.id,
    'page.block',
    { page, block: place, title, params, actor: toActorRef(caller.principal) },
    { declares: { kind: 'page', name: page }, timeoutMs: linkLimits.readMs },
  );
  const answer: unknown = requireAnswer(outcome);
  const block = validateBlock(isObject(answer) ? answer['block'] : undefined);
  const [seen] = await presentBlocks(deps.db, caller, [block['title'] === null ? { ...block, title } : block]);
  return seen ?? null;
};

/** Makes a block without a source: the declaration has its whole content. */
const literalBlock: BlockResolver = async ({ deps, caller, params }, declared) => {
  const block = renderBlock({ ...declared, title: null }, { params });
  const [seen] =
    block === null ? [] : await presentBlocks(deps.db, caller, [{ ...block, title: blockTitle(declared) }]);
  return seen ?? null;
};

const resolvers: Readonly<Record<BlockSource, BlockResolver>> = {
  items: itemsBlock,
  counts: countsBlock,
  records: recordsBlock,
  flags: flagsBlock,
  app: appBlock,
};

/** Blocks of one page that query PostgreSQL at a time; blocks that call the app are not limited. */
const queryConcurrency = 3;

/** A source throws `not_found` when the role doesn't see it; its block is then absent from the page. */
const isNotFound = (error: unknown): boolean => error instanceof Fault && error.code === 'not_found';

const isSource = (source: unknown): source is BlockSource =>
  typeof source === 'string' && Object.hasOwn(resolvers, source);

const callsApp = ({ caller }: PageContext, block: DeclaredBlock): boolean => {
  const query = block['query'];
  const resource = isObject(query) ? query['resource'] : undefined;
  return (
    block['source'] === 'app' ||
    (typeof resource === 'string' && caller.env.definition.resources.get(resource)?.source === 'app')
  );
};

/** Returns the block with the parameters in its title, which is cut, as a parameter may be longer than a title. */
const withFilledTitle = (block: DeclaredBlock, params: PageParams): DeclaredBlock => {
  const title = fillTemplate(blockTitle(block), { params });
  return { ...block, title: typeof title === 'string' ? title.slice(0, blockLimits.titleMax).toWellFormed() : null };
};

interface PageRequest {
  readonly page: ManifestPage;
  readonly params: PageParams;
}

/** Returns the blocks of a page in their order. A source that fails becomes an `error` block. */
export const buildPageBlocks = async (
  deps: ViewDeps,
  caller: Caller,
  { page, params }: PageRequest,
): Promise<Block[]> => {
  const context: PageContext = { deps, caller, page: page.name, params, now: deps.clock.now() };
  const inTurn = createLimiter({ concurrency: queryConcurrency });
  const made = page.blocks.map(async (declared: DeclaredBlock, place): Promise<Block | null> => {
    const block = withFilledTitle(declared, params);
    const source = block['source'];
    const resolve = isSource(source) ? resolvers[source] : literalBlock;
    const make = (): Promise<Block | null> => resolve(context, block, place);
    try {
      return await (callsApp(context, block) ? make() : inTurn(make));
    } catch (error) {
      return isNotFound(error) ? null : errorBlockFor(deps.log, blockTitle(block), error);
    }
  });
  return (await Promise.all(made)).filter((block) => block !== null);
};
