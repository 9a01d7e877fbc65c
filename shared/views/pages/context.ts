/** What every source of blocks works with. */
import type { Caller } from '../../access/principal.ts';
import type { Block } from '../../applink/protocol.ts';
import type { ViewDeps } from '../deps.ts';
import type { Params } from './params.ts';

export type Declared = Readonly<Record<string, unknown>>;

export interface PageContext {
  readonly deps: ViewDeps;
  readonly caller: Caller;
  /** The page's name. */
  readonly page: string;
  readonly params: Params;
  /** When the page was asked for, in ms: everything time-dependent on it holds for then. */
  readonly now: number;
}

/** Makes the block; null: the role doesn't see what it is about, so there is no such block. */
export type Resolve = (context: PageContext, block: Declared, place: number) => Promise<Block | null>;

export const titleOf = (block: Declared): string | null => (typeof block['title'] === 'string' ? block['title'] : null);
