/** The newest state of a bulk, of those that answers and live messages bring. Used by the queries, the session and the pages. */
import type { Bulk } from './types.ts';

export const isFinished = ({ status }: Bulk): boolean => status === 'done' || status === 'cancelled';

/** Returns the later of two states of a bulk: an answer may come after a message that is newer. */
export const newerBulk = (known: Bulk | undefined, given: Bulk): Bulk =>
  known !== undefined && known.id === given.id && (isFinished(known) || known.done > given.done) ? known : given;
