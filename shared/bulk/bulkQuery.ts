/** Bulks by query: the ids that a query in JSON matches. Used by `POST /bulk`. */
import { type Caller, principalModeFault, withoutSupervision } from '../accounts/access/principal.ts';
import { type JsonItemQuery, toListQuery } from '../app/manifest/itemQuery.ts';
import { fault, Fault, invalidAt } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import { resolveItemList } from '../items/filters/filters.ts';
import { readItemIds } from '../items/list/ids.ts';
import type { ItemCountRequest } from '../items/list/request.ts';
import { estimateItemCount } from '../items/list/summary.ts';
import { isStatementTimeout } from '../platform/db/errors.ts';
import type { Db } from '../platform/db/knex.ts';
import { withPathPrefixLater } from '../platform/json/validate.ts';

/** How far, of one, the count that the caller saw may be off. */
const expectTolerance = 0.05;

const matchedDetail = (matched: string): { details: { path: string; message: string }[] } => ({
  details: [{ path: 'matched', message: matched }],
});

/** Returns what `read` returns. Throws `too_broad` when PostgreSQL has stopped it. */
const readInTime = async <T>(read: () => Promise<T>): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    if (!isStatementTimeout(error) && !(error instanceof Fault && error.code === 'too_broad')) throw error;
    throw fault('too_broad', undefined, {
      details: [{ path: 'query', message: 'name an inbox, a state, a record or rarer words' }],
    });
  }
};

/** Returns the fault with an estimate of how many items match, as counting so many takes too long. */
const tooManyFault = async (db: Db, request: ItemCountRequest): Promise<Fault> => {
  const counted = Math.max(limits.bulkIds + 1, await readInTime(() => estimateItemCount(db, request)));
  return fault(
    'too_many',
    `The query matches some ${String(counted)} items; at most ${String(limits.bulkIds)} are taken at once.`,
    matchedDetail(String(counted)),
  );
};

interface MatchRequest {
  readonly query: JsonItemQuery;
  /** How many the caller saw; null: they don't say. */
  readonly expect: number | null;
  readonly now: number;
}

/** Returns whether a query filters nothing: it has no members, or only empty lists and objects. */
const isEmptyQuery = (query: JsonItemQuery): boolean =>
  Object.values(query).every((value) => typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/**
 * Returns the ids of the items that match and that the caller sees. Throws `not_found` for an unseen inbox or view, `forbidden` for
 * a read-only agent, `too_many`, and `conflict` when the caller expects another number.
 */
export const matchBulkQuery = async (
  db: Db,
  caller: Caller,
  { query, expect, now }: MatchRequest,
): Promise<readonly string[]> => {
  if (isEmptyQuery(query) && expect === null)
    throw invalidAt('expect', 'is required with an empty query: say how many items you expect');
  const { request } = await withPathPrefixLater('query', () => resolveItemList(db, caller, toListQuery(query), now));
  // A read-only agent is refused before anything is counted.
  const readonly = principalModeFault(withoutSupervision(caller.principal));
  if (readonly !== null) throw readonly;
  const none = { ids: [], complete: true };
  const { ids, complete } = request === null ? none : await readInTime(() => readItemIds(db, request, limits.bulkIds));
  if (request !== null && !complete) throw await tooManyFault(db, request);
  if (expect !== null && Math.abs(ids.length - expect) > expect * expectTolerance)
    throw fault(
      'conflict',
      `The query matches ${String(ids.length)} items, not some ${String(expect)}; look at them again.`,
      matchedDetail(String(ids.length)),
    );
  return ids;
};
