/** Reads bulks and their results as one caller sees them. Used by the endpoints and all of shared/bulk. */
import type { Caller } from '../access/principal.ts';
import { fault } from '../catalogue/errors.ts';
import { openChunkStatuses, type BulkOutcome, type BulkStatus } from '../catalogue/states/bulks.ts';
import { sqlList } from '../catalogue/states/machine.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { queryRow, queryRows, statement, type Statement } from '../platform/db/sql.ts';
import { notFoundFault } from '../platform/ended/notKept.ts';
import { readPageOfTwo } from '../platform/ended/readPage.ts';
import { cutPage } from '../platform/listing/page.ts';
import type { DomainDeps } from '../settings/deps.ts';
import type { BulkRow } from './present.ts';

/** The counts are in the chunks, which workers finish in parallel, as a counter in the bulk's row would make them wait; once the chunks are gone, they are in that row. */
const bulkRows = (from: string): string => `
  select b.id, b.status, b.operation, b.total, b.actor_type, b.actor, b.actor_name, b.undo_of, b.cancelled, b.started_at, b.finished_at, b.results_gone_at,
    coalesce(b.changed, c.changed) as changed, coalesce(b.unchanged, c.unchanged) as unchanged, coalesce(b.failed, c.failed) as failed, c.open
  from ${from} b cross join lateral (
    select coalesce(sum(changed), 0)::int as changed, coalesce(sum(unchanged), 0)::int as unchanged, coalesce(sum(failed), 0)::int as failed,
      (count(*) filter (where status in (${sqlList(openChunkStatuses)})))::int as open
    from bulk_chunks where bulk = b.id
  ) c`;
const one = statement('bulk.one', `${bulkRows('bulks')} where b.env = $1 and b.id = $2`);
const oneEnded = statement('bulk.oneEnded', `${bulkRows('bulks_ended')} where b.env = $1 and b.id = $2`);

/** The newest bulks before `$2`, at most `$3`, of the principal `$4` or of all. */
const bulksPage = (from: 'bulks' | 'all_bulks', own: boolean, byStatus: boolean): string => `
  ${bulkRows(`(select * from ${from} where env = $1 and id < $2 ${own ? 'and actor = $4' : 'and $4::text is not null'} ${byStatus ? 'and status = $5' : ''} order by id desc limit $3)`)}
  order by b.id desc`;
const pageStatements = (own: boolean, byStatus: boolean): Readonly<Record<'recent' | 'all', Statement>> => {
  const name = `bulk.${own ? 'ownPage' : 'page'}${byStatus ? 'Status' : ''}`;
  return {
    recent: statement(name, bulksPage('bulks', own, byStatus)),
    all: statement(`${name}All`, bulksPage('all_bulks', own, byStatus)),
  };
};
const ownBulks = pageStatements(true, false);
const ownBulksByStatus = pageStatements(true, true);
const allBulks = pageStatements(false, false);
const allBulksByStatus = pageStatements(false, true);

interface BulksQuery {
  readonly status: BulkStatus | undefined;
  /** Bulks older than this id; null: from the newest. */
  readonly before: string | null;
  readonly limit: number;
}

/** Above every id. */
const aboveAllIds = '~';

/** Returns a page of the caller's bulks, or of all for one who sees the audit log, newest first. */
export const listBulks = async (
  { db, clock }: Pick<DomainDeps, 'db' | 'clock'>,
  { env, principal }: Caller,
  { status, before, limit }: BulksQuery,
): Promise<{ readonly bulks: readonly BulkRow[]; readonly next: string | null }> => {
  const all = principal.access.may('audit', 'see');
  const from = before ?? aboveAllIds;
  const values = [env.id, from, limit + 1, principal.id, ...(status === undefined ? [] : [status])];
  const page = status === undefined ? (all ? allBulks : ownBulks) : all ? allBulksByStatus : ownBulksByStatus;
  const found = await readPageOfTwo<BulkRow>({
    now: clock.now(),
    before: from,
    wanted: limit + 1,
    readRecent: () => queryRows<BulkRow>(db, page.recent, values),
    readAll: () => queryRows<BulkRow>(db, page.all, values),
  });
  const { page: bulks, last } = cutPage(found, limit);
  return { bulks, next: last?.id ?? null };
};

