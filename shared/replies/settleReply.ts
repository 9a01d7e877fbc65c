/**
 * Settles a reply: the final status of its entry, live messages, the audit entry, the deadline that a failed reply
 * restores, and the end of its job, in one statement, and only while the worker has the job's lease. For
 * workers/jobs/replySend.ts.
 */
import { fullAccess } from '../access/access.ts';
import type { ReplyJob } from '../applink/link.ts';
import type { ReplyStatus } from '../catalogue/states/replies.ts';
import { readItems, type Item } from '../items/model.ts';
import { activeDeadline } from '../items/perform/eventBatch.ts';
import { itemTermSeparator } from '../items/perform/writeSql.ts';
import { itemJson } from '../items/present.ts';
import { itemTerms } from '../items/terms.ts';
import { retryOnConflict } from '../platform/db/retryOnConflict.ts';
import { queryRow, statement, type SqlValue } from '../platform/db/sql.ts';
import { actorParameters, actorValues, eventInsert, withEventIds } from '../platform/journal/events.ts';
import { outboxInsert } from '../platform/journal/outbox.ts';
import { channels } from '../platform/redis/bus.ts';
import type { DomainDeps } from '../settings/deps.ts';
import type { ReplyRequest } from './replyRequest.ts';

export interface ReplyResolution {
  readonly status: Exclude<ReplyStatus, 'sending'>;
  readonly error: string | null;
}

/** The event's id is drawn from the item's locked row: the ids of an item's events follow its versions. */
const settleReplySql = (moved: string): string => `
  with held as (select id from staged_jobs where id = $1 and fence = $2 and lease_until is not null for update),
  moved as (${moved}),
  numbered as materialized (${withEventIds('moved')}),
  happened as (${eventInsert(
    {
      ...actorParameters(15),
      id: 'id',
      env: '$3',
      at: '$5::bigint',
      verb: '$6',
      target_type: "'item'",
      target: '$4',
      outcome: '$7',
      inbox: '$8',
      item: '$4',
      entry: '$9',
      type: "'reply'",
      is_update: 'true',
      data: '$10::jsonb',
      before: '$11::jsonb',
      after: '$12::jsonb',
    },
    { from: 'numbered' },
  )}),
  told as (${outboxInsert(
    {
      id: 'id',
      env: '$3',
      at: '$5::bigint',
      parts: '$13',
      inbox: '$8',
      deltas: "'{}'",
      due_to: '$14::bigint',
      awake_to: '$21::bigint',
      whole: 'true',
    },
    { from: 'numbered' },
  )}),
  ended as (delete from staged_jobs where id = any (array(select id from held)) and exists (select from moved))
  select (select count(*) from held)::int as held, (select count(*) from moved)::int as moved`;

const settleEntry = statement(
  'replies.settle',
  settleReplySql(`
    select i.id from items i where i.env = $3 and i.id = $4 and exists (select from held) for update of i`),
);
const settleItem = statement(
  'replies.settleItem',
  settleReplySql(`
    update items set version = version + 1, due_at = $14::bigint, updated_at = $22::bigint, terms = array_to_tsvector(string_to_array($23, E',\\n'))
    where env = $3 and id = $4 and version = $24 and exists (select from held) returning id`),
);

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
  const values: SqlValue[] = [
    job.id,
    job.fence,
    job.env,
    request.item,
    at,
    `item.reply.${end.status}`,
    end.status === 'sent' ? 'ok' : 'failed',
    request.inbox,
    request.entry,
    JSON.stringify(data),
    JSON.stringify({ status: 'sending', ...(restored === null ? {} : { dueAt: null }) }),
    JSON.stringify({ ...end, ...deadline }),
    replyLiveParts(request, data, restored),
    restored?.dueAt ?? null,
    ...actorValues({ ...actor, role: request.role, requestId: request.requestId, address: request.address }),
    activeDeadline(restored),
  ];
  if (restored !== null)
    values.push(restored.updatedAt, itemTerms(job.env, restored).join(itemTermSeparator), item.version);
  const done = await queryRow<{ held: number; moved: number }>(
    db,
    restored === null ? settleEntry : settleItem,
    values,
  );
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
  if (isSettled) deps.bus.publish(channels.workAvailable, 'outbox');
  return isSettled;
};
