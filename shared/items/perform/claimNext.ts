/** Claims the next items to work on: finds those that nobody works on, in their order, and gives each to one caller. */
import { type Caller, toActorRef } from '../../accounts/access/principal.ts';
import type { DomainDeps } from '../../accounts/deps.ts';
import { type JsonItemQuery, toListQuery } from '../../app/manifest/itemQuery.ts';
import { fault } from '../../catalogue/errors.ts';
import type { ItemClaim } from '../../catalogue/events.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { namedStatement, type NamedValues, queryNamedTextRows, type TextRow } from '../../platform/db/sql.ts';
import { change, insertSavedResponse, live, queryChangeRows } from '../../platform/journal/changeWriter.ts';
import { nextEventId } from '../../platform/journal/events.ts';
import type { SavedResponse } from '../../platform/journal/idempotency.ts';
import { withPathPrefixLater } from '../../platform/json/validate.ts';
import { channels, outboxOf } from '../../platform/redis/bus.ts';
import { resolveItemList } from '../filters/filters.ts';
import type { ItemListQuery } from '../filters/listFilters.ts';
import { allConditions, filterValues, requestedFilters } from '../list/filters.ts';
import { readItemIds } from '../list/ids.ts';
import { listItems } from '../list/page.ts';
import type { ItemCountRequest, ItemListRequest } from '../list/request.ts';
import { claimEnd, itemOwners, parseItemRow, scannedColumns, wholeItemColumns, type Item } from '../model.ts';
import { withinLimit } from './claim.ts';
import { claimSetSql } from './writeSql.ts';

/** An item is free where nobody's claim of it goes on. */
const isClaimable = `not i.closed and i.snoozed_until is null and (i.claim is null or ${claimEnd('i')} <= $now::bigint)`;

/** The inboxes, owners and priorities to look at; the most urgent priority has the lowest rank. */
const branches =
  'unnest($branchInbox::text[], $branchOwner::text[], $branchPriority::text[], $branchRank::int[]) as b(inbox, owner, priority, rank)';

/** Selects the first items that can be claimed, in the order of the index `items_next`. */
const nextStatement = namedStatement(
  'claims.next',
  () => `
  select f.id from ${branches} cross join lateral (
    select ${scannedColumns} from items i
    where i.env = $env and i.inbox = b.inbox and ${itemOwners('i')} = b.owner and i.priority = b.priority and ${isClaimable} and ${allConditions}
    order by i.due_at, i.last_seen, i.id limit $most
  ) f order by b.rank, f.due_at, f.last_seen, f.id limit $most`,
);

/** Selects the same among items that have been found. */
const nextOfStatement = namedStatement(
  'claims.nextOf',
  () => `
  select i.id from items i join ${branches} on b.inbox = i.inbox and b.owner = ${itemOwners('i')} and b.priority = i.priority
  where i.env = $env and i.id = any ($ids::text[]) and ${isClaimable} order by b.rank, i.due_at, i.last_seen, i.id limit $most`,
);

/** Claims up to `$count` of the items, in their order: what another holds at this moment is passed over. */
const claimNext = change(
  'claims.taken',
  {
    locked: `
    select i.id, w.n, i.claim is null as is_new from unnest($ids::text[]) with ordinality w(id, n) join items i on i.env = $env and i.id = w.id
    where ${isClaimable} and ${itemOwners('i')} = any ($owners::text[])
    order by w.n limit $count::int for no key update of i skip locked`,
    moved: claimSetSql('(select l.*, $claim::jsonb as claim from locked l)', {
      returning: `${wholeItemColumns}, g.n as place, g.is_new`,
    }),
    numbered: `select ${nextEventId} as event, id, inbox, is_new from moved`,
    told: live(
      {
        id: 'event',
        inbox: 'inbox',
        parts: `json_build_array(json_build_object('type', 'claim', 'inbox', inbox, 'item', id, 'claim', $claim::json))::text`,
        deltas: `case when is_new then '{"claimed":1}'::jsonb else '{}'::jsonb end`,
        whole: 'true',
      },
      { from: 'numbered' },
    ),
  },
  'select * from moved order by place',
);

/** Candidates beside the wanted ones, as others may claim the first of them at the same moment. */
const candidatesBeside = 64;
/** So few matches are sorted rather than looked for in the order of the index. */
const fewMatches = 2_000;
const takeRounds = 5;

/** The items that the caller may claim, as a request of lists. */
interface Wanted {
  readonly request: ItemCountRequest;
  /** null: by priority, deadline and activity. */
  readonly order: Pick<ItemListRequest, 'sort' | 'descending'> | null;
  /** Whether the caller narrows what they claim. */
  readonly isFiltered: boolean;
  /** Pairs of an assignee and a delegate whose items the caller may claim. */
  readonly owners: readonly string[];
}

/** Returns the values of `known` that were asked for; all of them where nothing was. */
const among = (asked: readonly string[] | null, known: readonly string[]): readonly string[] =>
  asked === null ? known : known.filter((one) => asked.includes(one));

