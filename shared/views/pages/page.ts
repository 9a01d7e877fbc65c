/** Builds the blocks of a page, each from its source and with the caller's rights, concurrently. For api/routes/pages.ts. */
import type { Caller } from '../../access/principal.ts';
import type { Block } from '../../applink/protocol.ts';
import { errorBlockFor } from '../../blocks/appAnswers.ts';
import { renderBlock } from '../../blocks/renderBlocks.ts';
import { blockLimits } from '../../blocks/schema.ts';
import { Fault } from '../../catalogue/errors.ts';
import type { ManifestPage } from '../../environments/manifest.ts';
import type { BlockSource } from '../../environments/pages/schema.ts';
import { presentBlocks } from '../../items/presentBlocks.ts';
import { fillTemplate } from '../../platform/core/conditions.ts';
import { isObject } from '../../platform/core/jsonLimits.ts';
import { createLimiter } from '../../platform/core/limiter.ts';
import type { ViewDeps } from '../deps.ts';
import { blockTitle, type BlockResolver, type DeclaredBlock, type PageContext } from './context.ts';
import type { PageParams } from './params.ts';
import { appBlock } from './sources/app.ts';
import { countsBlock } from './sources/counts.ts';
import { flagsBlock } from './sources/flags.ts';
import { itemsBlock } from './sources/items.ts';
import { recordsBlock } from './sources/records.ts';

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
