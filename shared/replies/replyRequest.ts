/** Reads the reply that a job is to deliver, and marks the job as dispatched. For workers/jobs/replySend.ts. */
import type { ReplyJob } from '../applink/link.ts';
import type { ActorRef } from '../catalogue/events.ts';
import type { Db } from '../platform/db/knex.ts';
import { executeStatement, queryRow, statement } from '../platform/db/sql.ts';

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