/** Returns the items of a request that the caller may claim; null: there can be none. */
const wantedOf = (
  { env, principal: { type, id, access } }: Caller,
  request: Omit<ItemListRequest, 'after' | 'limit'> | null,
  hasOrder: boolean,
): Wanted | null => {
  if (request === null || request.snoozed === true) return null;
  const inboxes = request.inboxes.filter(({ name }) => access.can('inbox', name, 'claim'));
  const own = id ?? '';
  const [assignees, delegates] = [
    among(request.assignees, type === 'person' ? ['none', own] : ['none']),
    among(request.delegates, type === 'agent' ? ['none', own] : ['none']),
  ];
  const open = inboxes.flatMap(({ name, states }) =>
    states.filter((state) => env.definition.inboxes.get(name)?.isClosed(state) !== true),
  );
  const states = among(request.states, open);
  if ([inboxes, assignees, delegates, states, among(request.claimed, ['none'])].some(({ length }) => length === 0))
    return null;
  const column = (who: string): string => (who === 'none' ? '' : who);
  const isFiltered = requestedFilters(request).length > 0;
  return {
    request: {
      ...request,
      inboxes,
      assignees,
      delegates,
      states: isFiltered ? states : null,
      snoozed: false,
      claimed: ['none'],
    },
    order: hasOrder ? request : null,
    isFiltered,
    owners: assignees.flatMap((who) => delegates.map((agent) => `${column(who)} ${column(agent)}`)),
  };
};

const branchValues = ({ request, owners }: Wanted): NamedValues => {
  const rows = request.inboxes.flatMap(({ name, priorities }) =>
    priorities.flatMap((group, rank) =>
      group.flatMap((priority) => owners.map((owner) => ({ name, owner, priority, rank }))),
    ),
  );
  return {
    branchInbox: rows.map(({ name }) => name),
    branchOwner: rows.map(({ owner }) => owner),
    branchPriority: rows.map(({ priority }) => priority),
    branchRank: rows.map(({ rank }) => rank),
  };
};

const idsOf = (rows: readonly TextRow[]): string[] => rows.flatMap(([id]) => id ?? []);

/** Returns the ids of up to `most` items that can be claimed, the first to take first. */
const findCandidates = async ({ db }: DomainDeps, wanted: Wanted, most: number): Promise<string[]> => {
  const { request, order, isFiltered } = wanted;
  if (order !== null) return idsOf((await listItems(db, { ...request, ...order, after: null, limit: most })).rows);
  const values = { ...filterValues(request), ...branchValues(wanted), most };
  const few = isFiltered ? await readItemIds(db, request, fewMatches) : null;
  return idsOf(
    few?.complete === true
      ? await queryNamedTextRows(db, nextOfStatement, { ...values, ids: few.ids })
      : await queryNamedTextRows(db, nextStatement, values),
  );
};

interface NextRequest {
  readonly query: JsonItemQuery;
  readonly sort: ItemListQuery['sort'];
  readonly count: number;
  readonly lease: number;
}

export interface ClaimedItems {
  readonly items: readonly Item[];
  /** When the claims end, in epoch ms. */
  readonly until: number;
}

/**
 * Claims the next items for the caller: open, awake ones that nobody works on and that are given to nobody else, the most urgent
 * priority first, then the earliest deadline, then the oldest activity. No item is given to two callers. Throws `forbidden` where the
 * caller claims nothing, and `rate_limited` at `limits.claims`.
 */
export const claimNextItems = async (
  deps: DomainDeps,
  caller: Caller,
  { query, sort, count, lease }: NextRequest,
  save: (claimed: ClaimedItems) => SavedResponse | null,
): Promise<ClaimedItems> => {
  const at = deps.clock.now();
  const asked = { ...toListQuery(query), ...(sort === undefined ? {} : { sort }) };
  const { request } = await withPathPrefixLater('query', () => resolveItemList(deps.db, caller, asked, at));
  if (caller.principal.mode === 'readonly') throw fault('forbidden', 'This agent is read-only.');
  const { access } = caller.principal;
  if (![...caller.env.definition.inboxes.keys()].some((name) => access.can('inbox', name, 'claim')))
    throw fault('forbidden', 'Your role does not allow claim in any inbox.');
  const wanted = wantedOf(caller, request, sort !== undefined);
  const claim: ItemClaim = { by: toActorRef(caller.principal), until: at + lease };
  const take = (db: Db | Tx, ids: readonly string[], left: number): Promise<TextRow[]> =>
    queryChangeRows(db, claimNext, {
      env: caller.env.id,
      at,
      now: at,
      ids,
      owners: wanted?.owners,
      count: Math.min(count, left),
      claim,
    });
  const kept = async (db: Db | Tx, rows: readonly TextRow[]): Promise<ClaimedItems> => {
    const claimed = { items: rows.map(parseItemRow), until: claim.until };
    const saved = save(claimed);
    if (saved !== null) await insertSavedResponse(db, saved, at);
    return claimed;
  };
  for (let round = 0; wanted !== null && round < takeRounds; round++) {
    const ids = await findCandidates(deps, wanted, count + candidatesBeside);
    if (ids.length === 0) break;
    const done = await withinLimit(deps, caller, { at, wanted: count }, (db, left) =>
      db.transaction(async (tx) => {
        const rows = await take(tx, ids, left);
        return rows.length === 0 ? null : kept(tx, rows);
      }),
    );
    if (done === null) continue;
    deps.bus.publish(channels.workAvailable, outboxOf(caller.env.id));
    return done;
  }
  return kept(deps.db, []);
};