/** Returns a bulk, wherever it is; a bulk never comes back from its month. */
export const readBulk = async (db: Db | Tx, envId: number, id: string): Promise<BulkRow | undefined> =>
  (await queryRow<BulkRow>(db, one, [envId, id])) ?? queryRow<BulkRow>(db, oneEnded, [envId, id]);

export const isBulkAuthor = ({ principal }: Caller, bulk: Pick<BulkRow, 'actor_type' | 'actor'>): boolean =>
  principal.type === bulk.actor_type && principal.id === bulk.actor;

/** Returns the bulk, if the caller requested it or sees the audit log. Throws `not_found`. */
export const readVisibleBulk = async (db: Db | Tx, caller: Caller, id: string): Promise<BulkRow> => {
  const bulk = await readBulk(db, caller.env.id, id);
  if (bulk === undefined || !(isBulkAuthor(caller, bulk) || caller.principal.access.may('audit', 'see')))
    throw await notFoundFault(db, caller.env.id, 'bulks', id);
  return bulk;
};

/** Throws `not_found`, with the time, when the results of a bulk are not kept any more. */
export const requireResults = ({ results_gone_at: goneAt }: BulkRow): void => {
  if (goneAt === null) return;
  throw fault(
    'not_found',
    `The results of this bulk were kept until ${new Date(goneAt).toISOString()}; the bulk itself has its counts.`,
  );
};

/** The error of items that were not tried because the requester was revoked or removed before. */
export const revokedMessage = 'Whoever asked for this may not act here any more.';

/** The error of an item that a cancelled bulk had not begun. */
export const cancelledMessage = 'It was cancelled before this item was begun.';

/**
 * The statement of a page. Results of items whose inbox the role doesn't see are left out, except those that read the same
 * for an id without an item: leaving them out would disclose that the item exists.
 */
const page = (outcome: string) => `
  select r.seq, r.item as id, r.outcome, r.error, r.code
  from bulk_results r left join items i on i.env = $1 and i.id = r.item
  where r.bulk = $2 ${outcome} and r.seq > $3
    and (i.inbox is null or i.inbox = any ($4) or r.outcome in ('not_found', 'cancelled') or r.error = '${revokedMessage}')
  order by r.seq limit $5`;
const allResults = statement('bulk.results', page(''));
const someResults = statement('bulk.resultsBy', page('and r.outcome = $6'));

interface BulkResultRow {
  readonly seq: number;
  readonly id: string;
  readonly outcome: BulkOutcome;
  readonly error: string | null;
  readonly code: string | null;
}

interface BulkResultsQuery {
  readonly bulk: string;
  readonly inboxes: readonly string[];
  readonly outcome: BulkOutcome | undefined;
  /** Results after this seq; −1: from the first. */
  readonly after: number;
  readonly limit: number;
}

interface BulkResultsPage {
  readonly results: Omit<BulkResultRow, 'seq'>[];
  /** The seq for `after` of the next page; null on the last page. */
  readonly next: number | null;
}

export const readBulkResults = async (
  db: Db,
  envId: number,
  { bulk, inboxes, outcome, after, limit }: BulkResultsQuery,
): Promise<BulkResultsPage> => {
  const values = [envId, bulk, after, inboxes, limit + 1];
  const found = await (outcome === undefined
    ? queryRows<BulkResultRow>(db, allResults, values)
    : queryRows<BulkResultRow>(db, someResults, [...values, outcome]));
  const { page, last } = cutPage(found, limit);
  return {
    results: page.map(({ seq: _, ...rest }) => rest),
    next: last?.seq ?? null,
  };
};
