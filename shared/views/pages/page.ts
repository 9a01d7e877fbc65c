/** A page: its declared blocks, each made from its source with the caller's rights, all at the same time. */
import type { Caller } from '../../access/principal.ts';
import type { Block } from '../../applink/protocol.ts';
import { failedBlock } from '../../blocks/ask.ts';
import { filledBlock } from '../../blocks/declared.ts';
import { blockLimits } from '../../blocks/schema.ts';
import { seenBlocks } from '../../items/seenBlocks.ts';
import { Fault } from '../../catalogue/errors.ts';
import { fillTemplate } from '../../platform/core/conditions.ts';
import type { ViewDeps } from '../deps.ts';
import type { ManifestPage } from '../../environments/manifest.ts';
import type { Params } from './params.ts';
import type { Source } from '../../environments/pages/schema.ts';
import { appBlock } from './sources/app.ts';
import { titleOf, type Declared, type PageContext, type Resolve } from './context.ts';
import { countsBlock } from './sources/counts.ts';
import { flagsBlock } from './sources/flags.ts';
import { itemsBlock } from './sources/items.ts';
import { recordsBlock } from './sources/records.ts';
import { turns } from './turns.ts';

/** Made by the declaration alone. */
const literalBlock: Resolve = async ({ deps, caller, params }, declared) => {
  const block = filledBlock({ ...declared, title: null }, { params });
  const [seen] = block === null ? [] : await seenBlocks(deps.db, caller, [{ ...block, title: titleOf(declared) }]);
  return seen ?? null;
};

const resolvers: Readonly<Record<Source, Resolve>> = { items: itemsBlock, counts: countsBlock, records: recordsBlock, flags: flagsBlock, app: appBlock };

/** Blocks of one page that ask PostgreSQL at the same time; those that ask the app wait for nobody. */
const atOnce = 3;

/** `not_found` of a source means that the role doesn't see it: the block is absent, as what doesn't exist would be. */
const isUnseen = (error: unknown): boolean => error instanceof Fault && error.code === 'not_found';

const asksApp = ({ caller }: PageContext, block: Declared): boolean => {
  const query = block['query'];
  const resource = typeof query === 'object' && query !== null ? (query as Declared)['resource'] : undefined;
  return block['source'] === 'app' || (typeof resource === 'string' && caller.env.definition.resources.get(resource)?.source === 'app');
};

/** A parameter may be longer than a title. */
const titled = (block: Declared, params: Params): Declared => {
  const title = fillTemplate(titleOf(block), { params });
  return { ...block, title: typeof title === 'string' ? title.slice(0, blockLimits.titleMax).toWellFormed() : null };
};

export interface PageRequest {
  readonly page: ManifestPage;
  readonly params: Params;
}

export const pageBlocks = async (deps: ViewDeps, caller: Caller, { page, params }: PageRequest): Promise<Block[]> => {
  const context: PageContext = { deps, caller, page: page.name, params, now: deps.clock.now() };
  const inTurn = turns(atOnce);
  const made = page.blocks.map(async (declared: Declared, place): Promise<Block | null> => {
    const block = titled(declared, params);
    const source = block['source'];
    const resolve = typeof source === 'string' && Object.hasOwn(resolvers, source) ? resolvers[source as Source] : literalBlock;
    const make = (): Promise<Block | null> => resolve(context, block, place);
    try {
      return await (asksApp(context, block) ? make() : inTurn(make));
    } catch (error) {
      return isUnseen(error) ? null : failedBlock(deps.log, titleOf(block), error);
    }
  });
  return (await Promise.all(made)).filter((block) => block !== null);
};
