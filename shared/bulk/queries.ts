/** Reads bulks and their results as one caller sees them, for the endpoints and all of shared/bulk. Says how those that have ended move to their months. */
import type { Caller } from '../accounts/access/principal.ts';
import type { DomainDeps } from '../accounts/deps.ts';
import { revokedMessage } from '../accounts/requester.ts';
import { fault } from '../catalogue/errors.ts';
import { type BulkOutcome, type BulkStatus, openChunkStatuses } from '../catalogue/states/bulks.ts';
import { sqlList } from '../catalogue/states/machine.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { type Statement, ofEnvironment, queryRow, queryRows, statement } from '../platform/db/sql.ts';
import { type EndedRows, batchRows } from '../platform/ended/moveEnded.ts';
import { notFoundFault, readPageOfTwo } from '../platform/ended/readEnded.ts';
import { cutPage, readVisiblePage } from '../platform/listing/page.ts';
import type { BulkRow } from './present.ts';
import { type BulkScope, areIdsNamed, readBulkScopes, seesAllBulks, seesBulkCounts, seesBulkScope } from './scope.ts';

/** The counts are in the chunks, which workers finish in parallel, as a counter in the bulk's row would make them wait; once the chunks are gone, they are in that row. */
const bulkRows = (from: string): string => `
  select b.id, b.env, b.status, b.operation, b.total, b.actor_type, b.actor, b.actor_name, b.undo_of, b.cancelled, b.started_at, b.finished_at, b.results_gone_at,
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
  ${bulkRows(`(select * from ${from} where ${ofEnvironment('env', '$1')} and id < $2 ${own ? 'and actor = $4' : 'and $4::text is not null'} ${byStatus ? 'and status = $5' : ''} order by env, id desc limit $3)`)}
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

export const isBulkAuthor = ({ principal }: Caller, bulk: Pick<BulkRow, 'actor_type' | 'actor'>): boolean =>
  principal.type === bulk.actor_type && principal.id === bulk.actor;

type BulkDeps = Pick<DomainDeps, 'directory'> & { readonly db: Db | Tx };

/** A bulk's ids stand in its chunks. Their results join to items, so that ids without an item are not counted, like those of hidden items. */
const visibleCountsSql = statement(
  'bulk.visibleCounts',
  `
  select b.id, t.total, r.changed, r.unchanged, r.failed from unnest($2::text[]) b (id)
  cross join lateral (
    select count(*)::int as total from bulk_chunks c cross join lateral unnest(c.ids) as u (item)
      join items i on i.env = $1 and i.id = u.item where c.bulk = b.id and i.inbox = any ($3)) t
  cross join lateral (
    select (count(*) filter (where r.outcome = 'changed'))::int as changed, (count(*) filter (where r.outcome = 'unchanged'))::int as unchanged,
      (count(*) filter (where r.outcome not in ('changed', 'unchanged')))::int as failed
    from bulk_results r join items i on i.env = $1 and i.id = r.item where r.bulk = b.id and i.inbox = any ($3)) r`,
);

/** Returns bulks of others with counts of the items that the role sees. Those whose results are gone can't be counted any more. */
const withVisibleCounts = async (
  { db }: BulkDeps,
  { env, principal }: Caller,
  bulks: readonly BulkRow[],
): Promise<BulkRow[]> => {
  if (bulks.length === 0) return [];
  const kept = bulks.filter(({ results_gone_at: goneAt }) => goneAt === null);
  const rows = await queryRows<Pick<BulkRow, 'id' | 'total' | 'changed' | 'unchanged' | 'failed'>>(
    db,
    visibleCountsSql,
    [env.id, kept.map(({ id }) => id), principal.access.namesSeen('inbox')],
  );
  const counts = new Map(rows.map((row) => [row.id, row]));
  return kept.map((bulk) => ({ ...bulk, ...counts.get(bulk.id) }));
};

/** Returns by id, as the caller sees them, those of the bulks that the caller requested or, seeing the audit log, sees by their scope. */
const visibleBulks = async (
  deps: BulkDeps,
  caller: Caller,
  bulks: readonly BulkRow[],
): Promise<ReadonlyMap<string, BulkRow>> => {
  const { access } = caller.principal;
  const others = access.may('audit', 'see') ? bulks.filter((bulk) => !isBulkAuthor(caller, bulk)) : [];
  const scopes = seesAllBulks(access) ? null : await readBulkScopes(deps, others);
  const scopeOf = ({ id }: BulkRow): BulkScope | null => scopes?.get(id) ?? null;
  const seen = others.filter((bulk) => scopes === null || seesBulkScope(access, scopeOf(bulk)));
  const partly = seen.filter((bulk) => !seesBulkCounts(access, scopeOf(bulk)));
  const shown = [
    ...bulks.filter((bulk) => isBulkAuthor(caller, bulk)),
    ...seen.filter((bulk) => !partly.includes(bulk)),
    ...(await withVisibleCounts(deps, caller, partly)),
  ];
  return new Map(shown.map((bulk) => [bulk.id, bulk]));
};

/** Returns a page of the caller's bulks, or for one who sees the audit log of all whose scope they see, newest first. */
export const listBulks = async (
  deps: Pick<DomainDeps, 'db' | 'clock' | 'directory'>,
  caller: Caller,
  { status, before, limit }: BulksQuery,
): Promise<{ readonly bulks: readonly BulkRow[]; readonly next: string | null }> => {
  const { db, clock } = deps;
  const { env, principal } = caller;
  const all = principal.access.may('audit', 'see');
  const statements = status === undefined ? (all ? allBulks : ownBulks) : all ? allBulksByStatus : ownBulksByStatus;
  const read = async (from: string, wanted: number): Promise<readonly { id: string; bulk: BulkRow | null }[]> => {
    const values = [env.id, from, wanted, principal.id, ...(status === undefined ? [] : [status])];
    const bulks = await readPageOfTwo<BulkRow>({
      now: clock.now(),
      before: from,
      wanted,
      readRecent: () => queryRows<BulkRow>(db, statements.recent, values),
      readAll: () => queryRows<BulkRow>(db, statements.all, values),
    });
    const seen = await visibleBulks(deps, caller, bulks);
    return bulks.map(({ id }) => ({ id, bulk: seen.get(id) ?? null }));
  };
  const { page: bulks, next } = await readVisiblePage(
    { from: before ?? aboveAllIds, limit, read, positionOf: ({ id }) => id },
    ({ bulk }) => bulk,
  );
  return { bulks, next };
};

/** Returns a bulk, wherever it is; a bulk never comes back from its month. */
export const readBulk = async (db: Db | Tx, envId: number, id: string): Promise<BulkRow | undefined> =>
  (await queryRow<BulkRow>(db, one, [envId, id])) ?? queryRow<BulkRow>(db, oneEnded, [envId, id]);

/** Returns the bulk, if the caller requested it or sees the audit log and its scope; of another's, counts of the items that the role sees. Throws `not_found`. */
export const readVisibleBulk = async (deps: BulkDeps, caller: Caller, id: string): Promise<BulkRow> => {
  const bulk = await readBulk(deps.db, caller.env.id, id);
  const shown = bulk === undefined ? undefined : (await visibleBulks(deps, caller, [bulk])).get(id);
  if (shown === undefined) throw await notFoundFault(deps.db, caller.env.id, 'bulks', id);
  return shown;
};

/** Throws `not_found`, with the time, when the results of a bulk are not kept any more. */
export const requireResults = ({ results_gone_at: goneAt }: BulkRow): void => {
  if (goneAt === null) return;
  throw fault(
    'not_found',
    `The results of this bulk were kept until ${new Date(goneAt).toISOString()}; the bulk itself has its counts.`,
  );
};

/** The error of an item that a cancelled bulk had not begun. */
export const cancelledMessage = 'It was cancelled before this item was begun.';

/** Results that read the same for an id without an item: leaving them out would disclose that the item exists. */
const readsLikeNone = `i.inbox is null or r.outcome in ('not_found', 'cancelled') or r.error = '${revokedMessage}'`;

/**
 * Returns whether the caller gets results that read like those of an id without an item: the author who has named the ids, and
 * who sees every inbox. To others they would disclose ids of items that they don't see. The ids of an undo are the service's.
 */
export const seesAbsentItems = async (deps: BulkDeps, caller: Caller, bulk: BulkRow): Promise<boolean> => {
  if (bulk.undo_of !== null) return false;
  if (caller.principal.access.namesSeen('inbox') === null) return true;
  return isBulkAuthor(caller, bulk) && areIdsNamed(deps, bulk);
};

/** The statement of a page. Results of items whose inbox the role doesn't see are left out, with `withAbsent` but for those that read like none. */
const page = (withAbsent: boolean, outcome: string) => `
  select r.seq, r.item as id, r.outcome, r.error, r.code
  from bulk_results r left join items i on i.env = $1 and i.id = r.item
  where r.bulk = $2 ${outcome} and r.seq > $3
    and (i.inbox = any ($4) ${withAbsent ? `or ${readsLikeNone}` : ''})
  order by r.seq limit $5`;
const byOutcome = 'and r.outcome = $6';
const resultStatements = {
  all: { all: statement('bulk.results', page(true, '')), some: statement('bulk.resultsBy', page(true, byOutcome)) },
  seen: {
    all: statement('bulk.seenResults', page(false, '')),
    some: statement('bulk.seenResultsBy', page(false, byOutcome)),
  },
} as const;

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
  /** As `seesAbsentItems` returns it. */
  readonly withAbsent: boolean;
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
  { bulk, inboxes, withAbsent, outcome, after, limit }: BulkResultsQuery,
): Promise<BulkResultsPage> => {
  const values = [envId, bulk, after, inboxes, limit + 1];
  const { all, some } = resultStatements[withAbsent ? 'all' : 'seen'];
  const found = await (outcome === undefined
    ? queryRows<BulkResultRow>(db, all, values)
    : queryRows<BulkResultRow>(db, some, [...values, outcome]));
  const { page, last } = cutPage(found, limit);
  return {
    results: page.map(({ seq: _, ...rest }) => rest),
    next: last?.seq ?? null,
  };
};

export const endedBulks: EndedRows = {
  kind: 'bulks',
  prefix: 'blk',
  find: statement(
    'bulk.findEnded',
    `select id from bulks where id > $1 and id < $2 and finished_at < $3 order by id limit ${String(batchRows)}`,
  ),
  // A bulk that is being undone stays.
  move: statement(
    'bulk.moveEnded',
    `
    with gone as (
      delete from bulks b where b.id = any($1) and b.finished_at < $2
        and b.id not in (select u.undo_of from bulks u where u.finished_at is null and u.undo_of is not null)
      returning b.finished_at as ended_at, b.*
    )
    insert into bulks_ended select g.* from gone g returning id`,
  ),
};
