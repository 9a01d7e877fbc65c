/** The compact form of an item’s detail. Used by items.ts. */
import type { Compactor } from '../answers/compact.ts';
import { compactWholeItem } from '../answers/kinds.ts';

export const itemDetailKinds: Readonly<Record<string, Compactor>> = { item: compactWholeItem };
