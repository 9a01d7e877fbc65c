/** A page: its declared blocks, each made from its source with the caller's rights, all at the same time. */
import type { Caller } from '../../access/principal.ts';
import type { Block } from '../../applink/protocol.ts';
import { errorBlockFor } from '../../blocks/appAnswers.ts';
import { renderBlock } from '../../blocks/renderBlocks.ts';
import { blockLimits } from '../../blocks/schema.ts';
import { presentBlocks } from '../../items/presentBlocks.ts';
import { Fault } from '../../catalogue/errors.ts';
import { fillTemplate } from '../../platform/core/conditions.ts';
import type { ViewDeps } from '../deps.ts';
import type { ManifestPage } from '../../environments/manifest.ts';
import type { PageParams } from './params.ts';
import type { BlockSource } from '../../environments/pages/schema.ts';
import { appBlock } from './sources/app.ts';
import { blockTitle, type DeclaredBlock, type PageContext, type BlockResolver } from './context.ts';
import { countsBlock } from './sources/counts.ts';
import { flagsBlock } from './sources/flags.ts';
import { itemsBlock } from './sources/items.ts';
import { recordsBlock } from './sources/records.ts';
import { createLimiter } from './limiter.ts';

/** Made by the declaration alone. */
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

/** Blocks of one page that ask PostgreSQL at the same time; those that ask the app wait for nobody. */
const queryConcurrency = 3;

/** `not_found` of a source means that the role doesn't see it: the block is absent, as what doesn't exist would be. */
const isNotFound = (error: unknown): boolean => error instanceof Fault && error.code === 'not_found';

const asksApp = ({ caller }: PageContext, block: DeclaredBlock): boolean => {
  const query = block['query'];
  const resource = typeof query === 'object' && query !== null ? (query as DeclaredBlock)['resource'] : undefined;
  return (
    block['source'] === 'app' ||
    (typeof resource === 'string' && caller.env.definition.resources.get(resource)?.source === 'app')
  );
};

/** A parameter may be longer than a title. */
const withFilledTitle = (block: DeclaredBlock, params: PageParams): DeclaredBlock => {
  const title = fillTemplate(blockTitle(block), { params });
  return { ...block, title: typeof title === 'string' ? title.slice(0, blockLimits.titleMax).toWellFormed() : null };
};

interface PageRequest {
  readonly page: ManifestPage;
  readonly params: PageParams;
}

export const buildPageBlocks = async (
  deps: ViewDeps,
  caller: Caller,
  { page, params }: PageRequest,
): Promise<Block[]> => {
  const context: PageContext = { deps, caller, page: page.name, params, now: deps.clock.now() };
  const inTurn = createLimiter(queryConcurrency);
  const made = page.blocks.map(async (declared: DeclaredBlock, place): Promise<Block | null> => {
    const block = withFilledTitle(declared, params);
    const source = block['source'];
    const resolve =
      typeof source === 'string' && Object.hasOwn(resolvers, source) ? resolvers[source as BlockSource] : literalBlock;
    const make = (): Promise<Block | null> => resolve(context, block, place);
    try {
      return await (asksApp(context, block) ? make() : inTurn(make));
    } catch (error) {
      return isNotFound(error) ? null : errorBlockFor(deps.log, blockTitle(block), error);
    }
  });
  return (await Promise.all(made)).filter((block) => block !== null);
};
