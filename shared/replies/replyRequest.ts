/**
 * Reads the reply that a job is to deliver, and marks the job as dispatched, for workers/jobs/replySend.ts. In the process that has the
 * app's socket, takes it for the app (api/applink/hub.ts): what is sent is what the rows say, once for each dispatch.
 */
import { fullAccess } from '../accounts/access/access.ts';
import type { ReplyJob } from '../app/link/link.ts';
import type { ServiceCalls } from '../app/link/protocol.ts';
import type { ActorRef } from '../catalogue/events.ts';
import { readItems } from '../items/model.ts';
import { presentItem } from '../items/present.ts';
import type { Db } from '../platform/db/knex.ts';
import { executeStatement, queryRow, queryRows, statement } from '../platform/db/sql.ts';
import { dbNowSql } from '../platform/leases/leaderLease.ts';

/** A reply as its author wrote it, from the first event of its timeline entry. */
export interface ReplyRequest {
  readonly entry: string;
  readonly item: string;
  readonly inbox: string;
  readonly at: number;
  readonly actor: ActorRef;
  readonly role: string | null;
  readonly subject: string;
  readonly text: string;
  readonly reason: string | null;
  /** The person who has approved it. */
  readonly approvedBy: object | null;
  readonly requestId: string | null;
  readonly address: string | null;
}

interface EventRow {
  readonly at: number;
  readonly inbox: string;
  readonly actor_type: ActorRef['type'];
  readonly actor: string | null;
  readonly actor_name: string;
  readonly role: string | null;
  readonly data: {
    readonly subject: string;
    readonly text: string;
    readonly reason?: string;
    readonly approvedBy?: object;
  };
  readonly request_id: string | null;
  readonly address: string | null;
}

const findReplySql = statement(
  'replies.asked',
  `
  select at, inbox, actor_type, actor, actor_name, role, data, request_id, address from events
  where env = $1 and item = $2 and entry = $3 and not is_update`,
);
/** Earlier replies to the item that are named in a mail, and the entries among which they are looked for. */
const earlierMax = { replies: 10, entries: 1_000 } as const;

const findEarlierSql = statement(
  'replies.earlier',
  `
  select e.entry from (
    select id, entry, type from events
    where env = $1 and item = $2 and entry is not null and not is_update order by id desc limit ${String(earlierMax.entries)}
  ) e
  where e.type = 'reply' and e.entry < $3 and exists (
    select from events u where u.env = $1 and u.entry = e.entry and u.is_update and u.data ->> 'status' in ('sent', 'unknown'))
  order by e.id desc limit ${String(earlierMax.replies)}`,
);
/** Updates the job only under its present lease: a worker that froze and has lost the lease dispatches nothing. */
const markReplySql = statement(
  'replies.mark',
  `
  update staged_jobs set payload = payload || $3::jsonb where id = $1 and fence = $2 and lease_until is not null`,
);

const withdrawReplySql = statement(
  'replies.withdraw',
  `
  update staged_jobs set payload = payload || '{"handedOver":false}'
  where id = $1 and fence = $2 and lease_until is not null and not payload @> '{"taken":true}'`,
);

/** Returns the reply of an entry, or null when there is none. */
export const readReplyRequest = async (
  db: Db,
  envId: number,
  { item, entry }: { item: string; entry: string },
): Promise<ReplyRequest | null> => {
  const found = await queryRow<EventRow>(db, findReplySql, [envId, item, entry]);
  if (found === undefined) return null;
  const {
    at,
    inbox,
    actor_type: type,
    actor: id,
    actor_name: name,
    role,
    data,
    request_id: requestId,
    address,
  } = found;
  return {
    entry,
    item,
    inbox,
    at,
    actor: { type, id, name },
    role,
    subject: data.subject,
    text: data.text,
    reason: data.reason ?? null,
    approvedBy: data.approvedBy ?? null,
    requestId,
    address,
  };
};

/** Returns the entries of the item's replies before this one that were sent, the oldest first. */
export const readEarlierReplies = async (
  db: Db,
  envId: number,
  { item, entry }: Pick<ReplyRequest, 'item' | 'entry'>,
): Promise<readonly string[]> =>
  (await queryRows<{ entry: string }>(db, findEarlierSql, [envId, item, entry])).map((row) => row.entry).reverse();

/**
 * Members of the job's payload: whether the reply was dispatched and its outcome is unknown yet, to which connection of the
 * app, whether the process of that connection has taken it, and the number of attempts.
 */
interface ReplyJobMark {
  readonly handedOver?: boolean;
  readonly connection?: string | null;
  readonly taken?: false;
  readonly attempts?: number;
}

/** Writes a mark into the job's payload; committed when this resolves. Throws when the worker has lost its lease. */
export const markReply = async (db: Db, { id, fence }: ReplyJob, kept: ReplyJobMark): Promise<void> => {
  if ((await executeStatement(db, markReplySql, [id, fence, JSON.stringify(kept)])) === 0)
    throw new Error('The lease of the reply’s job was lost.');
};

/** Withdraws a reply that was dispatched to a connection. Returns false when the connection's process has taken it, or the lease is lost. */
export const withdrawReply = async (db: Db, { id, fence }: ReplyJob): Promise<boolean> =>
  (await executeStatement(db, withdrawReplySql, [id, fence])) > 0;

/** The worker has dispatched the reply to this connection (`markReply`), still leases the job, and nobody has taken it. */
const takeReplySql = statement(
  'replies.take',
  `
  update staged_jobs set payload = payload || '{"taken":true}'
  where id = $1 and fence = $2 and env = $3 and name = 'replySend' and lease_until > ${dbNowSql}
    and payload @> jsonb_build_object('handedOver', true, 'connection', $4::text) and not payload @> '{"taken":true}'
  returning payload ->> 'item' as item, payload ->> 'entry' as entry`,
);

/** Returns the params of `reply.send`; null when the rows don't say that this connection is to send the reply now. */
export const takeReply = async (
  db: Db,
  envId: number,
  { id, fence }: ReplyJob,
  connection: string,
): Promise<ServiceCalls['reply.send']['params'] | null> => {
  const taken = await queryRow<{ item: string; entry: string }>(db, takeReplySql, [id, fence, envId, connection]);
  if (taken === undefined) return null;
  const [request, items] = await Promise.all([readReplyRequest(db, envId, taken), readItems(db, envId, [taken.item])]);
  const item = items.get(taken.item);
  if (request === null || item === undefined) return null;
  const { subject, text, actor, entry } = request;
  return { item: presentItem(item, fullAccess), subject, text, actor, delivery: entry };
};
