/**
 * Takes a reply for the app, in the process that has the app's socket: what is sent is what the rows say, once for each time
 * that the reply's worker dispatches it. Called by the app link (api/applink/hub.ts).
 */
import { fullAccess } from '../accounts/access/access.ts';
import type { ReplyJob } from '../app/link/link.ts';
import type { ServiceCalls } from '../app/link/protocol.ts';
import { readItems } from '../items/model.ts';
import { presentItem } from '../items/present.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRow, statement } from '../platform/db/sql.ts';
import { dbNowSql } from '../platform/leases/leaderLease.ts';
import { readReplyRequest } from './replyRequest.ts';

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
