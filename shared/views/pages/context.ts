/** What every source of blocks works with. */
import type { Caller } from '../../access/principal.ts';
import type { Block } from '../../applink/protocol.ts';
import type { ViewDeps } from '../deps.ts';
import type { PageParams } from './params.ts';

export type DeclaredBlock = Readonly<Record<string, unknown>>;

export interface PageContext {
  readonly deps: ViewDeps;
  readonly caller: Caller;
  /** The page's name. */
  readonly page: string;
  readonly params: PageParams;
  /** When the page was asked for, in ms: everything time-dependent on it holds for then. */
  readonly now: number;
}

/** Makes the block; null: the role doesn't see what it is about, so there is no such block. */
export type BlockResolver = (context: PageContext, block: DeclaredBlock, place: number) => Promise<Block | null>;

export const blockTitle = (block: DeclaredBlock): string | null =>
  typeof block['title'] === 'string' ? block['title'] : null;
