/** Requests that wait on the target of another one, so that whoever decides does not let the same be done twice. For api/routes/approvals.ts and the tools. */
import type { Caller } from '../accounts/access/principal.ts';
import type { DomainDeps } from '../accounts/deps.ts';
import { limits } from '../catalogue/limits.ts';
import { namedStatement, queryNamedRows } from '../platform/db/sql.ts';
import { approvalColumns, type Approval } from './model.ts';
import { canSee } from './queries.ts';

/** The newest pending requests that are compared. */
const comparedMost = 1_000;
/** Items of the newest pending bulks that are compared: one of the largest takes 70 ms. */
const bulkItemsMost = 100_000;
/** The newest items of a record that are looked for in bulks. */
const itemsOfRecordMost = 1_000;
/** How many are read, of which the caller may not see all. */
const readMost = 5 * limits.approvalOthers;

/**
 * Statement of the other pending requests that are about the same flag, record or item. `waiting` are the others, `bulks` those of
 * them whose ids are compared, `named` the items that the request names, `acted` the records of `$resource` that its action is for, `of_acted`
 * their items. A bulk that runs an action is about the records that it names, or about those of its items.
 */
const othersSql = namedStatement(
  'approvals.others',
  () => `with waiting as materialized (
     select a.id, a.item, a.bulk, a.request->>'flag' as flag, a.request->>'resource' as resource, a.request->>'record' as record,
       a.kind = 'bulk' and a.request->>'action' is not null as acts, a.request->'operation'->'records' is not null as refers,
       (a.request->>'total')::int as total
     from approvals a where a.env = $env and a.status = 'pending' and a.id <> $id and a.kind <> 'question'
       and a.expires_at > $now and ($requester::text is null or a.actor = $requester)
     order by a.id desc limit ${String(comparedMost)}
   ), ids as materialized (
     select unnest(c.ids) as id from bulk_chunks c where c.bulk = $bulk
   ), named as materialized (
     select id from ids where not $refers union all select $item::text where $item::text is not null
   ), acted as materialized (
     select $record::text as id where $record::text is not null
     union select id from ids where $refers
     union select i.record_id from ids join items i on i.env = $env and i.id = ids.id and i.record_resource = $resource where $acts and not $refers
     limit ${String(limits.bulkRefs)}
   ), of_acted as materialized (
     select i.id from acted cross join lateral (
       select i.id from items i where i.env = $env and i.record_resource = $resource and i.record_id = acted.id
       order by i.last_seen desc, i.id desc limit ${String(itemsOfRecordMost)}) i
   ), summed as materialized (
     select w.*, sum(w.total) over (order by w.id desc) as sum from waiting w where w.bulk is not null
   ), bulks as materialized (
     select s.id, s.resource, s.acts, s.refers, u.id as of from summed s join bulk_chunks c on c.bulk = s.bulk cross join unnest(c.ids) u(id)
     where s.sum <= ${String(bulkItemsMost)}
   )
   select ${approvalColumns} from approvals a where a.env = $env and a.status = 'pending' and a.id in (
     select w.id from waiting w where w.flag = $flag
     union all select w.id from waiting w join acted r on r.id = w.record where w.resource = $resource
     union all select w.id from waiting w join named n on n.id = w.item
     union all select b.id from bulks b join named n on n.id = b.of where not b.refers
     union all select b.id from bulks b join acted r on r.id = b.of where b.refers and b.resource = $resource
     union all select b.id from bulks b join of_acted o on o.id = b.of where b.acts and not b.refers and b.resource = $resource
   ) order by a.id desc limit ${String(readMost)}`,
);

/**
 * Returns the ids of the other requests that wait on what a pending one is about and that the caller sees, newest first, at most
 * `limits.approvalOthers`. `requestedBy`: those of one principal alone; null: anybody's.
 */
export const readOtherRequests = async (
  { db, clock }: Pick<DomainDeps, 'db' | 'clock'>,
  caller: Caller,
  approval: Approval,
  requestedBy: string | null = null,
): Promise<string[]> => {
  const { id, kind, status, bulk, item, request } = approval;
  if (status !== 'pending') return [];
  const { flag } = kind === 'flag' ? request : { flag: null };
  const { resource } = kind === 'action' || kind === 'bulk' ? request : { resource: null };
  const record = kind === 'action' ? request.record : null;
  const [acts, refers] = kind === 'bulk' ? [request.action !== null, 'records' in request.operation] : [false, false];
  const others = await queryNamedRows<Approval>(db, othersSql, {
    env: caller.env.id,
    id,
    now: clock.now(),
    requester: requestedBy,
    bulk,
    item,
    flag,
    resource,
    record,
    acts,
    refers,
  });
  return others
    .filter((other) => canSee(caller, other))
    .slice(0, limits.approvalOthers)
    .map((other) => other.id);
};
