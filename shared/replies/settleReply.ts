/**
 * Settles a reply: the final status of its entry, live messages, the audit entry, the deadline that a failed reply
 * restores, and the end of its job, in one statement, and only while the worker has the job's lease. For
 * workers/jobs/replySend.ts.
 */
import { fullAccess } from '../accounts/access/access.ts';
import type { DomainDeps } from '../accounts/deps.ts';
import type { ReplyJob } from '../app/link/link.ts';
import type { ReplyStatus } from '../catalogue/states/replies.ts';
import { readItems, type Item } from '../items/model.ts';
import { activeDeadline } from '../items/perform/eventBatch.ts';
import { columnsUnreplaced, guardedUpdate, itemRowsJson } from '../items/perform/writeSql.ts';
import { itemJson } from '../items/present.ts';
import { retryOnConflict } from '../platform/db/retryOnConflict.ts';
import { actorValues, change, event, live, queryChange, type Change } from '../platform/journal/changeWriter.ts';
import { withEventIds } from '../platform/journal/events.ts';
import { channels, outboxOf } from '../platform/redis/bus.ts';
import type { ReplyRequest } from './replyRequest.ts';

export interface ReplyResolution {
  readonly status: Exclude<ReplyStatus, 'sending'>;
  readonly error: string | null;
}

/** Settles a reply by the part `moved`, a lock or an update of its item: the event's id is drawn from the item's locked row, so that the ids of an item's events follow its versions. */
const settling = (name: string, parts: Change['parts']): Change =>
  change(
    name,
    {
      held: 'select id from staged_jobs where id = $job and fence = $fence and lease_until is not null for update',
      ...parts,
      numbered: withEventIds('moved'),
      happened: event(
        {
          id: 'id',
          verb: '$verb',
          target_type: "'item'",
          target: '$item',
          outcome: '$outcome',
          inbox: '$inbox',
          item: '$item',
          entry: '$entry',
          type: "'reply'",
          is_update: 'true',
          data: '$data::jsonb',
          before: '$before::jsonb',
          after: '$after::jsonb',
        },
        { from: 'numbered' },
      ),
      told: live(
        {
          id: 'id',
          inbox: '$inbox',
          deltas: "'{}'",
          due_to: '$dueTo::bigint',
          awake_to: '$awakeTo::bigint',
          whole: 'true',
        },
        { from: 'numbered' },
      ),
      ended: 'delete from staged_jobs where id = any (array(select id from held)) and exists (select from moved)',
    },
    'select (select count(*) from held)::int as held, (select count(*) from moved)::int as moved',
  );

const settleEntry = settling('replies.settle', {
  moved: 'select i.id from items i where i.env = $env and i.id = $item and exists (select from held) for update of i',
});
const settleItem = settling('replies.settleItem', guardedUpdate('exists (select from held)'));

const roundsMax = 20;

/** Returns the item with the deadline that the reply had cleared, or null when the item doesn't change. */
const withRestoredDeadline = (item: Item, { status }: ReplyResolution, dueAt: number | null, at: number): Item | null =>
  status === 'failed' && dueAt !== null && item.dueAt === null && !item.closed
    ? { ...item, dueAt, version: item.version + 1, updatedAt: Math.max(at, item.createdAt) }
    : null;

const replyLiveParts = (request: ReplyRequest, data: object, restored: Item | null): string => {
  const { entry, item, inbox, at, actor } = request;
  const timeline = JSON.stringify({
    type: 'timeline',
    inbox,
    change: 'changed',
    item,
    entry: { id: entry, item, type: 'reply', at, actor, data },
  });
  if (restored === null) return `[${timeline}]`;
  return `[{"type":"item","inbox":"${inbox}","change":"changed","item":${itemJson(restored, fullAccess)},"by":${JSON.stringify(actor)}},${timeline}]`;
};

interface ReplySettling {
  readonly job: ReplyJob & { readonly env: number };
  readonly request: ReplyRequest;
  readonly end: ReplyResolution;
  readonly dueAt: number | null;
}

/** Runs one round of settling. Returns null when the item has changed since it was read. */
const trySettle = async (
  { db, clock }: DomainDeps,
  { job, request, end, dueAt }: ReplySettling,
): Promise<boolean | null> => {
  const { subject, text, actor, approvedBy, reason } = request;
  const decided = { ...(approvedBy === null ? {} : { approvedBy }), ...(reason === null ? {} : { reason }) };
  const data = { subject, text, ...end, ...decided };
  const at = clock.now();
  const item = (await readItems(db, job.env, [request.item])).get(request.item);
  if (item === undefined) throw new Error(`The reply ${request.entry} belongs to no item.`);
  const restored = withRestoredDeadline(item, end, dueAt, at);
  const deadline = restored === null ? {} : { dueAt: restored.dueAt };
  const settled = {
    job: job.id,
    fence: job.fence,
    env: job.env,
    item: request.item,
    inbox: request.inbox,
    entry: request.entry,
    at,
    verb: `item.reply.${end.status}`,
    outcome: end.status === 'sent' ? 'ok' : 'failed',
    data,
    before: { status: 'sending', ...(restored === null ? {} : { dueAt: null }) },
    after: { ...end, ...deadline },
    live: replyLiveParts(request, data, restored),
    dueTo: restored?.dueAt,
    awakeTo: activeDeadline(restored),
    ...actorValues({ ...actor, role: request.role, requestId: request.requestId, address: request.address }),
  };
  const changed = restored === null ? {} : { items: itemRowsJson(job.env, [{ item: restored }], columnsUnreplaced) };
  const [done] = await queryChange<{ held: number; moved: number }>(db, restored === null ? settleEntry : settleItem, {
    ...settled,
    ...changed,
  });
  if (done?.held !== 1) return false;
  return done.moved === 1 ? true : null;
};

/** Settles a reply. Returns false, and writes nothing, when the worker has lost the job's lease. `dueAt`: the deadline that the reply had cleared. */
export const settleReply = async (
  deps: DomainDeps,
  job: ReplyJob & { readonly env: number },
  request: ReplyRequest,
  end: ReplyResolution,
  dueAt: number | null,
): Promise<boolean> => {
  const isSettled = await retryOnConflict(() => trySettle(deps, { job, request, end, dueAt }), {
    limit: roundsMax,
    exhausted: () =>
      new Error(`The reply ${request.entry} could not be settled: its item is being changed by many at once.`),
  });
  if (isSettled) deps.bus.publish(channels.workAvailable, outboxOf(job.env));
  return isSettled;
};
