/** The context of a page's request, which page.ts passes to every source of blocks. */
import type { Caller } from '../../accounts/access/principal.ts';
import type { Block } from '../../app/link/protocol.ts';
import type { ViewDeps } from '../deps.ts';
import type { PageParams } from './params.ts';

export type DeclaredBlock = Readonly<Record<string, unknown>>;

export interface PageContext {
  readonly deps: ViewDeps;
  readonly caller: Caller;
  /** The page's name. */
  readonly page: string;
  readonly params: PageParams;
  /** The time of the request, epoch milliseconds, by which all blocks are made. */
  readonly now: number;
}

/** Makes a block; null: the role doesn't see its subject, so the page has no such block. */
export type BlockResolver = (context: PageContext, block: DeclaredBlock, place: number) => Promise<Block | null>;

export const blockTitle = (block: DeclaredBlock): string | null =>
  typeof block['title'] === 'string' ? block['title'] : null;
