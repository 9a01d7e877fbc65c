/**
 * All rows of the permission matrix, by area. They run in this order, in one world: what a row changes, the later ones
 * find changed.
 */
import type { Row } from './columns.ts';
import { actions } from './rows/actions.ts';
import { approvals } from './rows/approvals.ts';
import { bulk } from './rows/bulk.ts';
import { flags } from './rows/flags.ts';
import { items } from './rows/items.ts';
import { overview } from './rows/overview.ts';
import { records } from './rows/records.ts';

/** A change that a supervised agent requests becomes an approval, unless its role may not even request it. */
export const rows: readonly Row[] = [...overview, ...items, ...bulk, ...actions, ...approvals, ...flags, ...records];
