/** What a reply's job needs to know of it: the entry as it was asked for, and the mark that it was handed over. */
import type { ActorRef } from '../catalogue/events.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRow, executeStatement, statement } from '../platform/db/sql.ts';

/** A reply as it was asked for, and by whom. */
export interface ReplyRequest {
  readonly entry: string;
  readonly item: string;
  readonly inbox: string;
  readonly at: number;
  readonly actor: ActorRef;
  readonly role: string | null;
  readonly subject: string;
  readonly text: string;
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
  readonly data: { readonly subject: string; readonly text: string };
  readonly request_id: string | null;
  readonly address: string | null;
}

const findReplySql = statement(
  'replies.asked',
  `
  select at, inbox, actor_type, actor, actor_name, role, data, request_id, address from events
  where env = $1 and item = $2 and entry = $3 and not is_update`,
);
/** Only the claim that holds now: a worker that froze finds that it has lost it, and hands nothing over. */
const markReplySql = statement(
  'replies.mark',
  `
  update staged_jobs set payload = payload || $3::jsonb where id = $1 and fence = $2 and lease_until is not null`,
);

export const readReplyRequest = async (
  db: Db,
  env: number,
  { item, entry }: { item: string; entry: string },
): Promise<ReplyRequest | null> => {
  const found = await queryRow<EventRow>(db, findReplySql, [env, item, entry]);
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
    requestId,
    address,
  };
};

export interface ReplyJobKey {
  readonly id: string;
  readonly fence: number;
}

/** What is kept with the job: whether it was handed over (and no answer is known yet), and how often it was tried. */
interface ReplyJobMark {
  readonly handedOver?: boolean;
  readonly attempts?: number;
}

/** Keeps a mark with the job, durable before what follows it. Throws when the claim was lost. */
export const markReply = async (db: Db, { id, fence }: ReplyJobKey, kept: ReplyJobMark): Promise<void> => {
  if ((await executeStatement(db, markReplySql, [id, fence, JSON.stringify(kept)])) === 0)
    throw new Error('The claim on the reply was lost.');
};
