/** Changes an approval that stays pending: its comments, its votes, and what is asked for. For decisions/. */
import { type Caller, toEventActor } from '../accounts/access/principal.ts';
import { readBarred } from '../accounts/settings/independence.ts';
import type { Tx } from '../platform/db/knex.ts';
import { actorValues, change, event, live, writeChange } from '../platform/journal/changeWriter.ts';
import { sameColumns } from '../platform/journal/inserts.ts';
import { approvalEventData, approvalLiveParts, type Approval } from './model.ts';

const pendingChange = change('approvals.change', {
  changed: `update approvals set comments = $comments::jsonb, votes = $votes::jsonb, needed = $needed::int, request = $request::jsonb, asked = $asked::jsonb
    where env = $env and id = $id and status = 'pending' returning *`,
  happened: event(
    {
      ...sameColumns(['env', 'inbox', 'item']),
      verb: '$verb',
      target_type: "'approval'",
      target: 'id',
      entry: 'case when $data::jsonb is null then null else entry end',
      type: "case when $data::jsonb is null or entry is null then null else 'approval' end",
      is_update: 'true',
      data: `coalesce($data::jsonb, case when kind = 'bulk' then jsonb_build_object('inboxes', request -> 'inboxes') end)`,
      after: `$after::jsonb || jsonb_strip_nulls(jsonb_build_object('bulk', bulk, 'action', request ->> 'action',
        'resource', request ->> 'resource', 'flag', request ->> 'flag'))`,
    },
    { from: 'changed', returning: 'id' },
  ),
  told: live({ id: 'h.id', env: 'c.env', inbox: 'c.inbox' }, { from: 'happened h cross join changed c' }),
});

interface PendingChange {
  readonly verb: 'approval.comment' | 'approval.vote';
  /** The member `after` of the audit entry. */
  readonly after: object;
  readonly at: number;
}

/** Writes a pending approval as it is `next`, whose row is locked. A vote updates its timeline entry, too; a comment does not. */
export const changePending = async (
  tx: Tx,
  caller: Caller,
  next: Approval,
  { verb, after, at }: PendingChange,
): Promise<void> => {
  const { env, id, comments, votes, needed, request, asked, independent, actor } = next;
  const barred = independent ? ((await readBarred(tx, [actor], at)).get(actor) ?? []) : [];
  const parts = approvalLiveParts(next, at, 'changed', barred);
  await writeChange(tx, pendingChange, {
    env,
    id,
    at,
    verb,
    after,
    comments: comments === null ? null : JSON.stringify(comments),
    votes: votes === null ? null : JSON.stringify(votes),
    needed,
    request,
    asked,
    data: verb === 'approval.vote' ? approvalEventData(next) : null,
    live: JSON.stringify(verb === 'approval.vote' ? parts : parts.slice(0, 1)),
    ...actorValues(toEventActor(caller)),
  });
};
