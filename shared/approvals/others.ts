/** Requests that wait on the target of another one, so that whoever decides does not let the same be done twice. For api/routes/approvals.ts and the tools. */
import type { Caller } from '../access/principal.ts';
import { limits } from '../catalogue/limits.ts';
import { queryRows, statement } from '../platform/db/sql.ts';
import type { DomainDeps } from '../settings/deps.ts';
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
 * them whose items are compared, `named` the items that the request names, `of_record` those whose record its action is for: a bulk
 * that runs an action is about the records of its items.
 */
const othersSql = statement(
  'approvals.others',
  `with waiting as materialized (
     select a.id, a.item, a.bulk, a.request->>'flag' as flag, a.request->>'resource' as resource, a.request->>'record' as record,
       a.kind = 'bulk' and a.request->>'action' is not null as acts, (a.request->>'total')::int as total
     from approvals a where a.env = $1 and a.status = 'pending' and a.id <> $2
       and a.expires_at > $9 and ($10::text is null or a.actor = $10)
     order by a.id desc limit ${String(comparedMost)}
   ), named as materialized (
     select unnest(c.ids) as id from bulk_chunks c where c.bulk = $3
     union all select $4::text where $4::text is not null
   ), of_record as materialized (
     select i.id from items i where i.env = $1 and i.record_resource = $6 and i.record_id = $7
     order by i.last_seen desc, i.id desc limit ${String(itemsOfRecordMost)}
   ), summed as materialized (
     select w.id, w.bulk, w.acts, sum(w.total) over (order by w.id desc) as sum from waiting w where w.bulk is not null
   ), bulks as materialized (
     select s.id, s.acts, u.item from summed s join bulk_chunks c on c.bulk = s.bulk cross join unnest(c.ids) u(item)
     where s.sum <= ${String(bulkItemsMost)}
   )
   select ${approvalColumns} from approvals a where a.env = $1 and a.status = 'pending' and a.id in (
     select w.id from waiting w where w.flag = $5 or (w.resource = $6 and w.record = $7)
     union all select w.id from waiting w join named n on n.id = w.item
     union all select w.id from waiting w
       join items i on i.env = $1 and i.record_resource = w.resource and i.record_id = w.record join named n on n.id = i.id where $8
     union all select b.id from bulks b join named n on n.id = b.item
     union all select b.id from bulks b join of_record o on o.id = b.item where b.acts
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
  const { resource, record } = kind === 'action' ? request : { resource: null, record: null };
  const isBulkOfActions = kind === 'bulk' && request.action !== null;
  const target = [bulk, item, flag, resource, record, isBulkOfActions];
  const others = await queryRows<Approval>(db, othersSql, [caller.env.id, id, ...target, clock.now(), requestedBy]);
  return others
    .filter((other) => canSee(caller, other))
    .slice(0, limits.approvalOthers)
    .map((other) => other.id);
};
